use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::Method;
use hyper::body::Incoming;
use qd_api::{EventRecord, GoneEvent, SessionView, StreamHead};
use qd_core::{Code, Problem};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::Client;
use crate::call::{Call, USUAL, problem, request};
use crate::connection::{Broken, exchange};
use crate::sse::{Message, Parser};

/// How long a stream that broke is tried again before the daemon counts as gone.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause before the first new try; it doubles up to a second.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// A stream without a sign of life for so long is opened anew.
const SILENCE: Duration = Duration::from_secs(90);

/// What the event stream tells.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// The stream begins, also after a break: views may have changed unseen, read them again.
    Head(StreamHead),
    /// An entry of the event log. Each comes once, without gaps, over breaks too.
    Log(EventRecord),
    /// The view of a session changed.
    Session(Box<SessionView>),
    /// The session of this id is in no list any more.
    Gone(String),
    /// Changes were skipped: read the views again.
    Resync,
}

/// The daemon's events. A stream that breaks goes on from the last number it saw.
#[derive(Debug)]
pub struct EventStream {
    client: Client,
    last: Option<u64>,
    open: Option<Open>,
    ready: VecDeque<Message>,
}

#[derive(Debug)]
struct Open {
    body: Incoming,
    parser: Parser,
    _driver: JoinSet<()>,
}

impl Client {
    /// Opens the event stream: the log after number `since`, then what happens from now on; or,
    /// without a number, only the latter.
    ///
    /// # Errors
    /// The daemon's problem, or `no_daemon`.
    pub async fn events(&self, since: Option<u64>) -> Result<EventStream, Problem> {
        let mut stream =
            EventStream { client: self.clone(), last: since, open: None, ready: VecDeque::new() };
        stream.open = Some(stream.connect().await.map_err(|e| e.into_problem(self))?);
        Ok(stream)
    }
}

/// Why the stream did not open.
enum NotOpen {
    Broken(Broken),
    Refused(Problem),
}

impl NotOpen {
    fn into_problem(self, client: &Client) -> Problem {
        match self {
            Self::Broken(broken) => broken.into_problem(client.socket()),
            Self::Refused(problem) => problem,
        }
    }
}

impl EventStream {
    /// The next thing that happens.
    ///
    /// # Errors
    /// `no_daemon` when the daemon went away and did not come back within ten seconds.
    pub async fn next(&mut self) -> Result<StreamItem, Problem> {
        loop {
            while let Some(message) = self.ready.pop_front() {
                if let Some(item) = self.item(&message)? {
                    return Ok(item);
                }
            }
            if self.open.is_none() {
                self.open = Some(self.reconnect().await?);
            }
            if !self.read().await {
                self.open = None;
            }
        }
    }

    /// Reads more; false when the stream ended or broke.
    async fn read(&mut self) -> bool {
        let Some(open) = self.open.as_mut() else { return false };
        let Ok(Some(Ok(frame))) = tokio::time::timeout(SILENCE, open.body.frame()).await else {
            return false;
        };
        match frame.data_ref() {
            Some(bytes) => open.parser.feed(bytes, &mut self.ready).is_ok(),
            None => true,
        }
    }

    async fn connect(&self) -> Result<Open, NotOpen> {
        let query = self.last.map(|last| format!("?since={last}")).unwrap_or_default();
        let call = Call {
            method: Method::GET,
            path: format!("/events{query}"),
            body: None,
            limit: USUAL,
            seen: None,
        };
        let request = request(&call, None).map_err(NotOpen::Broken)?;
        let exchange =
            exchange(self.client.socket(), request, USUAL).await.map_err(NotOpen::Broken)?;
        let (head, body) = exchange.response.into_parts();
        if head.status.is_success() {
            return Ok(Open { body, parser: Parser::default(), _driver: exchange.driver });
        }
        let body = tokio::time::timeout(USUAL, body.collect()).await;
        let bytes = body.ok().and_then(Result::ok).map(|b| b.to_bytes()).unwrap_or_default();
        Err(NotOpen::Refused(problem(head.status, &bytes)))
    }

    async fn reconnect(&self) -> Result<Open, Problem> {
        let deadline = Instant::now() + PATIENCE;
        let mut pause = FIRST_PAUSE;
        loop {
            let failed = match self.connect().await {
                Ok(open) => return Ok(open),
                Err(NotOpen::Refused(problem)) if problem.code != Code::DaemonStopping => {
                    return Err(problem);
                }
                Err(failed) => failed,
            };
            if Instant::now() + pause > deadline {
                return Err(failed.into_problem(&self.client));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    /// The item of a message; none for what this version does not know or has seen before.
    fn item(&mut self, message: &Message) -> Result<Option<StreamItem>, Problem> {
        Ok(match message.event.as_str() {
            "head" => {
                let head: StreamHead = parse(message)?;
                // A number from the future is of another log, which was left behind.
                self.last = Some(self.last.map_or(head.latest, |last| last.min(head.latest)));
                Some(StreamItem::Head(head))
            }
            "log" => {
                let record: EventRecord = parse(message)?;
                if self.last.is_some_and(|last| record.number <= last) {
                    return Ok(None);
                }
                self.last = Some(record.number);
                Some(StreamItem::Log(record))
            }
            "session" => Some(StreamItem::Session(Box::new(parse(message)?))),
            "gone" => {
                let gone: GoneEvent = parse(message)?;
                Some(StreamItem::Gone(gone.id))
            }
            "resync" => Some(StreamItem::Resync),
            _ => None,
        })
    }
}

fn parse<T: serde::de::DeserializeOwned>(message: &Message) -> Result<T, Problem> {
    serde_json::from_str(&message.data).map_err(|error| {
        Problem::new(
            Code::Internal,
            format!("An event of the kind {} cannot be read: {error}.", message.event),
            "The daemon may be of another version: restart it with `qd stop`, then `qd`.",
        )
    })
}
