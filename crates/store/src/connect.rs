//! Opens and sets up the connections.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

/// Statements kept prepared per connection.
const STATEMENTS: usize = 64;

/// The one connection that writes.
pub(crate) fn writer(
    path: &Path,
    busy_timeout: Duration,
    max_pages: Option<u32>,
) -> Result<Connection, StoreError> {
    let conn = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(busy_timeout)?;
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        // SQLite answers the old mode instead of an error when it cannot write.
        return Err(StoreError::ReadOnly {
            detail: format!("{}: the journal mode stays {mode}", path.display()),
        });
    }
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // What a purge blanks is to be gone from the file, too.
    let _: i64 = conn.pragma_update_and_check(None, "secure_delete", true, |row| row.get(0))?;
    if let Some(pages) = max_pages {
        let _: i64 =
            conn.pragma_update_and_check(None, "max_page_count", pages, |row| row.get(0))?;
    }
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}

/// A connection that can only read.
pub(crate) fn reader(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let conn = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(busy_timeout)?;
    conn.pragma_update(None, "query_only", true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    Connection::open_with_flags(path, flags).map_err(|error| StoreError::from(error).at(path))
}
