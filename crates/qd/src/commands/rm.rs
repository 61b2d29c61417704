use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// Put sessions in the trash; their programs end, their work is kept
#[derive(Debug, Args)]
#[command(after_help = "It does not ask: `qd restore` brings a session back.\n\n\
    Example: qd rm kabc")]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Trash, context).await
}
