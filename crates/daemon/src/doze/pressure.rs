//! When the machine is short of memory the session that has been idle longest is hibernated, one
//! at a time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Action, SessionId};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Usage, usage};
use crate::message::{SessionAddress, SessionMessage};
use crate::shared::Registry;

/// Share of the last ten seconds, in percent, in which some task waited for memory.
const THRESHOLD: f64 = 10.0;
/// The least time that a session must have been idle for.
const LEAST: Duration = Duration::from_secs(60);

/// Where pressure is read, and how often.
#[derive(Clone, Debug)]
pub(crate) struct Pressure {
    /// A file as Linux has it for its pressure stall information.
    pub(crate) file: PathBuf,
    pub(crate) every: Duration,
}

impl Default for Pressure {
    fn default() -> Self {
        // The figure is an average of ten seconds.
        Self { file: "/proc/pressure/memory".into(), every: Duration::from_secs(10) }
    }
}

/// A session that may be hibernated if need be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Since when nothing was printed or typed.
    pub(crate) since: Instant,
    /// The process that all of its others are below.
    pub(crate) root: u32,
    /// The version of its state that this is true of.
    pub(crate) version: u64,
    /// It comes back as it was only if nothing but its program runs.
    pub(crate) alone: bool,
}

impl Candidate {
    /// Whether what runs there can be ended and come back.
    pub(crate) fn comes_back(&self, usage: Usage) -> bool {
        // The init, and the program.
        !self.alone || usage.processes <= 2
    }
}

/// Watches until the daemon stops.
pub(crate) async fn watch(
    registry: watch::Receiver<Arc<Registry>>,
    pressure: Pressure,
    stop: CancellationToken,
) {
    let sessions = || {
        let registry = registry.borrow();
        registry.iter().map(|(id, entry)| (id.clone(), entry.address.clone())).collect()
    };
    watch_those(sessions, pressure, stop).await;
}

async fn watch_those(
    sessions: impl Fn() -> Vec<(SessionId, SessionAddress)>,
    pressure: Pressure,
    stop: CancellationToken,
) {
    // What each had used when it was last looked at, under this same pressure.
    let mut seen: HashMap<SessionId, (Instant, Usage)> = HashMap::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pressure.every) => {}
        }
        let Some(avg10) = read(&pressure.file) else {
            tracing::warn!(file = %pressure.file.display(), "memory pressure cannot be read");
            return;
        };
        if avg10 < THRESHOLD {
            seen.clear();
            continue;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = relieve(sessions(), &mut seen) => {}
        }
    }
}

/// Hibernates the session that has been idle longest and has used nothing since the last look.
async fn relieve(
    sessions: Vec<(SessionId, SessionAddress)>,
    seen: &mut HashMap<SessionId, (Instant, Usage)>,
) {
    let now = Instant::now();
    let mut candidates = Vec::new();
    for (id, address) in sessions {
        let (reply, answer) = oneshot::channel();
        if address.send(SessionMessage::Idle { reply }).await.is_ok()
            && let Ok(Ok(Some(candidate))) = answer.await
            && now.saturating_duration_since(candidate.since) >= LEAST
        {
            candidates.push((candidate, id, address));
        }
    }
    candidates.sort_by_key(|(candidate, ..)| candidate.since);
    let before = std::mem::take(seen);
    let mut relieved = false;
    for (candidate, id, address) in candidates {
        let root = candidate.root;
        let Ok(Some(used)) = tokio::task::spawn_blocking(move || usage(root)).await else {
            continue;
        };
        let idle = before.get(&id).is_some_and(|(at, before)| {
            candidate.comes_back(used)
                && *at >= candidate.since
                && !used.is_busy_since(*before, now.saturating_duration_since(*at))
        });
        if idle && !relieved {
            relieved = hibernate(&id, &address, candidate.version).await;
        }
        seen.insert(id, (now, used));
    }
}

/// Whether it was begun; not when anything changed meanwhile.
async fn hibernate(id: &SessionId, address: &SessionAddress, version: u64) -> bool {
    let (reply, answer) = oneshot::channel();
    let message = SessionMessage::Act { action: Action::Hibernate, expect: Some(version), reply };
    let begun = address.send(message).await.is_ok() && matches!(answer.await, Ok(Ok(_)));
    if begun {
        tracing::info!(session = %id, "hibernated: memory is short, and it has been idle longest");
    }
    begun
}

