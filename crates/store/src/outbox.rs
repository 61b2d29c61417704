//! The outbox: effects that were decided and are owed until they are done.
//!
//! Nothing goes through it yet. What a daemon does to the world today (worktrees, panes) leaves a
//! trace there, and after a crash it is found by looking. Effects that leave none, such as
//! notifications and hooks, are to go through here with an idempotency key: see
//! `docs/adr/0002-an-event-log-in-sqlite.md`. The same holds for [`crate::Append::idempotency`].

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use crate::error::{from_db, from_json, to_db, to_json};
use crate::{Durability, StoreError, StoreHandle};

/// An effect to owe, written together with the events that decided it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOutboxItem {
    /// What to do.
    pub kind: String,
    /// With what; opaque to the store.
    pub data: Value,
    /// The idempotency key of the effect, unique for good: an item with a known key
    /// and the same content is the item that is there.
    pub key: String,
}

/// An effect that is owed.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxItem {
    /// Grows with time; ids are never used again.
    pub id: u64,
    /// The stream whose events decided it.
    pub stream: String,
    /// What to do.
    pub kind: String,
    /// With what.
    pub data: Value,
    /// The idempotency key of the effect.
    pub key: String,
}

impl StoreHandle {
    /// All effects that are still owed, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn outbox_pending(&self) -> Result<Vec<OutboxItem>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT id, stream, kind, data, key FROM outbox WHERE done = 0 ORDER BY id",
            )?;
            let mut rows = statement.query([])?;
            let mut items = Vec::new();
            while let Some(row) = rows.next()? {
                items.push(OutboxItem {
                    id: from_db("outbox id", row.get(0)?)?,
                    stream: row.get(1)?,
                    kind: row.get(2)?,
                    data: from_json("outbox data", &row.get::<_, String>(3)?)?,
                    key: row.get(4)?,
                });
            }
            Ok(items)
        })
        .await
    }

    /// Marks an effect as done. `false` if it was done before or never owed.
    /// An effect whose outcome is an event is better settled by that append.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn outbox_done(&self, id: u64) -> Result<bool, StoreError> {
        self.write(Durability::Normal, move |conn| settle(conn, id)).await
    }
}

/// An item with its payload serialised.
pub(crate) struct Prepared {
    item: NewOutboxItem,
    data: String,
}

impl Prepared {
    pub(crate) fn new(item: NewOutboxItem) -> Result<Self, StoreError> {
        let data = to_json("outbox data", &item.data)?;
        Ok(Self { item, data })
    }

    /// Inserts the item, or finds the one that is there; returns its id.
    pub(crate) fn insert(&self, conn: &Connection, stream: &str) -> Result<u64, StoreError> {
        let NewOutboxItem { kind, data, key } = &self.item;
        let known: Option<(i64, String, String, String)> = conn
            .prepare_cached("SELECT id, stream, kind, data FROM outbox WHERE key = ?1")?
            .query_row(params![key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let Some((id, known_stream, known_kind, known_data)) = known else {
            let id = conn
                .prepare_cached(
                    "INSERT INTO outbox (stream, kind, data, key) VALUES (?1, ?2, ?3, ?4)",
                )?
                .insert(params![stream, kind, self.data, key])?;
            return from_db("outbox id", id);
        };
        let known_data = from_json("outbox data", &known_data)?;
        if known_stream != stream || known_kind != *kind || known_data != *data {
            return Err(StoreError::IdempotencyConflict { key: key.clone() });
        }
        from_db("outbox id", id)
    }
}

/// Marks an item as done; `false` if it was not pending.
pub(crate) fn settle(conn: &Connection, id: u64) -> Result<bool, StoreError> {
    let id = to_db("outbox id", id)?;
    let changed = conn
        .prepare_cached("UPDATE outbox SET done = 1 WHERE id = ?1 AND done = 0")?
        .execute(params![id])?;
    Ok(changed == 1)
}
