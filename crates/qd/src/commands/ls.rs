use clap::Args;
use qd_api::SessionView;

use crate::context::Context;
use crate::failure::Failure;
use crate::filter::{self, Filter};
use crate::{clock, output, table};

/// List the sessions
#[derive(Debug, Args)]
#[command(after_help = "EXPR is words that must all fit: state:, agent:, tag:, repo:, branch:, \
    kind:, title: or id: and a value, with alternatives after commas; ! before a word that must \
    not fit; any other word is looked for in title, branch, repository and tags.\n\n\
    Example: qd ls --filter 'state:permission,question agent:claude !tag:later login'")]
pub struct Arguments {
    /// Only sessions that fit
    #[arg(long, value_name = "EXPR", value_parser = filter::parse)]
    filter: Option<Filter>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let mut sessions = context.client().sessions().await?;
    let mut none = "No sessions. Make one with `qd new`.";
    if let Some(filter) = arguments.filter {
        if !sessions.is_empty() {
            none = "No session fits. `qd ls` lists all.";
        }
        sessions.retain(|session| filter.fits(session));
    }
    tell(&sessions, context.json, none)
}

/// Prints a list of sessions; `none` is what people are told when it is empty.
pub fn tell(sessions: &[SessionView], json: bool, none: &str) -> Result<(), Failure> {
    if json {
        return output::json(&sessions);
    }
    if sessions.is_empty() {
        output::note(none);
        return Ok(());
    }
    let table = table::sessions(sessions, clock::now(), output::width(), output::colours());
    output::raw(table.as_bytes())
}
