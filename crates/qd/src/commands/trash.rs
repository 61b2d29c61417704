use clap::Args;

use crate::commands::ls;
use crate::context::Context;
use crate::failure::Failure;
use crate::{clock, output};

/// List the sessions in the trash
#[derive(Debug, Args)]
#[command(after_help = "Example: qd trash")]
pub struct Arguments {}

/// Runs the command.
pub async fn run(_: Arguments, context: &Context) -> Result<(), Failure> {
    let sessions = context.client().trash().await?;
    ls::tell(&sessions, context.json, "The trash is empty.")?;
    if context.json {
        return Ok(());
    }
    for session in &sessions {
        if let Some(at) = &session.purge_at {
            output::note(&format!(
                "{} is purged on {}.",
                output::quoted(&session.title),
                clock::local(at)
            ));
        }
    }
    Ok(())
}
