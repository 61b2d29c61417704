use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// Start sessions' programs again, ending them first if they run
#[derive(Debug, Args)]
#[command(
    after_help = "It is the same worktree; what was printed before stays in the history.\n\nExample: qd restart kabc"
)]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Restart, context).await
}
