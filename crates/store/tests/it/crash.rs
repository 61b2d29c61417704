//! A process that appends is killed without warning: what it was told is there.

use std::io::{BufRead as _, BufReader, Write as _};

use qd_store::{HomeLock, Store, StoreError, StoreOptions};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::support::{Child, mode, one, open};

const HOME: &str = "QD_STORE_TEST_CRASH_HOME";
const TASKS: u64 = 8;

/// Not a test of its own: what the child runs. It appends until it is killed and
/// prints a line for each answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn victim() {
    let Some(home) = std::env::var_os(HOME) else { return };
    // The most generous mask: whatever is private is so by our doing.
    rustix::process::umask(rustix::fs::Mode::empty());
    let _lock = HomeLock::acquire(home.as_ref()).unwrap();
    let (_store, log) = Store::open(home.as_ref(), StoreOptions::default()).unwrap();
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let log = log.clone();
        tasks.spawn(async move {
            for n in 0.. {
                let appended = log.append(one(&format!("s{task}"), n)).await.unwrap();
                let mut out = std::io::stdout().lock();
                writeln!(out, "ack {} s{task} {}", appended.last, appended.version).unwrap();
                out.flush().unwrap();
            }
        });
    }
    tasks.join_next().await;
}

fn parse(line: &str) -> Option<(u64, String, u64)> {
    let mut words = line.strip_prefix("ack ")?.split(' ');
    let number = words.next()?.parse().ok()?;
    let stream = words.next()?.to_owned();
    Some((number, stream, words.next()?.parse().ok()?))
}

#[tokio::test]
async fn every_answered_append_survives_a_kill() {
    let dir = TempDir::new().unwrap();
    let mut answered = Vec::new();
    for round in 1..=4 {
        let mut victim = Child::start("crash::victim", HOME, dir.path(), None).unwrap();
        let mut lines = BufReader::new(victim.stdout()).lines();
        let enough = answered.len() + 150 * round;
        while answered.len() < enough {
            let line = lines.next().expect("the child runs until it is killed").unwrap();
            answered.extend(parse(&line));
        }
        // It holds the home as long as it lives.
        let pid = Some(victim.id());
        assert_eq!(HomeLock::acquire(dir.path()).unwrap_err(), StoreError::InUse { pid });
        for name in ["lock", "quarterdeck.db", "quarterdeck.db-wal", "quarterdeck.db-shm"] {
            assert_eq!(mode(&dir.path().join(name)), 0o600, "{name}");
        }
        victim.kill();
        // What it printed before it died counts; the last line may be cut short.
        answered.extend(lines.map_while(Result::ok).filter_map(|line| parse(&line)));

        let _lock = HomeLock::acquire(dir.path()).expect("the lock died with the process");
        let (store, log) = open(&dir);
        let mut events = Vec::new();
        loop {
            let more = log.events(events.len() as u64, 1000).await.unwrap();
            if more.is_empty() {
                break;
            }
            events.extend(more);
        }
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event.number, index as u64 + 1, "no gap");
        }
        assert_eq!(log.latest(), events.len() as u64);
        for (number, stream, version) in &answered {
            let event = &events[*number as usize - 1];
            assert_eq!((&event.stream, event.version), (stream, *version), "round {round}");
        }
        store.close().await.unwrap();
    }
}
