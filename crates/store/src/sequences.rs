//! Terminal sequence numbers are reserved ahead, so that none is given out twice
//! over a restart: after one, a session goes on from what was reserved.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::{from_db, to_db};
use crate::{Durability, StoreError, StoreHandle};

impl StoreHandle {
    /// Reserves the numbers of a stream below `upto` and returns the mark that now
    /// holds. A mark never goes down; once this answers, it survives a power cut.
    ///
    /// # Errors
    ///
    /// [`StoreError::OutOfRange`] from 2^63 on; the errors of a write.
    pub async fn reserve(&self, stream: &str, upto: u64) -> Result<u64, StoreError> {
        let stream = stream.to_owned();
        let upto = to_db("sequence number", upto)?;
        self.write(Durability::Full, move |conn| {
            conn.prepare_cached(
                "INSERT INTO sequences (stream, upto) VALUES (?1, ?2)
                 ON CONFLICT (stream) DO UPDATE SET upto = max(upto, excluded.upto)",
            )?
            .execute(params![stream, upto])?;
            find(conn, &stream)
        })
        .await
    }

    /// The mark of a stream: the first number that was never reserved; 0 at first.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn reserved(&self, stream: &str) -> Result<u64, StoreError> {
        let stream = stream.to_owned();
        self.read(move |conn| find(conn, &stream)).await
    }
}

fn find(conn: &Connection, stream: &str) -> Result<u64, StoreError> {
    let upto: Option<i64> = conn
        .prepare_cached("SELECT upto FROM sequences WHERE stream = ?1")?
        .query_row(params![stream], |row| row.get(0))
        .optional()?;
    from_db("sequence number", upto.unwrap_or(0))
}
