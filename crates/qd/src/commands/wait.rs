use std::time::Duration;

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::waiting::Waiter;
use crate::{cli, output, states};

/// Wait until a session is in a state
#[derive(Debug, Args)]
#[command(
    after_help = "States of its life: creating, running, paused, hibernated, exited, failed, \
    trashed. What it does: unknown, working, permission, question, idle, done, error. A session that failed ends \
    the waiting.\n\nExample: qd wait kabc --for permission,question,done --timeout 600"
)]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// The states; any of them will do
    #[arg(long = "for", value_name = "STATE", required = true, value_delimiter = ',')]
    #[arg(value_parser = states::parse)]
    states: Vec<String>,
    /// Give up after so many seconds, with exit code 5
    #[arg(long, value_name = "S", value_parser = cli::seconds)]
    timeout: Option<Duration>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    // Opened first: what changes between the two is in the stream.
    let waiter = Waiter::open(client.clone()).await?;
    let session = client.session(&arguments.id).await?;
    let session = waiter.until(session, &arguments.states, arguments.timeout).await?;
    if context.json { output::json(&session) } else { output::line(states::word(&session)) }
}
