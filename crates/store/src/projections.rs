//! Projections: named tables of key and JSON value that can be made anew from the log.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use crate::error::{from_json, to_json};
use crate::{Durability, StoreError, StoreHandle, StoredEvent, event_log};

/// A change of one entry of a projection.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionWrite {
    /// The projection.
    pub name: String,
    /// The entry.
    pub key: String,
    /// Its new value; `None` deletes it.
    pub value: Option<Value>,
}

impl StoreHandle {
    /// The value of an entry.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn get(&self, name: &str, key: &str) -> Result<Option<Value>, StoreError> {
        let (name, key) = (name.to_owned(), key.to_owned());
        self.read(move |conn| {
            let text: Option<String> = conn
                .prepare_cached("SELECT value FROM projections WHERE name = ?1 AND key = ?2")?
                .query_row(params![name, key], |row| row.get(0))
                .optional()?;
            text.map(|text| from_json("projection value", &text)).transpose()
        })
        .await
    }

    /// All entries of a projection, by key in byte order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn list(&self, name: &str) -> Result<Vec<(String, Value)>, StoreError> {
        let name = name.to_owned();
        self.read(move |conn| {
            let mut statement = conn.prepare_cached(
                "SELECT key, value FROM projections WHERE name = ?1 ORDER BY key",
            )?;
            let mut rows = statement.query(params![name])?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                let text: String = row.get(1)?;
                entries.push((row.get(0)?, from_json("projection value", &text)?));
            }
            Ok(entries)
        })
        .await
    }

    /// Makes a projection anew: empties it, gives every event of the log to `fold`
    /// in order, and applies the entries it answers (`None` deletes). One
    /// transaction, so readers see the old projection or the new one, and no
    /// append comes between. The writer does nothing else meanwhile. Returns the
    /// number of events.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write; the old projection stays.
    pub async fn rebuild<F>(&self, name: &str, mut fold: F) -> Result<u64, StoreError>
    where
        F: FnMut(&StoredEvent) -> Vec<(String, Option<Value>)> + Send + 'static,
    {
        let name = name.to_owned();
        self.write(Durability::Normal, move |conn| {
            conn.prepare_cached("DELETE FROM projections WHERE name = ?1")?
                .execute(params![name])?;
            event_log::for_each(conn, |event| {
                for (key, value) in fold(&event) {
                    let write = ProjectionWrite { name: name.clone(), key, value };
                    Prepared::new(write)?.apply(conn)?;
                }
                Ok(())
            })
        })
        .await
    }
}

/// A change with its value serialised.
pub(crate) struct Prepared {
    name: String,
    key: String,
    value: Option<String>,
}

impl Prepared {
    pub(crate) fn new(write: ProjectionWrite) -> Result<Self, StoreError> {
        let value =
            write.value.as_ref().map(|value| to_json("projection value", value)).transpose()?;
        Ok(Self { name: write.name, key: write.key, value })
    }

    pub(crate) fn apply(&self, conn: &Connection) -> Result<(), StoreError> {
        match &self.value {
            Some(value) => conn
                .prepare_cached(
                    "INSERT INTO projections (name, key, value) VALUES (?1, ?2, ?3)
                     ON CONFLICT (name, key) DO UPDATE SET value = excluded.value",
                )?
                .execute(params![self.name, self.key, value])?,
            None => conn
                .prepare_cached("DELETE FROM projections WHERE name = ?1 AND key = ?2")?
                .execute(params![self.name, self.key])?,
        };
        Ok(())
    }
}
