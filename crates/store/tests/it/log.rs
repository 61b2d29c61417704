//! Appends, expectations, idempotency, projections and the outbox.

use qd_store::{
    Append, Durability, Expect, NewOutboxItem, ProjectionWrite, Remember, Store, StoreError,
    StoreOptions,
};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{event, one, open};

#[tokio::test]
async fn numbers_are_global_and_versions_are_per_stream() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    assert_eq!(log.latest(), 0);
    let two = Append::new("a", 5, vec![event("x", json!(1)), event("y", json!({"k": [2]}))]);
    let a = log.append(two).await.unwrap();
    let b = log.append(one("b", 1)).await.unwrap();
    let c = log.append(one("a", 2)).await.unwrap();
    assert_eq!((a.first, a.last, a.version), (1, 2, 2));
    assert_eq!((b.first, b.last, b.version), (3, 3, 1));
    assert_eq!((c.first, c.last, c.version), (4, 4, 3));
    assert_eq!(log.latest(), 4);

    let events = log.events(1, 2).await.unwrap();
    assert_eq!(events.iter().map(|e| e.number).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(
        (&*events[0].stream, events[0].version, events[0].at_ms, &*events[0].kind),
        ("a", 2, 5, "y")
    );
    assert_eq!(events[0].data, json!({"k": [2]}));
    let all = log.events(0, 10).await.unwrap();
    let of_a = all.iter().filter(|e| e.stream == "a").map(|e| (e.version, e.number));
    assert_eq!(of_a.collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 4)]);
    assert_eq!(log.version("a").await.unwrap(), 3);
    assert_eq!(log.version("nobody").await.unwrap(), 0);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_wrong_expectation_writes_nothing() {
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    log.append(Append { expect: Expect::NoStream, ..one("s", 1) }).await.unwrap();
    for (expect, holds) in [
        (Expect::NoStream, false),
        (Expect::Version(0), false),
        (Expect::Version(2), false),
        (Expect::Version(1), true),
        (Expect::Any, true),
    ] {
        let before = log.latest();
        let mut append = Append { expect, ..one("s", 2) };
        append.projections.push(ProjectionWrite {
            name: "p".into(),
            key: format!("{expect}"),
            value: Some(json!(true)),
        });
        match log.append(append).await {
            Ok(_) => assert!(holds, "{expect:?}"),
            Err(error) => {
                let conflict =
                    StoreError::VersionConflict { stream: "s".into(), expected: expect, actual: 1 };
                assert_eq!(error, conflict);
                assert!(!holds, "{expect:?}");
                assert_eq!(log.latest(), before);
                let written = log.list("p").await.unwrap();
                assert!(written.iter().all(|(key, _)| *key != format!("{expect}")));
            }
        }
    }
    assert_eq!(log.version("s").await.unwrap(), 3);
    let empty = Append::new("s", 0, vec![]);
    assert_eq!(log.append(empty).await, Err(StoreError::EmptyAppend { stream: "s".into() }));
}

#[tokio::test]
async fn an_append_with_a_known_key_answers_what_it_did_the_first_time() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    let keyed =
        |n| Append { expect: Expect::NoStream, idempotency: Some("k".into()), ..one("s", n) };
    let first = log.append(keyed(1)).await.unwrap();
    assert!(!first.repeated);
    // Others go on; the repeat is told where its events stand, not where the log is.
    log.append(one("s", 9)).await.unwrap();
    let again = log.append(keyed(1)).await.unwrap();
    assert!(again.repeated);
    assert_eq!((again.first, again.last, again.version), (first.first, first.last, first.version));
    let conflict = Err(StoreError::IdempotencyConflict { key: "k".into() });
    assert_eq!(log.append(keyed(2)).await, conflict, "other data");
    assert_eq!(log.append(Append { stream: "t".into(), ..keyed(1) }).await, conflict);
    let mut longer = keyed(1);
    longer.events.push(event("more", json!(null)));
    assert_eq!(log.append(longer).await, conflict, "more events");
    assert_eq!(log.latest(), 2);
    store.close().await.unwrap();

    let (_store, log) = open(&dir);
    assert!(log.append(keyed(1)).await.unwrap().repeated, "over a restart");
}

#[tokio::test]
async fn projections_change_with_their_events() {
    let dir = TempDir::new().unwrap();
    let (_store, log) = open(&dir);
    for n in 1..=3_u64 {
        let mut append = one(&format!("s{n}"), n);
        let name = String::from("sessions");
        let key = format!("s{n}");
        append.projections =
            vec![ProjectionWrite { name: name.clone(), key, value: Some(json!({ "n": n })) }];
        if n == 3 {
            append.projections.push(ProjectionWrite { name, key: "s1".into(), value: None });
        }
        log.append(append).await.unwrap();
    }
    let listed = log.list("sessions").await.unwrap();
    assert_eq!(listed, [("s2".into(), json!({"n": 2})), ("s3".into(), json!({"n": 3}))]);
    assert_eq!(log.list("other").await.unwrap(), []);
}

