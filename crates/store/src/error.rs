//! What can go wrong, in terms a caller can act on.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::Expect;

/// Everything the store can answer instead of a result.
///
/// The type is `Clone` because one failed commit answers a whole batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The owner closed or dropped the store; nothing was written.
    #[error("the store is closed")]
    Closed,
    /// The stream is not at the version the caller expected; nothing was written.
    #[error("stream {stream} is at version {actual}, expected {expected}")]
    VersionConflict {
        /// The stream that was appended to.
        stream: String,
        /// What the caller expected.
        expected: Expect,
        /// Its version; 0 if there is no such stream.
        actual: u64,
    },
    /// The key was used before for something else.
    #[error("the idempotency key {key:?} was used for a different request")]
    IdempotencyConflict {
        /// The key.
        key: String,
    },
    /// An append without events.
    #[error("an append to {stream} carries no event")]
    EmptyAppend {
        /// The stream.
        stream: String,
    },
    /// A device with this id or this token exists.
    #[error("the device {id} exists")]
    DeviceExists {
        /// The id of the refused device.
        id: String,
    },
    /// A number does not fit the database (63 bits).
    #[error("{what} is out of range: {value}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: u64,
    },
    /// The database was written by a newer version; nothing was touched.
    #[error("{path} has schema version {found}, of Quarterdeck {by}; this program knows {supported}",
        path = .path.display(), by = .by.as_deref().unwrap_or("unknown"))]
    NewerSchema {
        /// The database file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest version this program knows.
        supported: u32,
        /// The version of the program that opened it last, where it says so.
        by: Option<String>,
    },
    /// The file is no SQLite database; it was not touched.
    #[error("{path} is not a database", path = .path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is a SQLite database of another program; it was not touched.
    #[error("{path} belongs to another program (application id {application_id:#x})", path = .path.display())]
    ForeignDatabase {
        /// The file.
        path: PathBuf,
        /// Its application id.
        application_id: u32,
    },
    /// The database is damaged.
    #[error("the database is damaged: {detail}")]
    Corrupt {
        /// What SQLite or the store saw.
        detail: String,
    },
    /// No room on the disk, or the size limit was reached; nothing was written.
    #[error("no room left for the database")]
    DiskFull,
    /// The home or a file in it cannot be written.
    #[error("cannot write to the home: {detail}")]
    ReadOnly {
        /// What was refused.
        detail: String,
    },
    /// Another process held the write lock for longer than the busy time-out.
    #[error("another process keeps the database locked")]
    Busy,
    /// Another daemon owns this home.
    #[error("the home is in use{}", .pid.map(|p| format!(" by process {p}")).unwrap_or_default())]
    InUse {
        /// Its process id, when the lock file says it.
        pid: Option<u32>,
    },
    /// The copy before a migration could not be made; nothing was migrated.
    #[error("cannot back up the database before migrating it: {detail}")]
    Backup {
        /// Why.
        detail: String,
    },
    /// A migration step failed and was rolled back.
    #[error("migration to schema version {to} failed: {detail}")]
    Migration {
        /// The version the step would have reached.
        to: u32,
        /// Why.
        detail: String,
    },
    /// A value cannot be written as JSON or read back from it.
    #[error("{what} is not JSON: {detail}")]
    Json {
        /// Which value.
        what: &'static str,
        /// Why.
        detail: String,
    },
    /// The system refused an operation on a file.
    #[error("{path}: {detail}", path = .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// The message of the system.
        detail: String,
    },
    /// Any other answer of SQLite.
    #[error("database: {detail} (code {code})")]
    Database {
        /// SQLite's extended result code; 0 if the error is not SQLite's.
        code: i32,
        /// Its message.
        detail: String,
    },
}

impl StoreError {
    /// Types a file error; "permission denied" and "read-only file system" become
    /// [`StoreError::ReadOnly`], a full disk [`StoreError::DiskFull`].
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { detail: format!("{}: {error}", path.display()) }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            kind => Self::Io { path: path.to_path_buf(), kind, detail: error.to_string() },
        }
    }

    /// Names the file in errors that SQLite gives without one.
    pub(crate) fn at(self, path: &Path) -> Self {
        match self {
            Self::NotADatabase { .. } => Self::NotADatabase { path: path.to_path_buf() },
            Self::Corrupt { detail } => {
                Self::Corrupt { detail: format!("{}: {detail}", path.display()) }
            }
            other => other,
        }
    }
}

/// `SQLITE_IOERR_SHMSIZE`.
const SHM_FULL: i32 = 4874;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(cause, message) = &error else {
            return Self::Database { code: 0, detail: error.to_string() };
        };
        let detail = message.clone().unwrap_or_else(|| cause.to_string());
        match cause.code {
            ErrorCode::DiskFull => Self::DiskFull,
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly { detail },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DatabaseCorrupt => Self::Corrupt { detail },
            ErrorCode::NotADatabase => Self::NotADatabase { path: PathBuf::new() },
            // The index of the WAL is shared memory in a file beside it, which has to grow.
            ErrorCode::SystemIoFailure if cause.extended_code == SHM_FULL => Self::DiskFull,
            _ => Self::Database { code: cause.extended_code, detail },
        }
    }
}

/// Writes an unsigned number as SQLite's signed 64 bits.
pub(crate) fn to_db(what: &'static str, value: u64) -> Result<i64, StoreError> {
    i64::try_from(value).map_err(|_| StoreError::OutOfRange { what, value })
}

/// Reads an unsigned number back.
pub(crate) fn from_db(what: &'static str, value: i64) -> Result<u64, StoreError> {
    u64::try_from(value)
        .map_err(|_| StoreError::Corrupt { detail: format!("{what} is negative: {value}") })
}

/// Serialises a payload.
pub(crate) fn to_json(what: &'static str, value: &serde_json::Value) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|error| StoreError::Json { what, detail: error.to_string() })
}

/// Parses a stored payload.
pub(crate) fn from_json(what: &'static str, text: &str) -> Result<serde_json::Value, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Json { what, detail: error.to_string() })
}
