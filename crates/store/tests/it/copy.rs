//! A copy of the database while somebody writes to it.

use qd_store::{Append, DatabaseCopy, ProjectionWrite, Store, StoreError, StoreOptions};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{event, mode, one, open};

/// An append after which the projection holds the number of the event.
fn counted(n: u64) -> Append {
    let value = Some(json!(n));
    let write = ProjectionWrite { name: "count".into(), key: "n".into(), value };
    Append { projections: vec![write], ..Append::new("s", 0, vec![event("k", json!(n))]) }
}

#[tokio::test]
async fn a_copy_is_of_one_moment_while_the_store_is_written_to() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    log.append(counted(1)).await.unwrap();
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let writer = async {
        let mut n = 1;
        while stopped.try_recv() == Err(tokio::sync::oneshot::error::TryRecvError::Empty) {
            n += 1;
            log.append(counted(n)).await.unwrap();
        }
        n
    };
    let copies = async {
        let mut last = 0;
        for round in 0..5 {
            let (home, to) = (dir.path().to_owned(), dir.path().join(format!("copy-{round}")));
            let making = tokio::task::spawn_blocking(move || DatabaseCopy::make(&home, &to));
            let copy = making.await.unwrap().unwrap();
            let latest = copy.latest().unwrap();
            assert_eq!(copy.list("count").unwrap(), [("n".to_owned(), json!(latest))]);
            assert!(latest >= last);
            assert_eq!(mode(copy.path()), 0o600);
            last = latest;
        }
        drop(stop);
        last
    };
    let (written, copied) = tokio::join!(writer, copies);
    assert!(copied > 1 && copied <= written, "{copied} of {written}");
    store.close().await.unwrap();

    // A copy opens as a home's database.
    let home = TempDir::new().unwrap();
    std::fs::rename(dir.path().join("copy-4"), home.path().join("quarterdeck.db")).unwrap();
    let (_store, log) = open(&home);
    assert_eq!(log.latest(), copied);
    assert_eq!(log.append(one("t", 1)).await.unwrap().first, copied + 1);
}

#[tokio::test]
async fn a_copy_holds_what_a_killed_daemon_left_in_the_wal() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    log.append(one("s", 1)).await.unwrap();
    store.close().await.unwrap();
    let held = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    held.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    held.execute("INSERT INTO projections VALUES ('p', 'k', '7')", []).unwrap();
    let copy = DatabaseCopy::make(dir.path(), &dir.path().join("copy")).unwrap();
    assert_eq!(copy.list("p").unwrap(), [("k".to_owned(), json!(7))]);
    assert_eq!(copy.schema_version().unwrap(), qd_store::SCHEMA_VERSION);
}

#[tokio::test]
async fn what_is_no_sound_database_is_not_copied() {
    let dir = TempDir::new().unwrap();
    let to = dir.path().join("copy");
    let error = DatabaseCopy::make(dir.path(), &to).unwrap_err();
    assert!(
        matches!(error, StoreError::Io { kind: std::io::ErrorKind::NotFound, .. }),
        "{error:?}"
    );
    std::fs::write(dir.path().join("quarterdeck.db"), "Dear diary, ".repeat(100)).unwrap();
    let error = DatabaseCopy::make(dir.path(), &to).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error:?}");
    assert!(!to.exists());

    let dir = TempDir::new().unwrap();
    let options = StoreOptions::default();
    let (store, log) = Store::open(dir.path(), options).unwrap();
    for n in 0..500 {
        log.append(one("s", n)).await.unwrap();
    }
    store.close().await.unwrap();
    let path = dir.path().join("quarterdeck.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let error = DatabaseCopy::make(dir.path(), &dir.path().join("copy")).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(!dir.path().join("copy").exists());
}

#[tokio::test]
async fn an_existing_file_is_not_copied_over() {
    let dir = TempDir::new().unwrap();
    let (_store, _log) = open(&dir);
    let to = dir.path().join("copy");
    std::fs::write(&to, "mine").unwrap();
    DatabaseCopy::make(dir.path(), &to).unwrap_err();
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "mine");
}
