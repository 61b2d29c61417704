use clap::Args;
use qd_api::SessionView;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, clock, outcome, output, states};

/// Show all that is known of a session
#[derive(Debug, Args)]
#[command(after_help = "Example: qd show title:'Fix login'")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let session = context.client().session(&arguments.id).await?;
    tell(&session, context.json)
}

/// Prints a session.
pub fn tell(session: &SessionView, json: bool) -> Result<(), Failure> {
    if json { output::json(session) } else { output::raw(text(session).as_bytes()) }
}

fn text(session: &SessionView) -> String {
    let mut text = format!("{}\n", output::plain(&session.title));
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {name:<10} {}\n", output::plain(value)));
        }
    };
    let since = clock::ago(&session.attention.since, clock::now());
    row("id", &session.id);
    row("state", &format!("{} for {since}", states::word(session)));
    row("why", &session.attention.why);
    row("agent", &session.agent);
    row("command", &session.command.join(" "));
    row("folder", session.worktree.as_deref().unwrap_or(&session.repo));
    row("branch", session.branch.as_deref().unwrap_or_default());
    row("base", session.base.as_deref().unwrap_or_default());
    if let Some(stat) = session.diff_stat {
        let files = if stat.files == 1 { "file" } else { "files" };
        let (more, fewer) = (stat.additions, stat.deletions);
        row("changed", &format!("{} {files}, +{more} -{fewer}", stat.files));
    }
    row("tags", &session.tags.join(", "));
    row("notes", &session.notes);
    let age = clock::ago(&session.created_at, clock::now());
    row("created", &format!("{}, {age} ago", clock::local(&session.created_at)));
    if let Some(at) = &session.wake_at {
        row("wakes", &clock::local(at));
    }
    if let Some(pane) = &session.pane {
        row("terminal", &format!("{}x{}", pane.cols, pane.rows));
    }
    if let Some(exit) = session.exit {
        row("ended", &ended(exit));
    }
    row("kept", session.kept.as_deref().unwrap_or_default());
    if let Some(word) = outcome::go_on(session).filter(|_| session.pending.is_none()) {
        row("go on", &format!("qd {word} {}", session.id));
    }
    for message in &session.messages {
        row("note", message);
    }
    if let Some(problem) = &session.problem {
        row("problem", &format!("{} {}", problem.title, problem.hint));
    }
    text
}

fn ended(exit: qd_api::ExitView) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!("with code {code}"),
        (None, Some(signal)) => format!("by signal {signal}"),
        (None, None) => "nobody knows how".to_owned(),
    }
}
