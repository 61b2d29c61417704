//! A consistent copy of a home's database, made beside a daemon that may be writing to it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use serde_json::Value;

use crate::open::{self, StoreOptions};
use crate::schema::{self, SCHEMA_VERSION};
use crate::{StoreError, connect, event_log, home, lock, projections};

/// How long the copy waits for a lock of somebody else.
const PATIENCE: Duration = Duration::from_secs(10);

/// A database file that nobody writes to: a copy, found sound page by page.
#[derive(Debug)]
pub struct DatabaseCopy {
    conn: Connection,
    path: PathBuf,
}

impl DatabaseCopy {
    /// Copies the database of a home to a file that is not there yet (mode 0600), what is only in
    /// the WAL included. All of it is from one moment, whoever writes meanwhile; nobody waits for
    /// it. A copy that fails leaves no file.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`], [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::Corrupt`], [`StoreError::DiskFull`], [`StoreError::Io`] also when the home has
    /// no database.
    pub fn make(dir: &Path, to: &Path) -> Result<Self, StoreError> {
        let from = dir.join(home::DATABASE);
        match open::probe(&from, &checking(0), SCHEMA_VERSION) {
            Err(StoreError::DiskFull) => Self::make_without_room(dir, to),
            other => other.and_then(|()| Self::make_once(dir, to)),
        }
    }

    fn make_once(dir: &Path, to: &Path) -> Result<Self, StoreError> {
        let from = dir.join(home::DATABASE);
        if !home::create_private(to)? {
            return Err(StoreError::io(to, &ErrorKind::AlreadyExists.into()));
        }
        let made = vacuum(&from, to).map_err(|error| error.at(&from)).and_then(|()| Self::open(to));
        if made.is_err() {
            // Best effort: the error that matters is the copy's.
            let _ = fs::remove_file(to);
        }
        made
    }

    /// The same of a home whose disk has no room for the side files that even a reader needs:
    /// while nobody else has it, its files are taken as they are.
    fn make_without_room(dir: &Path, to: &Path) -> Result<Self, StoreError> {
        let Some(_lock) = lock::look(dir) else { return Err(StoreError::DiskFull) };
        let raw = tempfile::Builder::new()
            .prefix("qd-copy-")
            .tempdir_in(to.parent().unwrap_or(Path::new("/")))
            .map_err(|error| StoreError::io(to, &error))?;
        for suffix in ["", "-wal"] {
            let name = format!("{}{suffix}", home::DATABASE);
            let from = dir.join(&name);
            match fs::copy(&from, raw.path().join(&name)) {
                Err(error) if suffix.is_empty() || error.kind() != ErrorKind::NotFound => {
                    return Err(StoreError::io(&from, &error));
                }
                _ => {}
            }
        }
        Self::make_once(raw.path(), to)
    }

    /// Opens a copy and checks every page of it.
    ///
    /// # Errors
    ///
    /// As [`DatabaseCopy::make`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        open::probe(path, &checking(u64::MAX), SCHEMA_VERSION)?;
        let conn = connect::reader(path, PATIENCE)?;
        if schema::version(&conn)? == 0 {
            return Err(StoreError::NotADatabase { path: path.to_path_buf() });
        }
        Ok(Self { conn, path: path.to_path_buf() })
    }

    /// The version of its schema.
    ///
    /// # Errors
    ///
    /// The errors of a read.
    pub fn schema_version(&self) -> Result<u32, StoreError> {
        schema::version(&self.conn)
    }

    /// The number of its last event; 0 if it has none.
    ///
    /// # Errors
    ///
    /// The errors of a read.
    pub fn latest(&self) -> Result<u64, StoreError> {
        event_log::latest(&self.conn)
    }

    /// All entries of a projection, by key in byte order.
    ///
    /// # Errors
    ///
    /// The errors of a read.
    pub fn list(&self, name: &str) -> Result<Vec<(String, Value)>, StoreError> {
        projections::entries(&self.conn, name)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn checking(check_up_to: u64) -> StoreOptions {
    StoreOptions { busy_timeout: PATIENCE, check_up_to, ..StoreOptions::default() }
}

/// One read transaction from the first page to the last. What was deleted is not copied.
fn vacuum(from: &Path, to: &Path) -> Result<(), StoreError> {
    // Not `query_only`: that would forbid the new file, too. The source is opened for reading.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(from, flags)?;
    conn.busy_timeout(PATIENCE)?;
    let name = to.to_str().ok_or_else(|| StoreError::Io {
        path: to.to_path_buf(),
        kind: ErrorKind::InvalidInput,
        detail: "the path is not UTF-8".into(),
    })?;
    conn.execute("VACUUM INTO ?1", params![name])?;
    conn.close().map_err(|(_, error)| error.into())
}
