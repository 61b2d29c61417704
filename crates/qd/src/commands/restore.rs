use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// Take sessions out of the trash
#[derive(Debug, Args)]
#[command(
    after_help = "One that was paused is paused again: `qd resume` goes on with it.\n\nExample: qd restore kabc"
)]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Restore, context).await
}