#[tokio::test]
async fn the_outbox_owes_an_effect_until_it_is_settled() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    let item = |kind: &str, key: &str| NewOutboxItem {
        kind: kind.into(),
        data: json!({"for": key}),
        key: key.into(),
    };
    let mut append = one("s", 1);
    append.outbox = vec![item("notify", "k1"), item("notify", "k2"), item("push", "k3")];
    let ids = log.append(append).await.unwrap().outbox;
    store.close().await.unwrap();

    let (_store, log) = open(&dir);
    let pending = log.outbox_pending().await.unwrap();
    assert_eq!(pending.iter().map(|i| i.id).collect::<Vec<_>>(), ids);
    assert_eq!((&*pending[2].stream, &*pending[2].kind, &*pending[2].key), ("s", "push", "k3"));
    assert_eq!(pending[2].data, json!({"for": "k3"}));

    assert!(log.outbox_done(ids[0]).await.unwrap());
    assert!(!log.outbox_done(ids[0]).await.unwrap(), "only once");
    assert!(!log.outbox_done(999).await.unwrap());
    log.append(Append { settles: vec![ids[1]], ..one("s", 2) }).await.unwrap();
    assert_eq!(log.outbox_pending().await.unwrap().len(), 1);

    // The same effect again is the one that is there, even when it is done.
    let again = log.append(Append { outbox: vec![item("notify", "k1")], ..one("s", 3) }).await;
    assert_eq!(again.unwrap().outbox, [ids[0]]);
    assert_eq!(log.outbox_pending().await.unwrap().len(), 1);
    let before = log.latest();
    let other = log.append(Append { outbox: vec![item("push", "k1")], ..one("s", 4) }).await;
    assert_eq!(other, Err(StoreError::IdempotencyConflict { key: "k1".into() }));
    assert_eq!(log.latest(), before, "the events went with it");
}

#[tokio::test]
async fn a_purge_blanks_payloads_and_keeps_the_numbers() {
    let dir = TempDir::new().unwrap();
    let (store, log) = open(&dir);
    // One that fits beside others on a page, and one that does not.
    let secret = |length: usize| json!({"key": format!("hunter{}", "2".repeat(length))});
    log.append(Append { events: vec![event("x", secret(10))], ..one("gone", 1) }).await.unwrap();
    log.append(one("kept", 2)).await.unwrap();
    let mut append = Append { events: vec![event("x", secret(20_000))], ..one("gone", 3) };
    let entry = |value| ProjectionWrite { name: "p".into(), key: "gone".into(), value };
    append.projections = vec![entry(Some(secret(9_000)))];
    log.append(append).await.unwrap();
    for (key, response) in [("a", json!({"id": "gone", "key": "hunter2"})), ("b", json!("kept"))] {
        let (key, fingerprint) = (key.to_owned(), "f".to_owned());
        log.remember(Remember { key, fingerprint, response, at_ms: 1 }).await.unwrap();
    }

    let mut last = Append { blanks: true, ..one("gone", 4) };
    last.projections = vec![entry(None)];
    log.append(last).await.unwrap();
    let data: Vec<_> = log.events(0, 10).await.unwrap().into_iter().map(|e| e.data).collect();
    assert_eq!(data, [json!(null), json!({"n": 2}), json!(null), json!(null)]);
    assert_eq!(log.version("gone").await.unwrap(), 3);
    assert_eq!(log.recall("a", "f", 2).await.unwrap(), None);
    assert_eq!(log.recall("b", "f", 2).await.unwrap(), Some(json!("kept")));
    store.close().await.unwrap();
    for file in std::fs::read_dir(dir.path()).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        let found = bytes.windows(7).any(|part| part == b"hunter2");
        assert!(!found, "{} still has it", file.path().display());
    }
}

#[tokio::test]
async fn full_durability_is_accepted_per_append_and_as_a_floor() {
    let dir = TempDir::new().unwrap();
    let options = StoreOptions { durability: Durability::Full, ..StoreOptions::default() };
    let (store, log) = Store::open(dir.path(), options).unwrap();
    log.append(one("s", 1)).await.unwrap();
    store.close().await.unwrap();
    let (_store, log) = open(&dir);
    log.append(Append { durability: Durability::Full, ..one("s", 2) }).await.unwrap();
    log.append(one("s", 3)).await.unwrap();
    assert_eq!(log.latest(), 3);
}
