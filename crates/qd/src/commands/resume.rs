use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// Bring paused sessions' worktrees back, and start their programs again
#[derive(Debug, Args)]
#[command(
    after_help = "When the place or the branch was taken meanwhile, nothing changes. An agent goes on with its conversation where it can.\n\nExample: qd resume kabc"
)]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Resume, context).await
}
