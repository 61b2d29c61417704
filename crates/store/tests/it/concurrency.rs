//! Many at once: one winner per version, no gap, each answered on its own.

use std::collections::BTreeSet;

use qd_store::{Append, Expect, NewOutboxItem, ProjectionWrite, Store, StoreError, StoreOptions};
use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::support::{one, open};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_fifty_appends_to_one_version_exactly_one_wins() {
    const TASKS: u64 = 50;
    const ROUNDS: u64 = 20;
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    for round in 0..ROUNDS {
        let mut tasks = JoinSet::new();
        for task in 0..TASKS {
            let log = log.clone();
            tasks.spawn(async move {
                let append = Append { expect: Expect::Version(round), ..one("s", task) };
                log.append(append).await
            });
        }
        let mut won = 0;
        while let Some(answer) = tasks.join_next().await {
            match answer.unwrap() {
                Ok(appended) => {
                    assert_eq!(appended.version, round + 1);
                    won += 1;
                }
                Err(error) => assert_eq!(
                    error,
                    StoreError::VersionConflict {
                        stream: "s".into(),
                        expected: Expect::Version(round),
                        actual: round + 1,
                    }
                ),
            }
        }
        assert_eq!(won, 1, "round {round}");
    }
    assert_eq!(log.latest(), ROUNDS);
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_have_no_gap_although_many_requests_of_a_batch_fail() {
    const TASKS: u64 = 40;
    const EACH: u64 = 25;
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    let owed =
        |kind: &str| NewOutboxItem { kind: kind.into(), data: json!(null), key: "taken".into() };
    let taken = Append { outbox: vec![owed("push")], ..one("taken", 0) };
    log.append(taken).await.unwrap();
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let log = log.clone();
        tasks.spawn(async move {
            let stream = format!("s{task}");
            let mut numbers = Vec::new();
            for n in 0..EACH {
                // Fails at its outbox item, after the events and the projection.
                let mut bad = one(&stream, n);
                let write =
                    ProjectionWrite { name: "p".into(), key: "bad".into(), value: Some(json!(1)) };
                bad.projections.push(write);
                bad.outbox.push(owed("other"));
                let conflict = StoreError::IdempotencyConflict { key: "taken".into() };
                assert_eq!(log.append(bad).await, Err(conflict));
                let good = Append { expect: Expect::Version(n), ..one(&stream, n) };
                numbers.push(log.append(good).await.unwrap().first);
            }
            numbers
        });
    }
    let mut acknowledged = BTreeSet::from([1]);
    while let Some(numbers) = tasks.join_next().await {
        for number in numbers.unwrap() {
            assert!(acknowledged.insert(number), "{number} was given twice");
        }
    }
    let all: BTreeSet<u64> = (1..=TASKS * EACH + 1).collect();
    assert_eq!(acknowledged, all);
    let stored: BTreeSet<u64> =
        log.events(0, 5000).await.unwrap().into_iter().map(|e| e.number).collect();
    assert_eq!(stored, all);
    assert!(log.list("p").await.unwrap().iter().all(|(key, _)| key != "bad"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_key_asked_for_many_times_at_once_is_one_append() {
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    let mut tasks = JoinSet::new();
    for _ in 0..50 {
        let log = log.clone();
        tasks.spawn(async move {
            let append = Append { idempotency: Some("once".into()), ..one("s", 1) };
            log.append(append).await.unwrap()
        });
    }
    let mut fresh = 0;
    while let Some(appended) = tasks.join_next().await {
        let appended = appended.unwrap();
        assert_eq!((appended.first, appended.last, appended.version), (1, 1, 1));
        fresh += usize::from(!appended.repeated);
    }
    assert_eq!(fresh, 1);
    assert_eq!(log.latest(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_makes_senders_wait_and_an_abandoned_append_is_kept() {
    let dir = TempDir::new().unwrap();
    let options = StoreOptions { queue: 1, ..StoreOptions::default() };
    let (store, log) = Store::open(dir.path(), options).unwrap();
    let mut tasks = JoinSet::new();
    for n in 0..100 {
        let log = log.clone();
        tasks.spawn(async move { log.append(one("s", n)).await.unwrap() });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    // Polled once: it is in the queue now. Then its caller leaves.
    let mut abandoned = Box::pin(log.append(one("abandoned", 1)));
    let _ =
        std::future::poll_fn(|cx| std::task::Poll::Ready(abandoned.as_mut().poll(cx).is_ready()))
            .await;
    drop(abandoned);
    log.append(one("after", 1)).await.unwrap();
    assert_eq!(log.version("abandoned").await.unwrap(), 1);
    store.close().await.unwrap();
}
