//! The log: numbered events in streams, the truth that all else follows from.

use std::fmt;

use rusqlite::{Connection, Row, params};
use serde_json::Value;

use crate::error::{from_db, from_json, to_db};
use crate::outbox::NewOutboxItem;
use crate::projections::ProjectionWrite;
use crate::{Durability, StoreError, StoreHandle};

mod append;

/// Most events one read returns, whatever the caller asks for.
const MOST_EVENTS: usize = 10_000;

/// What an append requires of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing.
    Any,
    /// That it has exactly this many events; `Version(0)` is [`Expect::NoStream`].
    Version(u64),
    /// That it has no event yet.
    NoStream,
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any version"),
            Self::Version(version) => write!(f, "version {version}"),
            Self::NoStream => f.write_str("no stream"),
        }
    }
}

/// An event to append.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// What happened, in the words of the caller.
    pub kind: String,
    /// The payload; opaque to the store.
    pub data: Value,
}

/// Events for one stream, and what must change together with them.
/// All of it is written, or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The stream, such as a session id.
    pub stream: String,
    /// The condition; if it does not hold, nothing is written.
    pub expect: Expect,
    /// When it happened, in milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// With a key, the same append is written once, however often it is asked for.
    pub idempotency: Option<String>,
    /// At least one event.
    pub events: Vec<NewEvent>,
    /// Changes of projections, applied in order.
    pub projections: Vec<ProjectionWrite>,
    /// Effects that are now owed.
    pub outbox: Vec<NewOutboxItem>,
    /// Ids of outbox items that these events settle.
    pub settles: Vec<u64>,
    /// Blanks the payloads of the whole stream for good, these events' own too: numbers, kinds
    /// and times stay, the data becomes `null`. Answers that were kept for requests and name the
    /// stream are forgotten. For purges.
    pub blanks: bool,
    /// Raised to [`Durability::Full`] if there are outbox items, or if it blanks.
    pub durability: Durability,
}

impl Append {
    /// An append without condition or company; the rest is set by field.
    #[must_use]
    pub fn new(stream: impl Into<String>, at_ms: i64, events: Vec<NewEvent>) -> Self {
        Self {
            stream: stream.into(),
            expect: Expect::Any,
            at_ms,
            idempotency: None,
            events,
            projections: Vec::new(),
            outbox: Vec::new(),
            settles: Vec::new(),
            blanks: false,
            durability: Durability::Normal,
        }
    }
}

/// Where the events stand in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The number of the first event.
    pub first: u64,
    /// The number of the last event.
    pub last: u64,
    /// The version of the stream after the last event.
    pub version: u64,
    /// The ids of the outbox items, in the order given. Empty if `repeated`.
    pub outbox: Vec<u64>,
    /// The idempotency key was known: this is where the events already stood.
    pub repeated: bool,
}

/// An event of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Its number in the log: 1, 2, 3 … without a gap.
    pub number: u64,
    /// Its stream.
    pub stream: String,
    /// Its place in the stream: 1, 2, 3 … without a gap.
    pub version: u64,
    /// When it happened, in milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// What happened.
    pub kind: String,
    /// The payload; `null` if it was blanked.
    pub data: Value,
}

impl StoreHandle {
    /// Appends events if the expectation holds.
    ///
    /// # Errors
    ///
    /// [`StoreError::VersionConflict`], [`StoreError::IdempotencyConflict`] and
    /// [`StoreError::EmptyAppend`] mean that nothing was written; so do
    /// [`StoreError::DiskFull`] and the other errors of a database.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let durability = append.durability();
        // Serialised here, so that the one writer does not have to.
        let prepared = append::Prepared::new(append)?;
        self.write(durability, move |conn| prepared.apply(conn)).await
    }

    /// The events after number `since` (0: from the beginning), in order, at most
    /// `limit` and never more than 10,000.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn events(&self, since: u64, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let since = to_db("event number", since)?;
        self.read(move |conn| {
            select(
                conn,
                "SELECT number, stream, version, at_ms, kind, data FROM events
                 WHERE number > ?1 ORDER BY number LIMIT ?2",
                params![since, bounded(limit)],
            )
        })
        .await
    }

    /// The version of a stream: how many events it has, 0 if there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn version(&self, stream: &str) -> Result<u64, StoreError> {
        let stream = stream.to_owned();
        self.read(move |conn| version(conn, &stream)).await
    }
}

/// The number of the last event, 0 if there is none.
pub(crate) fn latest(conn: &Connection) -> Result<u64, StoreError> {
    let mut statement = conn.prepare_cached("SELECT coalesce(max(number), 0) FROM events")?;
    from_db("event number", statement.query_row([], |row| row.get(0))?)
}

/// The version of a stream, 0 if there is none.
pub(crate) fn version(conn: &Connection, stream: &str) -> Result<u64, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT coalesce(max(version), 0) FROM events WHERE stream = ?1")?;
    from_db("version", statement.query_row(params![stream], |row| row.get(0))?)
}

fn select(
    conn: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(read(row)?);
    }
    Ok(events)
}

fn read(row: &Row<'_>) -> Result<StoredEvent, StoreError> {
    let data: &str = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(StoredEvent {
        number: from_db("event number", row.get(0)?)?,
        stream: row.get(1)?,
        version: from_db("version", row.get(2)?)?,
        at_ms: row.get(3)?,
        kind: row.get(4)?,
        data: from_json("event data", data)?,
    })
}

fn bounded(limit: usize) -> i64 {
    i64::try_from(limit.min(MOST_EVENTS)).unwrap_or(i64::MAX)
}
