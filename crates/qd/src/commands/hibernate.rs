use clap::Args;
use qd_api::Change;
use qd_core::{Action, Millis};

use crate::act::{self, Sessions};
use crate::clock;
use crate::context::Context;
use crate::failure::Failure;

/// End sessions' programs to free memory; their worktrees stay where they are
#[derive(Debug, Args)]
#[command(
    after_help = "`qd wake` starts them again, and so does opening one or sending to it.\n\n\
    Example: qd hibernate kabc kabd\n\
    Example: qd hibernate kabc --wake-in 2h\n\
    Example: qd hibernate kabc --wake-at '2026-01-31 08:00'"
)]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
    /// Wake them after so long, such as 90s, 30m, 2h or 3d
    #[arg(long, value_name = "TIME", value_parser = clock::span)]
    wake_in: Option<i64>,
    /// Wake them then: a day and a time of this machine's clock, or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = clock::moment, conflicts_with = "wake_in")]
    wake_at: Option<Millis>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let after = |span: i64| Millis(clock::now().0.saturating_add(span));
    if let Some(at) = arguments.wake_at.or(arguments.wake_in.map(after)) {
        // Set first: a session that is hibernated and does not know when to wake would be worse.
        let change = Change { wake_at: Some(qd_api::rfc3339(at)), ..Change::default() };
        for id in &arguments.sessions.ids {
            // One that is not there is told of below, with the others.
            if let Ok(session) = context.client().session(id).await {
                context.client().change(&session.id, &change, None).await?;
            }
        }
    }
    act::run(&arguments.sessions, Action::Hibernate, context).await
}
