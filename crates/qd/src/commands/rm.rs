use clap::Args;
use qd_api::LossView;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, loss, operation, output};

/// Put a session in the trash; its program ends, its work is kept
#[derive(Debug, Args)]
#[command(after_help = "It does not ask: `qd restore` brings the session back.\n\n\
    Example: qd rm kabc")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Only say what is at stake; nothing is changed
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    if arguments.dry_run {
        return tell(&client.loss(&arguments.id).await?, context.json);
    }
    let mut events = client.events(None).await?;
    let begun = client.remove(&arguments.id).await?;
    let id = begun.session.clone();
    operation::finish(&client, &mut events, begun).await?;
    let session = client.session(&id).await?;
    if context.json {
        return output::json(&session);
    }
    output::line(&format!("{} is in the trash.", output::quoted(&session.title)))?;
    if let Some(kept) = &session.kept {
        output::line(&output::plain(kept))?;
    }
    output::line(&format!("Undo with `qd restore {id}`."))
}

fn tell(at_stake: &LossView, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(at_stake);
    }
    output::line(&loss::before_trash(at_stake).join("\n"))
}
