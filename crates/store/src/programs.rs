//! The versions of the program that have opened the database.

use std::fmt::Write as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use crate::{Durability, StoreError, StoreHandle};

impl StoreHandle {
    /// Notes that a version of the program has opened the database, in milliseconds since the
    /// Unix epoch.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn note_program(&self, version: &str, at_ms: i64) -> Result<(), StoreError> {
        let version = version.to_owned();
        self.write(Durability::Normal, move |conn| {
            conn.prepare_cached(
                "INSERT INTO programs (version, first_ms, last_ms) VALUES (?1, ?2, ?2)
                 ON CONFLICT (version) DO UPDATE SET last_ms = max(last_ms, excluded.last_ms)",
            )?
            .execute(params![version, at_ms])?;
            Ok(())
        })
        .await
    }
}

/// The version that opened a database last, of a schema that we do not know, too.
pub(crate) fn last(conn: &Connection) -> Option<String> {
    let sql = "SELECT version FROM programs ORDER BY last_ms DESC LIMIT 1";
    conn.query_row(sql, [], |row| row.get(0)).ok()
}

/// The same, as far as it stands in the file itself: nothing is locked, and no side file comes of
/// it.
pub(crate) fn last_in_file(path: &Path) -> Option<String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    last(&Connection::open_with_flags(uri(path), flags).ok()?)
}

/// See <https://sqlite.org/uri.html>.
fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                uri.push(char::from(*byte));
            }
            other => {
                let _ = write!(uri, "%{other:02x}");
            }
        }
    }
    uri.push_str("?immutable=1");
    uri
}