/// `some avg10` of a pressure file.
fn read(file: &std::path::Path) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split(' ').find_map(|word| word.strip_prefix("avg10="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use tokio::task::JoinSet;

    use super::*;

    fn pressed(avg10: f64) -> String {
        format!("some avg10={avg10:.2} avg60=0.00 avg300=0.00 total=9\nfull avg10=99.00 total=9\n")
    }

    #[test]
    fn the_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory");
        assert_eq!(read(&file), None);
        std::fs::write(&file, pressed(12.5)).unwrap();
        assert_eq!(read(&file), Some(12.5));
        std::fs::write(&file, "full avg10=1.00").unwrap();
        assert_eq!(read(&file), None);
    }

    /// A stand-in for a session's owner: says since when it is idle, and who was hibernated.
    fn owner(
        tasks: &mut JoinSet<()>,
        told: mpsc::Sender<&'static str>,
        name: &'static str,
        candidate: Option<Candidate>,
    ) -> crate::message::SessionAddress {
        let (address, mut messages) = mpsc::channel(8);
        tasks.spawn(async move {
            let mut candidate = candidate;
            while let Some(message) = messages.recv().await {
                match message {
                    SessionMessage::Idle { reply } => drop(reply.send(Ok(candidate))),
                    SessionMessage::Act { action: Action::Hibernate, expect, reply } => {
                        assert_eq!(expect, candidate.map(|candidate| candidate.version));
                        candidate = None;
                        told.send(name).await.unwrap();
                        drop(reply.send(Ok(qd_api::Operation {
                            id: name.to_owned(),
                            session: name.to_owned(),
                            step: "hibernate".to_owned(),
                            of: 1,
                            state: "running".to_owned(),
                        })));
                    }
                    _ => {}
                }
            }
        });
        address
    }

    #[tokio::test]
    async fn the_longest_idle_goes_first_one_at_a_time_while_memory_is_short() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory");
        std::fs::write(&file, pressed(0.0)).unwrap();
        let mut tasks = JoinSet::new();
        let (told, mut hibernated) = mpsc::channel(8);
        let now = Instant::now();
        // One that does nothing: this process is busy with other tests.
        #[expect(clippy::disallowed_methods, reason = "a test needs a process that rests")]
        let mut rests = tokio::process::Command::new("sleep");
        let rests = rests.arg("1000").kill_on_drop(true).spawn().unwrap();
        let root = rests.id().unwrap();
        let since = |seconds| Candidate {
            since: now.checked_sub(Duration::from_secs(seconds)).unwrap(),
            root,
            version: seconds,
            alone: false,
        };
        let alone = Candidate { alone: true, root: 1, ..since(900) };
        let mut entries = Vec::new();
        for (name, candidate) in [
            ("recent", Some(since(10))),
            ("watched", None),
            ("second", Some(since(300))),
            ("first", Some(since(600))),
            // More than a program runs there, if only that of this test's machine.
            ("with-others", Some(alone)),
        ] {
            let address = owner(&mut tasks, told.clone(), name, candidate);
            entries.push((name, address));
        }
        let sessions: Vec<_> = (0..)
            .zip(&entries)
            .map(|(n, (_, address))| (SessionId::from_random([n; SessionId::LEN]), address.clone()))
            .collect();
        let stop = CancellationToken::new();
        let every = Duration::from_millis(200);
        let pressure = Pressure { file: file.clone(), every };
        let watched = stop.clone();
        tasks.spawn(async move {
            watch_those(move || sessions.clone(), pressure, watched).await;
        });
        // Nothing happens while there is room.
        let early = tokio::time::timeout(3 * every, hibernated.recv()).await;
        assert!(early.is_err(), "{early:?}");
        std::fs::write(&file, pressed(30.0)).unwrap();
        assert_eq!(hibernated.recv().await, Some("first"));
        assert_eq!(hibernated.recv().await, Some("second"));
        let more = tokio::time::timeout(3 * every, hibernated.recv()).await;
        assert!(more.is_err(), "{more:?}");
        stop.cancel();
    }
}
