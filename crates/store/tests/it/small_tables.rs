//! Devices, login codes, sequence numbers, answers and meta.

use qd_store::{Device, LoginCode, NewDevice, RESPONSE_LIFETIME_MS, Remember, StoreError};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::support::open;

fn device(id: &str, token: u8) -> NewDevice {
    NewDevice { id: id.into(), name: "Phone".into(), token_hash: [token; 32], created_at_ms: 10 }
}

#[tokio::test]
async fn a_revoked_device_no_longer_answers_to_its_token() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    log.add_device(device("d1", 1)).await.unwrap();
    log.add_device(device("d2", 2)).await.unwrap();
    for taken in [device("d1", 3), device("d3", 1)] {
        let exists = StoreError::DeviceExists { id: taken.id.clone() };
        assert_eq!(log.add_device(taken).await, Err(exists));
    }
    assert!(log.device_seen("d1", 50).await.unwrap());
    assert!(log.device_seen("d1", 40).await.unwrap());
    assert!(!log.device_seen("nobody", 40).await.unwrap());
    let found = log.device_by_token([1; 32]).await.unwrap().unwrap();
    let expected = Device {
        id: "d1".into(),
        name: "Phone".into(),
        created_at_ms: 10,
        last_seen_ms: Some(50),
        revoked_at_ms: None,
    };
    assert_eq!(found, expected);
    assert_eq!(log.device_by_token([9; 32]).await.unwrap(), None);
    assert!(log.revoke_device("d1", 60).await.unwrap());
    assert!(!log.revoke_device("d1", 70).await.unwrap());
    assert_eq!(log.device_by_token([1; 32]).await.unwrap(), None);
    store.close().await.unwrap();

    let (_store, log) = open(&dir);
    let devices = log.devices().await.unwrap();
    assert_eq!(devices.len(), 2);
    assert_eq!(devices[0], Device { revoked_at_ms: Some(60), ..expected });
    assert!(log.device_by_token([2; 32]).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_login_code_is_accepted_once_of_many() {
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    log.add_login_code([7; 32], 1_000, 0).await.unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..50 {
        let log = log.clone();
        tasks.spawn(async move { log.take_login_code([7; 32], 999).await.unwrap() });
    }
    let mut answers = Vec::new();
    while let Some(answer) = tasks.join_next().await {
        answers.push(answer.unwrap());
    }
    assert_eq!(answers.iter().filter(|a| **a == LoginCode::Accepted).count(), 1);
    assert_eq!(answers.iter().filter(|a| **a == LoginCode::Used).count(), 49);

    log.add_login_code([8; 32], 1_000, 0).await.unwrap();
    assert_eq!(log.take_login_code([8; 32], 1_000).await.unwrap(), LoginCode::Expired);
    assert_eq!(log.take_login_code([9; 32], 0).await.unwrap(), LoginCode::Unknown);
}

#[tokio::test]
async fn a_reserved_mark_never_goes_down() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    assert_eq!(log.reserved("s").await.unwrap(), 0);
    assert_eq!(log.reserve("s", 4096).await.unwrap(), 4096);
    assert_eq!(log.reserve("s", 100).await.unwrap(), 4096);
    assert_eq!(log.reserve("t", 1).await.unwrap(), 1);
    let huge = log.reserve("s", u64::MAX).await.unwrap_err();
    assert_eq!(huge, StoreError::OutOfRange { what: "sequence number", value: u64::MAX });
    store.close().await.unwrap();
    let (_store, log) = open(&dir);
    assert_eq!(log.reserved("s").await.unwrap(), 4096);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_who_ask_with_one_key_get_the_first_answer_until_it_expires() {
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    let remember = |fingerprint: &str, response: Value, at_ms| Remember {
        key: "k".into(),
        fingerprint: fingerprint.into(),
        response,
        at_ms,
    };
    assert_eq!(log.recall("k", "f", 0).await.unwrap(), None);
    let mut tasks = JoinSet::new();
    for n in 0..50 {
        let (log, asked) = (log.clone(), remember("f", json!({ "n": n }), 100));
        tasks.spawn(async move { log.remember(asked).await.unwrap() });
    }
    let kept = log.remember(remember("f", json!("late"), 100)).await.unwrap();
    while let Some(answer) = tasks.join_next().await {
        assert_eq!(answer.unwrap(), kept);
    }
    let last = 100 + RESPONSE_LIFETIME_MS - 1;
    assert_eq!(log.recall("k", "f", last).await.unwrap(), Some(kept));
    let conflict = StoreError::IdempotencyConflict { key: "k".into() };
    assert_eq!(log.recall("k", "g", last).await, Err(conflict.clone()));
    assert_eq!(log.remember(remember("g", json!(1), last)).await, Err(conflict));

    assert_eq!(log.recall("k", "f", last + 1).await.unwrap(), None);
    assert_eq!(log.remember(remember("g", json!(1), last + 1)).await.unwrap(), json!(1));
}

#[tokio::test]
async fn the_first_id_of_the_home_stays() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    assert_eq!(log.init_meta("home", "one").await.unwrap(), "one");
    assert_eq!(log.init_meta("home", "two").await.unwrap(), "one");
    store.close().await.unwrap();
    let (_store, log) = open(&dir);
    assert_eq!(log.init_meta("home", "three").await.unwrap(), "one");
}

#[tokio::test]
async fn programs_are_noted_with_their_first_and_last_time() {
    let dir = TempDir::new().unwrap();
    let (store, handle) = open(&dir);
    for (version, at) in [("0.1", 5), ("0.2", 7), ("0.1", 9), ("0.1", 3)] {
        handle.note_program(version, at).await.unwrap();
    }
    store.close().await.unwrap();
    let conn = rusqlite::Connection::open(dir.path().join("quarterdeck.db")).unwrap();
    let mut rows = conn.prepare("SELECT * FROM programs ORDER BY version").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let rows: Vec<(String, i64, i64)> = rows.map(Result::unwrap).collect();
    assert_eq!(rows, [("0.1".to_owned(), 5, 9), ("0.2".to_owned(), 7, 7)]);
}
