use clap::Args;
use qd_api::LossView;
use qd_core::Action;

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;
use crate::{loss, output};

/// Put sessions in the trash; their programs end, their work is kept
#[derive(Debug, Args)]
#[command(after_help = "It does not ask: `qd restore` brings a session back.\n\n\
    Example: qd rm kabc")]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
    /// Only say what is at stake; nothing is changed
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    if !arguments.dry_run {
        return act::run(&arguments.sessions, Action::Trash, context).await;
    }
    for id in &arguments.sessions.ids {
        tell(&context.client().loss(id).await?, context.json)?;
    }
    Ok(())
}

fn tell(at_stake: &LossView, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(at_stake);
    }
    output::line(&loss::before_trash(at_stake).join("\n"))
}
