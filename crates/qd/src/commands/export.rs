pub(super) mod target;

use clap::Args;
use qd_api::EventRecord;
use qd_client::{Client, StreamItem};
use qd_core::Code;
use serde_json::json;

use self::target::Target;
use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, clock, output};

/// Write all that there is of a session: history, changes, events
#[derive(Debug, Args)]
#[command(
    after_help = "Written are session.json, history.txt, history.ansi (with colours), output.raw \
    (the last bytes as the program wrote them), events.jsonl, and changes.patch, which `git apply` \
    takes at the base. Sessions that are paused or in the trash can be exported, too.\n\n\
    Example: qd export kabc\n\
    Example: qd export kabc ./kabc/\n\
    Example: qd export kabc - | tar -t"
)]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// A tar to write, a folder if it ends in a slash, or - for a tar on stdout [default: ID.tar]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    file: Option<String>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let session = client.session(&arguments.id).await?;
    let name = arguments.file.unwrap_or_else(|| format!("{}.tar", session.id));
    let mut target = Target::open(&name, &session.id, arguments.force, clock::now())?;
    let mut notes = vec![];

    target.file("session.json", &serde_json::to_vec_pretty(&session)?)?;
    for (file, ansi) in [("history.txt", false), ("history.ansi", true)] {
        let screen = client.screen(&session.id, ansi, true).await?;
        let mut lines = screen.lines;
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let reset = if ansi { "\x1b[m\n" } else { "\n" };
        let text: String = lines.iter().map(|line| format!("{line}{reset}")).collect();
        target.file(file, text.as_bytes())?;
    }
    target.file("output.raw", &client.logs(&session.id, None).await?.bytes)?;
    match client.patch(&session.id).await {
        Ok((patch, left_out)) => {
            target.file("changes.patch", &patch)?;
            if left_out > 0 {
                notes.push(format!("{left_out} untracked files are too large for the patch."));
            }
        }
        // One in a plain folder has nothing to compare; one that never got files has none.
        Err(problem)
            if matches!(
                problem.code,
                Code::NotARepository
                    | Code::StateConflict
                    | Code::WorktreeMissing
                    | Code::PathMissing
                    | Code::BaseMissing
            ) =>
        {
            notes.push(format!("Without changes.patch: {}", problem.message));
        }
        Err(problem) => return Err(problem.into()),
    }
    let mut events = vec![];
    for event in events_of(&client, &session.id).await? {
        serde_json::to_writer(&mut events, &event)?;
        events.push(b'\n');
    }
    target.file("events.jsonl", &events)?;
    let files = target.close()?;

    for note in &notes {
        output::note(&format!("qd: {}", output::plain(note)));
    }
    if name == "-" {
        return Ok(());
    }
    if context.json {
        return output::json(&json!({"file": name, "files": files, "notes": notes}));
    }
    output::line(&format!("{}: {}", output::plain(&name), files.join(", ")))
}

/// What happened to a session until now, oldest first.
async fn events_of(client: &Client, id: &str) -> Result<Vec<EventRecord>, Failure> {
    let mut stream = client.events(Some(0)).await?;
    let (mut events, mut latest, mut seen) = (vec![], None, 0);
    while latest.is_none_or(|latest| seen < latest) {
        match stream.next().await? {
            StreamItem::Head(head) => latest = latest.or(Some(head.latest)),
            StreamItem::Log(event) => {
                seen = event.number;
                if event.session == id && latest.is_none_or(|latest| seen <= latest) {
                    events.push(event);
                }
            }
            _ => {}
        }
    }
    Ok(events)
}
