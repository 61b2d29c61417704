use clap::Args;
use qd_api::{Operation, SessionView};
use qd_client::Client;
use qd_core::Action;
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{cli, operation, outcome, output};

/// The sessions that something is done to.
#[derive(Debug, Args)]
pub struct Sessions {
    /// The sessions; each is tried, and the exit code is that of the worst outcome
    #[arg(value_name = "ID", required = true, value_parser = cli::id)]
    pub ids: Vec<String>,
}

/// A session before something was done to it, and what was begun.
struct Begun {
    before: SessionView,
    operation: Operation,
}

/// Has something done to one session or to several at once, waits for the end of each, and tells
/// what became of it. With `--json` it prints the session, or an array when several were named.
///
/// # Errors
/// What went wrong, when one was named; else how the worst of them ended, all being told.
pub async fn run(sessions: &Sessions, action: Action, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    // Opened first: what ends between the two is in the stream.
    let mut events = client.events(None).await?;
    let mut begun = vec![];
    for id in &sessions.ids {
        begun.push(begin(&client, id, action).await);
    }
    let operations = begun.iter().flatten().map(|begun| begun.operation.clone()).collect();
    let mut progress = Progress::new(outcome::under_way(action), context.json);
    let mut ends =
        operation::finish_all(&client, &mut events, operations, &mut progress).await.into_iter();
    drop(progress);
    let mut results = vec![];
    for (id, begun) in sessions.ids.iter().zip(begun) {
        let result = match begun {
            Ok(begun) => match ends.next() {
                Some(Err(failure)) => Err(failure),
                _ => end(&client, action, begun).await,
            },
            Err(failure) => Err(failure),
        };
        results.push((id.as_str(), result));
    }
    tell(results, context.json)
}

/// Does something to one session and waits for its end, without a word.
///
/// # Errors
/// Why it was refused or failed.
pub async fn one(client: &Client, id: &str, action: Action) -> Result<(), Failure> {
    let mut events = client.events(None).await?;
    let begun = client.act(id, action).await?;
    let mut progress = Progress::new(outcome::under_way(action), false);
    let ends = operation::finish_all(client, &mut events, vec![begun], &mut progress).await;
    ends.into_iter().collect()
}

async fn begin(client: &Client, id: &str, action: Action) -> Result<Begun, Failure> {
    let before = client.session(id).await?;
    let operation = client.act(&before.id, action).await?;
    Ok(Begun { before, operation })
}

/// What became of it: a line for people and a value for programs.
type Outcome = (String, Value);

async fn end(client: &Client, action: Action, begun: Begun) -> Result<Outcome, Failure> {
    let Begun { before, operation } = begun;
    if action == Action::Purge {
        let line = format!("{} is purged.", output::quoted(&before.title));
        return Ok((line, json!({"id": before.id, "purged": true})));
    }
    let after = client.session(&before.id).await?;
    let line = outcome::line(action, &before, &after, operation.state != "running");
    Ok((line, serde_json::to_value(&after)?))
}

fn tell(mut results: Vec<(&str, Result<Outcome, Failure>)>, json: bool) -> Result<(), Failure> {
    if results.len() == 1 {
        let Some((_, result)) = results.pop() else { return Ok(()) };
        let (line, value) = result?;
        return if json { output::json(&value) } else { output::line(&line) };
    }
    let mut worst = Exit::Done;
    let mut values = vec![];
    for (id, result) in results {
        match result {
            Ok((line, value)) => {
                if !json {
                    output::line(&line)?;
                }
                values.push(value);
            }
            Err(failure) => {
                worst = worst.worse(failure.exit());
                if !json {
                    failure.tell_of(id);
                }
                values.push(json!({"id": id, "error": failure.error()}));
            }
        }
    }
    if json {
        output::json(&values)?;
    }
    if worst == Exit::Done { Ok(()) } else { Err(Failure::Told(worst)) }
}
