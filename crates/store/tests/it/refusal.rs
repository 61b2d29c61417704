//! Files that are not ours to use stay as they are; full and read-only places are named.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;

use qd_store::{Append, SCHEMA_VERSION, Store, StoreError, StoreOptions, can_read};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Child, event, one, open};

const READ_ONLY_HOME: &str = "QD_STORE_TEST_READ_ONLY_HOME";
/// Nobody: permission bits do not bind root.
const NOBODY: u32 = 65534;

fn refused(dir: &Path) -> StoreError {
    Store::open(dir, StoreOptions::default()).map(drop).unwrap_err()
}

/// The names and contents of all files of a directory.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

async fn filled(events: u64) -> TempDir {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    for n in 0..events {
        log.append(one("s", n)).await.unwrap();
    }
    store.close().await.unwrap();
    dir
}

#[tokio::test]
async fn a_newer_database_is_refused_untouched() {
    let dir = filled(3).await;
    let path = dir.path().join("quarterdeck.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    let rows = "INSERT INTO programs VALUES ('0.1', 1, 9), ('0.9 ?', 2, 10), ('0.8', 3, 4)";
    conn.execute(rows, []).unwrap();
    conn.close().unwrap();
    let before = contents(dir.path());
    let newer = StoreError::NewerSchema {
        path,
        found: SCHEMA_VERSION + 1,
        supported: SCHEMA_VERSION,
        by: Some("0.9 ?".into()),
    };
    assert_eq!(refused(dir.path()), newer);
    assert_eq!(can_read(dir.path()).unwrap_err(), newer);
    assert_eq!(contents(dir.path()), before);
}

#[tokio::test]
async fn a_newer_database_whose_version_is_still_in_the_wal_is_refused() {
    let dir = filled(3).await;
    let path = dir.path().join("quarterdeck.db");
    // Held open, so that the WAL is not moved into the file, as after a crash.
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    conn.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    let before = (fs::read(&path).unwrap(), fs::read(dir.path().join("quarterdeck.db-wal")));
    assert!(matches!(refused(dir.path()), StoreError::NewerSchema { .. }));
    assert_eq!(fs::read(&path).unwrap(), before.0);
    assert_eq!(fs::read(dir.path().join("quarterdeck.db-wal")).unwrap(), before.1.unwrap());
    drop(conn);
}

#[test]
fn a_file_that_is_no_database_is_refused_untouched() {
    for text in [b"short".to_vec(), b"Dear diary, ".repeat(1000), b"SQLite format 3\0".to_vec()] {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("quarterdeck.db");
        fs::write(&path, &text).unwrap();
        let before = contents(dir.path());
        assert_eq!(refused(dir.path()), StoreError::NotADatabase { path });
        assert_eq!(contents(dir.path()), before);
    }
}

#[test]
fn the_database_of_another_program_is_refused_untouched() {
    for id in [0_u32, 0x1234_5678] {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("quarterdeck.db");
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch("CREATE TABLE recipes (name TEXT); PRAGMA user_version = 7;").unwrap();
        conn.pragma_update(None, "application_id", id).unwrap();
        conn.close().unwrap();
        let before = contents(dir.path());
        assert_eq!(refused(dir.path()), StoreError::ForeignDatabase { path, application_id: id });
        assert_eq!(contents(dir.path()), before);
    }
}

#[tokio::test]
async fn a_damaged_database_is_refused_untouched() {
    let dir = filled(500).await;
    let path = dir.path().join("quarterdeck.db");
    let sound = fs::read(&path).unwrap();
    let middle = sound.len() / 2;
    let mut holed = sound.clone();
    holed[middle..middle + 8192].fill(0xa5);
    for damaged in [&sound[..middle], &holed] {
        fs::write(&path, damaged).unwrap();
        let error = refused(dir.path());
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), damaged);
    }
    fs::write(&path, sound).unwrap();
    let (_store, log) = open(&dir);
    assert_eq!(log.latest(), 500);
}

#[tokio::test]
async fn a_full_disk_is_named_and_loses_nothing_that_was_answered() {
    let dir = TempDir::new().unwrap();
    let options = StoreOptions { max_pages: Some(64), ..StoreOptions::default() };
    let (store, log) = Store::open(dir.path(), options).unwrap();
    let page = "x".repeat(4000);
    let mut answered = 0;
    let error = loop {
        let append = Append::new("s", 0, vec![event("big", json!(page))]);
        match log.append(append).await {
            Ok(appended) => answered = appended.last,
            Err(error) => break error,
        }
        assert!(answered < 1000, "the limit never bites");
    };
    assert_eq!(error, StoreError::DiskFull);
    assert_eq!(log.latest(), answered);
    assert_eq!(log.events(0, 1000).await.unwrap().len() as u64, answered, "reading goes on");
    store.close().await.unwrap();

    let (_store, log) = open(&dir);
    assert_eq!(log.append(one("s", 1)).await.unwrap().first, answered + 1);
}

#[tokio::test]
async fn a_lock_held_by_another_process_is_named() {
    let dir = TempDir::new().unwrap();
    let options =
        StoreOptions { busy_timeout: std::time::Duration::ZERO, ..StoreOptions::default() };
    let (_store, log) = Store::open(dir.path(), options).unwrap();
    let other = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(log.append(one("s", 1)).await, Err(StoreError::Busy));
    assert_eq!(log.events(0, 1).await.unwrap(), []);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(log.append(one("s", 1)).await.unwrap().first, 1);
}

#[test]
fn a_place_where_nothing_can_be_written_is_named() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let error = refused(&dir.path().join("file"));
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    // Not even root may make a directory there.
    #[cfg(target_os = "linux")]
    {
        let error = refused(Path::new("/sys/quarterdeck-test"));
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn the_log_cannot_be_changed_behind_our_back() {
    let dir = filled(2).await;
    let conn = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    for sql in [
        "DELETE FROM events WHERE number = 2",
        "UPDATE events SET data = '1'",
        "UPDATE events SET kind = 'other', data = 'null'",
        "UPDATE events SET number = 9 WHERE number = 2",
    ] {
        let error = conn.execute(sql, []).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{sql}: {error}");
    }
}

/// Not a test of its own: what the child runs, as a user whom permission bits bind.
#[test]
fn read_only_home() {
    let Some(home) = std::env::var_os(READ_ONLY_HOME) else { return };
    let error = refused(home.as_ref());
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[tokio::test]
async fn a_read_only_home_is_named_and_stays_as_it_is() {
    let with_database = filled(3).await;
    let empty = TempDir::new().unwrap();
    let uid = rustix::process::geteuid().is_root().then_some(NOBODY);
    for (dir, home_mode, file_mode) in
        [(&with_database, 0o500, 0o600), (&with_database, 0o700, 0o400), (&empty, 0o500, 0)]
    {
        let path = dir.path().join("quarterdeck.db");
        if path.exists() {
            fs::set_permissions(&path, fs::Permissions::from_mode(file_mode)).unwrap();
            chown(&path, uid, None).unwrap();
        }
        chown(dir.path(), uid, None).unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(home_mode)).unwrap();
        let before = contents(dir.path());
        let child = Child::start("refusal::read_only_home", READ_ONLY_HOME, dir.path(), uid);
        let passed = match child {
            Ok(mut child) => child.passed(),
            // The build directory may be closed to others.
            Err(error) if uid.is_some() => {
                eprintln!("not checked, nobody cannot run the test: {error}");
                true
            }
            Err(error) => panic!("{error}"),
        };
        let after = contents(dir.path());
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(passed, "home {home_mode:o}, file {file_mode:o}");
        assert_eq!(after, before);
    }
}
