use clap::Args;
use qd_api::NewShell;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, commands::new, output};

/// Open a second terminal in the worktree of a session
#[derive(Debug, Args)]
#[command(after_help = "It goes to the trash with the session.\n\n\
    Example: qd shell kabc\n\
    Example: qd shell kabc --title Tests -- make test")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// What to call it, 1 to 200 characters [default: made from the session's]
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// The command to run, word by word as it stands here [default: your shell]
    #[arg(last = true, value_name = "WORD")]
    words: Vec<String>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let Arguments { id, title, words } = arguments;
    let command = (!words.is_empty()).then_some(words);
    let session = context.client().shell(&id, &NewShell { title, command }).await?;
    if context.json { output::json(&session) } else { new::tell(&session) }
}
