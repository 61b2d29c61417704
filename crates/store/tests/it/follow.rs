//! Replay, then follow: nothing missed, nothing twice.

use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{PATIENCE, one, open};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn followers_from_any_number_see_every_event_once_while_others_append() {
    const WRITERS: u64 = 8;
    const EACH: u64 = 60;
    const BEFORE: u64 = 50;
    const TOTAL: u64 = BEFORE + WRITERS * EACH;
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    for n in 0..BEFORE {
        log.append(one("before", n)).await.unwrap();
    }

    let mut followers = JoinSet::new();
    for (since, limit) in [(0, 7), (0, 1000), (20, 1), (BEFORE, 3), (BEFORE + 100, 50)] {
        let (log, mut latest) = (log.clone(), log.subscribe());
        followers.spawn(async move {
            let (mut seen, mut at) = (Vec::new(), since);
            while at < TOTAL {
                let grown = timeout(PATIENCE, latest.wait_for(|latest| *latest > at));
                grown.await.unwrap().map(|_| ()).unwrap();
                let events = log.events(at, limit).await.unwrap();
                assert!(!events.is_empty() && events.len() <= limit);
                at = events.last().unwrap().number;
                seen.extend(events.into_iter().map(|event| event.number));
            }
            (since, seen)
        });
    }
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let log = log.clone();
        writers.spawn(async move {
            for n in 0..EACH {
                log.append(one(&format!("w{writer}"), n)).await.unwrap();
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    let mut finished = 0;
    while let Some(done) = followers.join_next().await {
        let (since, seen) = done.unwrap();
        assert_eq!(seen, (since + 1..=TOTAL).collect::<Vec<_>>(), "since {since}");
        finished += 1;
    }
    assert_eq!(finished, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_never_ahead_of_what_can_be_read() {
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    for n in 1..=300 {
        let appended = log.append(one("s", n)).await.unwrap();
        assert!(log.latest() >= appended.last);
        assert_eq!(log.events(appended.last - 1, 1).await.unwrap()[0].number, appended.last);
    }
}

#[tokio::test]
async fn a_subscriber_hears_that_the_store_closes() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    log.append(one("s", 1)).await.unwrap();
    let mut watch = log.subscribe();
    watch.mark_unchanged();
    store.close().await.unwrap();
    assert!(timeout(PATIENCE, watch.changed()).await.unwrap().is_err());
}
