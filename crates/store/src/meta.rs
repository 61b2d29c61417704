//! Small facts about the home, such as its id. No secrets.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{Durability, StoreError, StoreHandle};

impl StoreHandle {
    /// Sets a value unless there is one; returns the value that holds. For what is
    /// chosen once, such as the id of the home.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn init_meta(&self, key: &str, candidate: &str) -> Result<String, StoreError> {
        let (key, candidate) = (key.to_owned(), candidate.to_owned());
        self.write(Durability::Full, move |conn| {
            conn.prepare_cached(
                "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING",
            )?
            .execute(params![key, candidate])?;
            Ok(find(conn, &key)?.unwrap_or(candidate))
        })
        .await
    }
}

fn find(conn: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    Ok(conn
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row(params![key], |row| row.get(0))
        .optional()?)
}
