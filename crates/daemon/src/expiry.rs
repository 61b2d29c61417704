//! Ending by itself what has been in the trash for long.
//!
//! The clock of a machine may jump: by a wrong battery, a person, a virtual machine that slept. So
//! what is purged must be old by the clock, and also have been seen in the trash by daemons for a
//! while of time that passed for certain.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Action, Millis, SessionId, TRASH_KEEPS};
use tokio::sync::oneshot;

use crate::message::SessionMessage;
use crate::shared::Shared;

/// How long daemons must have seen a session in the trash, in seconds of their own running time.
const SEEN_FOR: u64 = 24 * 3600;
/// How often is looked.
const EVERY: Duration = Duration::from_secs(600);

/// For how long each session was seen in the trash, in seconds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen(BTreeMap<SessionId, u64>);

/// A session in the trash.
struct Trashed {
    id: SessionId,
    version: u64,
    since: Millis,
}

/// Looks every few minutes until the daemon stops.
pub(crate) async fn run(shared: Arc<Shared>) {
    let file = shared.home.root().join("trash").join("seen.json");
    let mut seen = read(&file);
    let mut last = shared.clock.uptime();
    while shared.clock.wait(EVERY, &shared.stop).await {
        let now = shared.clock.uptime();
        let passed = now.saturating_sub(last).as_secs();
        last += Duration::from_secs(passed);
        let trashed = trashed(&shared);
        let due = seen.pass(passed, shared.clock.now(), &trashed);
        write(&file, &seen);
        for (id, version) in due {
            purge(&shared, &id, version).await;
        }
    }
}

impl Seen {
    /// Time has passed, in seconds, with these sessions in the trash. Gives those that are due.
    fn pass(&mut self, seconds: u64, now: Millis, trashed: &[Trashed]) -> Vec<(SessionId, u64)> {
        self.0.retain(|id, _| trashed.iter().any(|session| session.id == *id));
        let mut due = Vec::new();
        for session in trashed {
            // The time before it was first seen is not known to have passed.
            let seen = match self.0.get_mut(&session.id) {
                Some(seen) => {
                    *seen = seen.saturating_add(seconds);
                    *seen
                }
                None => *self.0.entry(session.id.clone()).or_default(),
            };
            let old = now.since(session.since) >= TRASH_KEEPS.unsigned_abs();
            if old && seen >= SEEN_FOR {
                due.push((session.id.clone(), session.version));
            }
        }
        due
    }
}

fn trashed(shared: &Shared) -> Vec<Trashed> {
    let registry = shared.registry.borrow();
    let in_trash = |(id, entry): (&SessionId, &crate::shared::Entry)| {
        let shown = entry.view.borrow();
        let there = shown.view.state == "trashed" && shown.view.pending.is_none();
        let (version, since) = (shown.view.version, shown.changed_at);
        there.then(|| Trashed { id: id.clone(), version, since })
    };
    registry.iter().filter_map(in_trash).collect()
}

/// Only if it is as it was seen: one that was restored meanwhile stays.
async fn purge(shared: &Shared, id: &SessionId, version: u64) {
    let Some(address) = shared.registry.borrow().get(id).map(|entry| entry.address.clone()) else {
        return;
    };
    tracing::info!(session = %id, "it has been in the trash for 14 days and is purged");
    let (reply, answer) = oneshot::channel();
    let message = SessionMessage::Act { action: Action::Purge, expect: Some(version), reply };
    if address.send(message).await.is_ok()
        && let Ok(Err(problem)) = answer.await
    {
        tracing::info!(session = %id, %problem, "it was not purged");
    }
}

fn read(file: &Path) -> Seen {
    // Without it the time begins anew, and nothing is purged early.
    let bytes = std::fs::read(file).unwrap_or_default();
    Seen(serde_json::from_slice(&bytes).unwrap_or_default())
}

fn write(file: &Path, seen: &Seen) {
    let written = serde_json::to_vec(&seen.0)
        .map_err(std::io::Error::other)
        .and_then(|bytes| crate::home::write_private(file, &bytes));
    if let Err(error) = written {
        tracing::warn!(%error, "how long sessions were in the trash was not written down");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3600;
    const DAY: i64 = 24 * 3_600_000;

    fn session(since: i64) -> Trashed {
        Trashed { id: SessionId::from_random([1; 12]), version: 7, since: Millis(since) }
    }

    #[test]
    fn it_is_due_after_fourteen_days_and_not_before() {
        let (mut seen, trashed) = (Seen::default(), [session(5)]);
        assert!(seen.pass(0, Millis(5), &trashed).is_empty());
        for day in 0..14 {
            let due = seen.pass(24 * HOUR, Millis(day * DAY), &trashed);
            assert!(due.is_empty(), "on day {day}");
        }
        assert!(seen.pass(HOUR, Millis(5 + 14 * DAY - 1), &trashed).is_empty());
        let due = seen.pass(0, Millis(5 + 14 * DAY), &trashed);
        assert_eq!(due, [(trashed[0].id.clone(), 7)]);
    }

    #[test]
    fn a_clock_that_jumps_ends_nothing_early() {
        let (mut seen, trashed) = (Seen::default(), [session(0)]);
        let later = Millis(1000 * DAY);
        // A daemon that was away for long counts nothing of it.
        assert!(seen.pass(1000 * 24 * HOUR, later, &trashed).is_empty(), "first seen just now");
        assert!(seen.pass(23 * HOUR, later, &trashed).is_empty());
        // The clock is put right: it waits its 14 days.
        assert!(seen.pass(2 * HOUR, Millis(2 * DAY), &trashed).is_empty());
        assert!(seen.pass(2 * HOUR, Millis(-DAY), &trashed).is_empty(), "and backwards");
        assert_eq!(seen.pass(0, Millis(14 * DAY), &trashed).len(), 1);
    }

    #[test]
    fn what_was_restored_begins_anew_and_the_rest_outlives_the_daemon() {
        let (mut seen, trashed) = (Seen::default(), [session(0)]);
        seen.pass(0, Millis(0), &trashed);
        seen.pass(23 * HOUR, Millis(DAY), &trashed);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("seen.json");
        write(&file, &seen);
        assert_eq!(read(&file), seen);
        assert!(seen.pass(HOUR, Millis(DAY), &[]).is_empty(), "it was restored");
        seen.pass(0, Millis(20 * DAY), &trashed);
        assert!(seen.pass(2 * HOUR, Millis(20 * DAY), &trashed).is_empty());
        let mut again = read(&file);
        assert_eq!(again.pass(HOUR, Millis(20 * DAY), &trashed).len(), 1);
        std::fs::write(&file, "x").unwrap();
        assert_eq!(read(&file), Seen::default());
    }
}
