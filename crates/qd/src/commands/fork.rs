use clap::Args;
use qd_api::NewFork;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, commands::new, output};

/// Make a session like another, on a new branch that begins where that one is now
#[derive(Debug, Args)]
#[command(after_help = "Staged, unstaged and untracked files come along; the session itself is \
    only read, and runs on.\n\n\
    Example: qd fork kabc --branch try-two")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// What to call it, 1 to 200 characters [default: made from the session's]
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// The new branch [default: made from the title]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The first prompt for the agent [default: that of the session]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let Arguments { id, title, branch, prompt } = arguments;
    let session = context.client().fork(&id, &NewFork { title, branch, prompt }).await?;
    if context.json { output::json(&session) } else { new::tell(&session) }
}
