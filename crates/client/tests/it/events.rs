use qd_client::{Client, StreamItem};
use qd_core::Code;
use serde_json::json;

use crate::fake::{Answer, Fake};

fn head(latest: u64) -> String {
    format!("event: head\ndata: {}\n\n", json!({"latest": latest, "version": "0"}))
}

fn log(number: u64) -> String {
    let record =
        json!({"number": number, "at": "", "session": "k", "kind": "started", "data": null});
    format!("id: {number}\nevent: log\ndata: {record}\n\n")
}

#[tokio::test]
async fn a_stream_that_breaks_goes_on_without_gap_or_repeat() {
    let home = tempfile::tempdir().unwrap();
    let fake = Fake::start(home.path(), |_, count| match count {
        0 => Answer::Events(format!("{}{}{}", head(4), log(5), log(6))),
        1 => Answer::Hang,
        // One that was seen comes again, as after a lagging read.
        _ => Answer::Open(format!("{}{}{}event: new-kind\ndata: 1\n\n", head(7), log(6), log(7))),
    });
    let client = Client::of_home(home.path());
    let mut stream = client.events(None).await.unwrap();
    let mut told = vec![];
    while told.len() < 5 {
        told.push(match stream.next().await.unwrap() {
            StreamItem::Head(head) => format!("head {}", head.latest),
            StreamItem::Log(record) => format!("log {}", record.number),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(told, ["head 4", "log 5", "log 6", "head 7", "log 7"]);
    let lines: Vec<String> = fake.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(
        lines,
        ["GET /api/v1/events", "GET /api/v1/events?since=6", "GET /api/v1/events?since=6"]
    );
}

#[tokio::test]
async fn gone_and_resync_are_told() {
    let home = tempfile::tempdir().unwrap();
    let _fake = Fake::start(home.path(), |_, _| {
        Answer::Open("event: gone\ndata: {\"id\":\"k\"}\n\nevent: resync\ndata: {}\n\n".to_owned())
    });
    let mut stream = Client::of_home(home.path()).events(Some(0)).await.unwrap();
    assert_eq!(stream.next().await.unwrap(), StreamItem::Gone("k".to_owned()));
    assert_eq!(stream.next().await.unwrap(), StreamItem::Resync);
}

#[tokio::test]
async fn a_daemon_that_does_not_come_back_ends_the_stream() {
    let home = tempfile::tempdir().unwrap();
    let fake = Fake::start(home.path(), |_, _| Answer::Events(head(0)));
    let mut stream = Client::of_home(home.path()).events(None).await.unwrap();
    drop(fake);
    tokio::time::pause();
    let problem = loop {
        match stream.next().await {
            Ok(_) => {}
            Err(problem) => break problem,
        }
    };
    assert_eq!(problem.code, Code::NoDaemon);
}

#[tokio::test]
async fn a_number_from_the_future_does_not_hide_what_happens() {
    let home = tempfile::tempdir().unwrap();
    let text = format!("{}event: resync\ndata: {{}}\n\n{}", head(4), log(5));
    let _fake = Fake::start(home.path(), move |_, _| Answer::Open(text.clone()));
    let mut stream = Client::of_home(home.path()).events(Some(900)).await.unwrap();
    stream.next().await.unwrap();
    assert_eq!(stream.next().await.unwrap(), StreamItem::Resync);
    assert!(matches!(stream.next().await.unwrap(), StreamItem::Log(record) if record.number == 5));
}
