//! Sessions on record, written as the daemon would have, without making them.

use std::collections::BTreeMap;
use std::path::Path;

use qd_core::{
    Event, Exit, Kind, Launch, Millis, OnLoss, Session, SessionId, Size, Step, Title, evolve,
};
use qd_store::{Append, NewEvent, ProjectionWrite, Store, StoreOptions};

use crate::fault::{Result, fault};

/// When the first of them was made: a day in 2026.
const FIRST: i64 = 1_790_000_000_000;

/// Puts so many ended sessions on record in a home that no daemon holds.
///
/// # Errors
/// When the store refuses.
pub fn write(home: &Path, count: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (store, log) = Store::open(home, StoreOptions::default())?;
        for number in 0..count {
            log.append(append(home, number)?).await?;
        }
        store.close().await?;
        Ok(())
    })
}

fn append(home: &Path, number: usize) -> Result<Append> {
    let id = session_id(number)?;
    let at = Millis(FIRST + i64::try_from(number)? * 1000);
    let events = events(home, number)?;
    let session = events
        .iter()
        .fold(None::<Session>, |state, event| evolve(state, &id, event, at))
        .ok_or("the events of a fixture make no session")?;
    let mut rows = vec![];
    for event in &events {
        let value = serde_json::to_value(event)?;
        let data = value.get("data").cloned().unwrap_or(serde_json::Value::Null);
        rows.push(NewEvent { kind: event.kind().to_owned(), data });
    }
    let mut append = Append::new(id.as_str(), at.0, rows);
    append.projections = vec![ProjectionWrite {
        name: "session".to_owned(),
        key: id.to_string(),
        value: Some(serde_json::to_value(session)?),
    }];
    Ok(append)
}

fn events(home: &Path, number: usize) -> Result<Vec<Event>> {
    let folder = home.to_string_lossy().into_owned();
    let launch = Launch {
        title: Title::parse(&format!("Fix what the reviewer found, part {number}"))?,
        agent: "command".to_owned(),
        argv: vec!["true".to_owned()],
        repo: folder.clone(),
        kind: Kind::InPlace,
        branch: None,
        base: None,
        tags: vec![],
        env: BTreeMap::new(),
        size: Size::BORN,
        on_loss: OnLoss::Stop,
        conversation: None,
        parent: None,
        adopted: None,
    };
    let place = qd_core::Place {
        worktree: folder,
        common_dir: None,
        checkout: None,
        branch: None,
        made_branch: false,
        made_worktree: false,
        base: None,
        receipt: None,
        notes: vec![],
    };
    Ok(vec![
        Event::Created(Box::new(launch)),
        Event::StepBegan(Step::Start),
        Event::PlaceReady(Box::new(place)),
        Event::Started,
        Event::Exited(Some(Exit { code: Some(0), signal: None })),
    ])
}

fn session_id(number: usize) -> Result<SessionId> {
    match SessionId::parse(&format!("bench{number:07}")) {
        Ok(id) => Ok(id),
        Err(error) => fault(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), 3).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (store, log) = Store::open(dir.path(), StoreOptions::default()).unwrap();
            let entries = log.list("session").await.unwrap();
            assert_eq!(entries.len(), 3);
            let session: Session = serde_json::from_value(entries[2].1.clone()).unwrap();
            assert_eq!(session.lifecycle, qd_core::Lifecycle::Exited);
            store.close().await.unwrap();
        });
    }
}
