use clap::Args;

use crate::commands::ls;
use crate::context::Context;
use crate::failure::Failure;

/// List the sessions in the trash
#[derive(Debug, Args)]
#[command(after_help = "Example: qd trash")]
pub struct Arguments {}

/// Runs the command.
pub async fn run(_: Arguments, context: &Context) -> Result<(), Failure> {
    let sessions = context.client().trash().await?;
    ls::tell(&sessions, context.json, "The trash is empty.")
}
