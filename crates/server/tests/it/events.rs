use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::timeout;

use crate::served::{PATIENCE, Served};

/// A stream of events, read one by one.
struct Stream {
    body: Incoming,
    text: String,
}

#[derive(Debug)]
struct Event {
    name: String,
    id: Option<u64>,
    data: Value,
}

impl Stream {
    async fn open(served: &Served, path: &str, last: Option<u64>) -> Self {
        let mut request = served.request("GET", path, None);
        if let Some(last) = last {
            request.headers_mut().insert("last-event-id", last.to_string().parse().unwrap());
        }
        let response = served.send(request).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-cache");
        Self { body: response.into_body(), text: String::new() }
    }

    /// The next event; none at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                if let Some(event) = parse(&block) {
                    return Some(event);
                }
                continue;
            }
            let frame = timeout(PATIENCE, self.body.frame()).await.expect("an event in time")?;
            let data = frame.unwrap().into_data().unwrap();
            self.text.push_str(std::str::from_utf8(&data).unwrap());
        }
    }

    async fn next_named(&mut self, name: &str) -> Event {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if event.name == name {
                return event;
            }
        }
    }
}

fn parse(block: &str) -> Option<Event> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    Some(Event {
        name: field("event: ")?.to_owned(),
        id: field("id: ").map(|id| id.parse().unwrap()),
        data: serde_json::from_str(field("data: ")?).unwrap(),
    })
}

#[tokio::test]
async fn the_log_is_replayed_from_a_number_and_followed_without_gaps() {
    let served = Served::start().await;
    let id = served.session("first").await;
    let mut stream = Stream::open(&served, "/api/v1/events?since=0", None).await;
    let head = stream.next().await.unwrap();
    assert_eq!((head.name.as_str(), head.id), ("head", None));
    assert_eq!(head.data["version"], "test");
    assert!(head.data["latest"].as_u64().unwrap() >= 1);

    let first = stream.next_named("log").await;
    assert_eq!((first.id, &first.data["number"]), (Some(1), &Value::from(1)));
    assert_eq!(first.data["session"], id.as_str());

    let second = served.session("second").await;
    let mut number = 1;
    loop {
        let event = stream.next_named("log").await;
        number += 1;
        assert_eq!(event.id, Some(number));
        if event.data["session"] == second.as_str() {
            break;
        }
    }

    let mut again = Stream::open(&served, "/api/v1/events", Some(number - 1)).await;
    assert_eq!(again.next_named("log").await.id, Some(number));
    let mut only_new = Stream::open(&served, "/api/v1/events", None).await;
    let latest = only_new.next().await.unwrap().data["latest"].as_u64().unwrap();
    let third = served.session("third").await;
    assert_eq!(only_new.next_named("log").await.id, Some(latest + 1));
    loop {
        let view = only_new.next_named("session").await;
        assert_eq!(view.id, None);
        if view.data["id"] == third.as_str() {
            assert_eq!(view.data["title"], "third");
            break;
        }
    }
    served.end().await;
}

#[tokio::test]
async fn a_number_from_the_future_is_told_and_the_stream_ends_with_the_daemon() {
    let served = Served::start().await;
    let mut stream = Stream::open(&served, "/api/v1/events?since=1000000", None).await;
    assert_eq!(stream.next().await.unwrap().name, "head");
    assert_eq!(stream.next().await.unwrap().name, "resync");
    served.end().await;
    while stream.next().await.is_some() {}
}

#[tokio::test]
async fn a_wrong_number_is_refused() {
    let served = Served::start().await;
    for query in ["since=-1", "since=x", "since=9007199254740992", "sinse=1"] {
        let answer = served.ask("GET", &format!("/api/v1/events?{query}"), None).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "bad_request"), "{query}");
    }
    served.end().await;
}
