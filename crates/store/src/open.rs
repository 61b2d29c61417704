//! From a directory to a checked and migrated database. A database that we
//! cannot or must not use is refused before anything in it is written.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::home::{self, Warning};
use crate::schema::{self, APPLICATION_ID, Step};
use crate::{Durability, StoreError, backup, connect, programs};

/// Result code of a read-only connection that finds a journal to roll back.
const READONLY_ROLLBACK: i32 = 776;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER: usize = 100;

/// How to open a store. The defaults are right for a daemon.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Writes that may wait for the writer; more senders wait for room. At least 1.
    pub queue: usize,
    /// Threads with a read-only connection each. At least 1.
    pub readers: usize,
    /// How long a write waits for a lock held by another process.
    pub busy_timeout: Duration,
    /// The durability of writes that do not ask for more.
    pub durability: Durability,
    /// The largest size of the database, in pages of 4096 bytes; `None` is no limit.
    pub max_pages: Option<u32>,
    /// Databases up to this size, in bytes, are checked page by page when opened.
    pub check_up_to: u64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            queue: 1024,
            readers: 2,
            busy_timeout: Duration::from_secs(5),
            durability: Durability::Normal,
            max_pages: None,
            check_up_to: 32 * 1024 * 1024,
        }
    }
}

/// A database that is ours, sound, and at the version of the steps.
pub(crate) struct Opened {
    pub(crate) writer: Connection,
    pub(crate) readers: Vec<Connection>,
    pub(crate) warnings: Vec<Warning>,
}

/// Whether [`Store::open`](crate::Store::open) would take the database of a home, as far as a look
/// at its head can tell; true for a home that has none. Nothing is written, whoever has it open.
///
/// # Errors
///
/// [`StoreError::NewerSchema`], [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`].
pub fn can_read(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(home::DATABASE);
    let options = StoreOptions { check_up_to: 0, ..StoreOptions::default() };
    match probe(&path, &options, schema::SCHEMA_VERSION) {
        Err(StoreError::Io { kind: io::ErrorKind::NotFound, .. }) => Ok(()),
        other => other,
    }
}

/// Opens the database of a home and brings it to the version `steps` lead to.
pub(crate) fn open(
    dir: &Path,
    options: &StoreOptions,
    steps: &[Step],
) -> Result<Opened, StoreError> {
    let warnings: Vec<Warning> =
        home::prepare_dir(dir)?.into_iter().chain(home::network_filesystem(dir)).collect();
    for warning in &warnings {
        tracing::warn!(?warning, "the home is not as it should be");
    }
    let path = dir.join(home::DATABASE);
    if !home::create_private(&path)? {
        home::require_writable(dir, &path)?;
        probe(&path, options, schema::target(steps))?;
    }
    home::narrow_files(&path)?;
    let mut writer = connect::writer(&path, options.busy_timeout, options.max_pages)
        .map_err(|error| error.at(&path))?;
    let found = schema::version(&writer)?;
    if found > schema::target(steps) {
        return Err(newer(&path, found, schema::target(steps), programs::last(&writer)));
    }
    if found > 0 && found < schema::target(steps) {
        let copy = backup::before_migration(&writer, dir, found)?;
        tracing::info!(copy = %copy.display(), version = found, "backed up the database");
    }
    schema::migrate(&mut writer, steps)?;
    home::narrow_files(&path)?;
    let readers = (0..options.readers.max(1))
        .map(|_| connect::reader(&path, options.busy_timeout))
        .collect::<Result<_, _>>()?;
    Ok(Opened { writer, readers, warnings })
}

/// Looks at an existing file without writing: first at its bytes, because even a
/// read-only connection may leave side files, then through SQLite, because the
/// newest header may still be in the WAL.
pub(crate) fn probe(path: &Path, options: &StoreOptions, supported: u32) -> Result<(), StoreError> {
    let header = read_header(path).map_err(|error| StoreError::io(path, &error))?;
    if header.is_empty() {
        return Ok(());
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return Err(StoreError::NotADatabase { path: path.to_path_buf() });
    }
    let by = || programs::last_in_file(path);
    refuse_others(path, number(&header, 60), number(&header, 68), supported, by)?;

    let checked = connect::reader(path, options.busy_timeout)
        .and_then(|conn| check(&conn, path, options.check_up_to, supported));
    match checked {
        Err(StoreError::Database { code: READONLY_ROLLBACK, .. }) => Ok(()),
        other => other.map_err(|error| error.at(path)),
    }
}

fn check(
    conn: &Connection,
    path: &Path,
    check_up_to: u64,
    supported: u32,
) -> Result<(), StoreError> {
    let objects: i64 =
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application_id = schema::application_id(conn)?;
    if objects > 0 && application_id != APPLICATION_ID {
        return Err(StoreError::ForeignDatabase { path: path.to_path_buf(), application_id });
    }
    let by = || programs::last(conn);
    refuse_others(path, schema::version(conn)?, application_id, supported, by)?;
    let size = path.metadata().map_err(|error| StoreError::io(path, &error))?.len();
    if size > check_up_to {
        return Ok(());
    }
    let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::Corrupt { detail: verdict }) }
}

fn refuse_others(
    path: &Path,
    version: u32,
    application_id: u32,
    supported: u32,
    by: impl FnOnce() -> Option<String>,
) -> Result<(), StoreError> {
    if application_id != APPLICATION_ID && application_id != 0 {
        return Err(StoreError::ForeignDatabase { path: path.to_path_buf(), application_id });
    }
    if application_id == APPLICATION_ID && version > supported {
        return Err(newer(path, version, supported, by()));
    }
    Ok(())
}

fn newer(path: &Path, found: u32, supported: u32, by: Option<String>) -> StoreError {
    StoreError::NewerSchema { path: path.to_path_buf(), found, supported, by }
}

fn read_header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(HEADER);
    File::open(path)?.take(HEADER as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// A big-endian number of the database header (<https://sqlite.org/fileformat2.html>).
fn number(header: &[u8], at: usize) -> u32 {
    header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
}

#[cfg(test)]
mod tests;
