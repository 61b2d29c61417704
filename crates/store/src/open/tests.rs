use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::schema::STEPS;
use crate::{Append, NewEvent, Store};

const V2: Step = Step {
    to: 2,
    sql: "ALTER TABLE projections ADD COLUMN note TEXT; CREATE TABLE extra (id INTEGER) STRICT;",
};
const V3_BROKEN: Step =
    Step { to: 3, sql: "CREATE TABLE half (id INTEGER) STRICT; INSERT INTO nowhere VALUES (1);" };

async fn at_version_one(events: i64) -> TempDir {
    let dir = TempDir::new().unwrap();
    let (store, log) = Store::open_with(dir.path(), &StoreOptions::default(), &STEPS[..1]).unwrap();
    for n in 0..events {
        let event = NewEvent { kind: "k".into(), data: json!(n) };
        log.append(Append::new("s", n, vec![event])).await.unwrap();
    }
    store.close().await.unwrap();
    dir
}

fn with(extra: &[Step]) -> Vec<Step> {
    STEPS[..1].iter().chain(extra).copied().collect()
}

fn copies(dir: &TempDir) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir.path().join("backups")) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn count(conn: &Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn an_older_database_is_copied_and_then_migrated() {
    let dir = at_version_one(5).await;
    let (store, log) =
        Store::open_with(dir.path(), &StoreOptions::default(), &with(&[V2])).unwrap();
    assert_eq!(log.latest(), 5);
    let event = NewEvent { kind: "k".into(), data: json!("after") };
    assert_eq!(log.append(Append::new("s", 9, vec![event])).await.unwrap().first, 6);
    store.close().await.unwrap();

    let conn = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    assert_eq!(schema::version(&conn).unwrap(), 2);
    assert_eq!(count(&conn, "SELECT count(*) FROM extra"), 0);

    let path = dir.path().join("backups/quarterdeck-v1-1.db");
    assert_eq!(copies(&dir), std::slice::from_ref(&path));
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let copy = Connection::open(path).unwrap();
    assert_eq!(schema::version(&copy).unwrap(), 1);
    assert_eq!(count(&copy, "SELECT count(*) FROM events"), 5);

    // At the right version nothing is copied again.
    Store::open_with(dir.path(), &StoreOptions::default(), &with(&[V2])).unwrap();
    assert_eq!(copies(&dir).len(), 1);
}

#[tokio::test]
async fn the_copy_holds_what_is_only_in_the_wal() {
    let dir = at_version_one(1).await;
    // Kept open, so that nobody moves the WAL into the file.
    let open = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    open.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    open.execute("INSERT INTO meta VALUES ('only', 'in the wal')", []).unwrap();
    let opened = super::open(dir.path(), &StoreOptions::default(), &with(&[V2])).unwrap();
    let copy = Connection::open(&copies(&dir)[0]).unwrap();
    assert_eq!(count(&copy, "SELECT count(*) FROM meta"), 1);
    drop(opened);
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_version_before_it() {
    let dir = at_version_one(5).await;
    let steps = with(&[V2, V3_BROKEN]);
    for attempt in 1..=2 {
        let error =
            Store::open_with(dir.path(), &StoreOptions::default(), &steps).map(drop).unwrap_err();
        assert!(matches!(error, StoreError::Migration { to: 3, .. }), "{error:?}");
        let conn = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
        assert_eq!(schema::version(&conn).unwrap(), 2, "attempt {attempt}");
        let half = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'";
        assert_eq!(count(&conn, half), 0);
        assert_eq!(count(&conn, "SELECT count(*) FROM events"), 5);
    }
    let names = ["quarterdeck-v1-1.db", "quarterdeck-v2-1.db"];
    assert_eq!(copies(&dir), names.map(|name| dir.path().join("backups").join(name)));
}

#[tokio::test]
async fn without_a_copy_there_is_no_migration() {
    let dir = at_version_one(1).await;
    std::fs::write(dir.path().join("backups"), "a file in the way").unwrap();
    let error =
        Store::open_with(dir.path(), &StoreOptions::default(), &with(&[V2])).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::Backup { .. }), "{error:?}");
    let conn = Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    assert_eq!(schema::version(&conn).unwrap(), 1);
}
