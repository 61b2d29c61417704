use clap::Args;
use qd_core::Action;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, operation, output};

/// Take a session out of the trash
#[derive(Debug, Args)]
#[command(after_help = "Example: qd restore kabc")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let mut events = client.events(None).await?;
    let begun = client.act(&arguments.id, Action::Restore).await?;
    let id = begun.session.clone();
    operation::finish(&client, &mut events, begun).await?;
    let session = client.session(&id).await?;
    if context.json {
        return output::json(&session);
    }
    let place = session.worktree.as_deref().unwrap_or(&session.repo);
    let title = output::quoted(&session.title);
    output::line(&format!("{title} is back, in {}.", output::plain(place)))
}
