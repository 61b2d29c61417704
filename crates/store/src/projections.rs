//! Projections: named tables of key and JSON value that follow from the log.

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::error::{from_json, to_json};
use crate::{StoreError, StoreHandle};

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

/// All entries of a projection, by key in byte order.
pub(crate) fn entries(conn: &Connection, name: &str) -> Result<Vec<(String, Value)>, StoreError> {
    let sql = "SELECT key, value FROM projections WHERE name = ?1 ORDER BY key";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![name])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let text: String = row.get(1)?;
        entries.push((row.get(0)?, from_json("projection value", &text)?));
    }
    Ok(entries)
}

impl StoreHandle {
    /// All entries of a projection, by key in byte order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn list(&self, name: &str) -> Result<Vec<(String, Value)>, StoreError> {
        let name = name.to_owned();
        self.read(move |conn| entries(conn, &name)).await
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
