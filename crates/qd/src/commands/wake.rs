use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// Start hibernated sessions' programs again
#[derive(Debug, Args)]
#[command(
    after_help = "An agent goes on with its conversation where it can.\n\nExample: qd wake kabc"
)]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Wake, context).await
}
