use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use qd_api::{EventRecord, GoneEvent, StreamHead};
use qd_daemon::{DaemonHandle, ViewSignal};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::{Interval, interval};
use utoipa::IntoParams;

use crate::app::App;
use crate::callers::Owner;
use crate::failure::Failure;
use crate::policy::{HeldToken, still_welcome};
use crate::precondition::{SAFE_MOST, last_event_id};
use crate::request::Query;

/// Events read from the log at a time.
const PAGE: usize = 256;

/// How often a stream with nothing to say sends a comment, so that a dead peer is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How often a stream asks whether its token is still good.
const RECHECK: Duration = Duration::from_secs(10);

/// Where the stream begins.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventParams {
    /// Replay the events after this number; absent for only what comes.
    #[param(minimum = 0, maximum = 9007199254740991_u64)]
    since: Option<u64>,
}

/// Follow the event log and the changes of sessions.
///
/// A stream of server-sent events, to be read with fetch:
///
/// - `head`: a StreamHead, first of all.
/// - `log`: an EventRecord; its `id` is the number to come back with.
/// - `session`: a SessionView that changed; without an `id`.
/// - `gone`: a GoneEvent, for a session that is in no list any more.
/// - `resync`: something was missed; read the lists again.
///
/// The stream ends when the daemon stops or the token is revoked; come back.
#[utoipa::path(get, path = "/api/v1/events", tag = "events",
    params(EventParams, ("Last-Event-ID" = Option<u64>, Header,
        description = "Replay the events after this number; `since` counts where both are there")),
    responses((status = 200, description = "The stream", body = String,
        content_type = "text/event-stream")))]
pub(crate) async fn follow_events(
    owner: Owner,
    State(app): State<App>,
    token: Option<Extension<HeldToken>>,
    Query(query): Query<EventParams>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Failure> {
    if query.since.is_some_and(|since| since > SAFE_MOST) {
        let hint = "Give the number of an event.";
        let problem = qd_core::Problem::new(
            qd_core::Code::BadRequest,
            "The query\u{2019}s \u{201c}since\u{201d} is out of bounds.",
            hint,
        );
        return Err(problem.on("since").into());
    }
    let since = query.since.or(last_event_id(&headers)?);
    let follow = Follow::begin(owner.daemon().clone(), app, token.map(|t| t.0), since);
    Ok(Sse::new(follow.stream()).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// One stream. It reads only when the client took what it had, so nothing piles up: a log that
/// runs ahead waits in the log, and signals that are missed become one `resync`.
struct Follow {
    daemon: DaemonHandle,
    app: App,
    token: Option<HeldToken>,
    recheck: Interval,
    /// The last event that was sent, or skipped on purpose.
    sent: u64,
    latest: watch::Receiver<u64>,
    signals: broadcast::Receiver<ViewSignal>,
    ready: VecDeque<Event>,
    done: bool,
}

impl Follow {
    fn begin(daemon: DaemonHandle, app: App, token: Option<HeldToken>, since: Option<u64>) -> Self {
        // Subscribe before anything is read, so that what changes in between is told.
        let signals = daemon.view_signals();
        let mut latest = daemon.latest_event();
        let newest = *latest.borrow_and_update();
        let mut ready = VecDeque::new();
        let head = StreamHead { latest: newest, version: app.about().version.clone() };
        ready.extend(encode("head", &head));
        // A number from the future is of another log: there is nothing to replay from.
        if since.is_some_and(|since| since > newest) {
            ready.push_back(resync("unknown-number"));
        }
        let sent = since.map_or(newest, |since| since.min(newest));
        // Read from the log at once: the watch has nothing new to say of what is there already.
        latest.mark_changed();
        let recheck = interval(RECHECK);
        Self { daemon, app, token, recheck, sent, latest, signals, ready, done: false }
    }

    fn stream(self) -> impl Stream<Item = Result<Event, Infallible>> {
        unfold(self, |mut follow| async move {
            let event = follow.next().await?;
            Some((Ok(event), follow))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.done {
                return None;
            }
            tokio::select! {
                () = self.app.stopping().cancelled() => self.done = true,
                changed = self.latest.changed() => match changed {
                    Ok(()) => self.read_log().await,
                    Err(_) => self.done = true,
                },
                signal = self.signals.recv() => self.tell(signal),
                _ = self.recheck.tick() => {
                    self.done = still_welcome(&self.app, self.token.as_ref()).await.is_err();
                }
            }
        }
    }

    async fn read_log(&mut self) {
        match self.daemon.events(self.sent, PAGE).await {
            Ok(records) => {
                if records.len() == PAGE {
                    self.latest.mark_changed();
                }
                for record in records {
                    self.sent = record.number;
                    self.ready.extend(log(&record));
                }
            }
            Err(problem) => {
                tracing::warn!(%problem, "an event stream ends: the log cannot be read");
                self.done = true;
            }
        }
    }

    fn tell(&mut self, signal: Result<ViewSignal, RecvError>) {
        match signal {
            Ok(ViewSignal::Session(id)) => {
                // One that went between the signal and now is told of by `gone`.
                if let Ok(view) = self.daemon.find(id.as_str()) {
                    self.ready.extend(encode("session", view.as_ref()));
                }
            }
            Ok(ViewSignal::Gone(id)) => {
                self.ready.extend(encode("gone", &GoneEvent { id: id.to_string() }));
            }
            Err(RecvError::Lagged(_)) => self.ready.push_back(resync("lagged")),
            Err(RecvError::Closed) => self.done = true,
        }
    }
}

fn log(record: &EventRecord) -> Option<Event> {
    encode("log", record).map(|event| event.id(record.number.to_string()))
}

fn resync(reason: &str) -> Event {
    Event::default().event("resync").data(format!("{{\"reason\":\"{reason}\"}}"))
}

fn encode<T: Serialize>(name: &str, value: &T) -> Option<Event> {
    match serde_json::to_string(value) {
        Ok(json) => Some(Event::default().event(name).data(json)),
        Err(error) => {
            tracing::error!(%error, name, "an event cannot be written as JSON");
            None
        }
    }
}
