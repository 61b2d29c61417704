use clap::Args;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;

/// End sessions' programs to free memory; their worktrees stay where they are
#[derive(Debug, Args)]
#[command(after_help = "`qd wake` starts them again.\n\nExample: qd hibernate kabc kabd")]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    act::run(&arguments.sessions, Action::Hibernate, context).await
}
