use std::time::Duration;

use clap::Args;
use qd_client::Client;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output};

/// The shortest and the longest pause between two looks for new output.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(500));

/// Print a session's raw output, from as far back as it is kept
#[derive(Debug, Args)]
#[command(after_help = "The output is what the program wrote, escape sequences included; \
    `qd screen` prints it as text.\n\nExample: qd logs kabc > kabc.log")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Go on with what comes, until the program has ended
    #[arg(long)]
    follow: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    // What an id stands for must not change while it is followed.
    let id = client.session(&arguments.id).await?.id;
    let part = client.logs(&id, None).await?;
    output::raw(&part.bytes)?;
    if arguments.follow {
        follow(&client, &id, part.seq + part.bytes.len() as u64).await?;
    }
    Ok(())
}

async fn follow(client: &Client, id: &str, mut from: u64) -> Result<(), Failure> {
    let mut pause = PAUSES.0;
    loop {
        // Asked before the output: what came before the end is then printed before we leave.
        let state = client.session(id).await?.state;
        let ended = !matches!(state.as_str(), "creating" | "running");
        let part = client.logs(id, Some(from)).await?;
        if part.bytes.is_empty() {
            if ended {
                return Ok(());
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
            continue;
        }
        if part.seq > from {
            output::note(&format!("qd: {} bytes were not kept.", part.seq - from));
        }
        // Bytes that were printed before are not printed again.
        let seen = usize::try_from(from.saturating_sub(part.seq)).unwrap_or(usize::MAX);
        output::raw(part.bytes.get(seen..).unwrap_or_default())?;
        from = from.max(part.seq + part.bytes.len() as u64);
        pause = PAUSES.0;
    }
}
