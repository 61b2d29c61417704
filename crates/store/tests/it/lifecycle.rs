//! Modes, the home lock, closing and dropping.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use qd_store::{HomeLock, Store, StoreError, StoreOptions, Warning};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::support::{PATIENCE, mode, one, open};

#[tokio::test]
async fn everything_in_the_home_is_private() {
    let dir = TempDir::new().unwrap();
    let home = dir.path().join("deep").join("home");
    let (store, log) = Store::open(&home, StoreOptions::default()).unwrap();
    log.append(one("s", 1)).await.unwrap();
    assert_eq!(mode(&home), 0o700);
    for name in ["quarterdeck.db", "quarterdeck.db-wal", "quarterdeck.db-shm"] {
        assert_eq!(mode(&home.join(name)), 0o600, "{name}");
    }
    store.close().await.unwrap();

    // A home that was opened up is closed again.
    fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(home.join("quarterdeck.db"), fs::Permissions::from_mode(0o664)).unwrap();
    let (store, log) = Store::open(&home, StoreOptions::default()).unwrap();
    log.append(one("s", 2)).await.unwrap();
    assert_eq!(store.warnings(), []);
    assert_eq!(mode(&home), 0o700);
    for name in ["quarterdeck.db", "quarterdeck.db-wal", "quarterdeck.db-shm"] {
        assert_eq!(mode(&home.join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_directory_that_holds_other_things_keeps_its_mode() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("thesis.txt"), "mine").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (store, _log) = open(&dir);
    assert_eq!(mode(dir.path()), 0o755);
    let warning = Warning::OpenHome { path: dir.path().into(), mode: 0o755 };
    assert_eq!(store.warnings(), [warning]);
    assert_eq!(mode(&dir.path().join("quarterdeck.db")), 0o600);
}

#[tokio::test]
async fn close_empties_the_wal_and_later_callers_hear_closed() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    log.append(one("s", 1)).await.unwrap();
    store.close().await.unwrap();
    assert_eq!(log.append(one("s", 2)).await, Err(StoreError::Closed));
    assert_eq!(log.events(0, 1).await, Err(StoreError::Closed));
    assert_eq!(log.reserve("s", 1).await, Err(StoreError::Closed));
    let names: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["quarterdeck.db"], "no side files are left");
    let (_store, log) = open(&dir);
    assert_eq!(log.latest(), 1);
}

#[tokio::test]
async fn close_carries_out_what_was_queued_and_refuses_the_rest() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    // Queued before the close, in the order of the join.
    let (first, second, closed) =
        tokio::join!(log.append(one("s", 1)), log.append(one("s", 2)), store.close());
    closed.unwrap();
    assert_eq!((first.unwrap().last, second.unwrap().last), (1, 2));
}

#[tokio::test]
async fn dropping_the_owner_ends_the_threads() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    log.append(one("s", 1)).await.unwrap();
    let mut watch = log.subscribe();
    drop(store);
    // The watch ends when the writer does.
    let ended = async { while watch.changed().await.is_ok() {} };
    timeout(PATIENCE, ended).await.unwrap();
    assert_eq!(log.append(one("s", 2)).await, Err(StoreError::Closed));
    assert_eq!(log.list("p").await, Err(StoreError::Closed));
}

#[test]
fn a_home_has_one_holder() {
    let dir = TempDir::new().unwrap();
    let home = dir.path().join("home");
    let lock = HomeLock::acquire(&home).unwrap();
    assert_eq!(mode(&home), 0o700);
    assert_eq!(mode(&home.join("lock")), 0o600);
    let text = fs::read_to_string(home.join("lock")).unwrap();
    assert_eq!(text.trim(), std::process::id().to_string());
    let second = HomeLock::acquire(&home).unwrap_err();
    assert_eq!(second, StoreError::InUse { pid: Some(std::process::id()) });
    drop(lock);
    let again = HomeLock::acquire(&home).unwrap();
    drop(again);
    // A stale id in the file means nothing.
    fs::write(home.join("lock"), "1\n").unwrap();
    HomeLock::acquire(&home).unwrap();
}
