use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// End sessions' programs and put their worktrees away; their branches are free then
#[derive(Debug, Args)]
#[command(
    after_help = "Every file stays as it is, ignored ones too. `qd resume` brings all back.\n\nExample: qd pause kabc"
)]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Pause, context).await
}
