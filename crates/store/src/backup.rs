//! The copy made before a migration.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::{StoreError, home};

const PAGES_PER_STEP: i32 = 1024;
/// More copies than this of one version mean that something runs in circles.
const MOST_COPIES: u32 = 10_000;

/// Copies the database, WAL included, to `backups/quarterdeck-v<version>-<n>.db`
/// (mode 0600) in the home, and returns the path. A copy cut short never has
/// that name.
pub(crate) fn before_migration(
    conn: &Connection,
    dir: &Path,
    version: u32,
) -> Result<PathBuf, StoreError> {
    let backups = dir.join(home::BACKUPS);
    home::prepare_dir(&backups).map_err(|error| failed(&error))?;
    let (partial, path) = free_name(&backups, version)?;
    let copied = copy(conn, &partial).map_err(|error| failed(&error)).and_then(|()| {
        fs::rename(&partial, &path).map_err(|error| failed(&StoreError::io(&path, &error)))
    });
    if copied.is_err() {
        // Best effort: the error that matters is the copy's.
        let _ = fs::remove_file(&partial);
    }
    copied.map(|()| path)
}

fn copy(from: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut to = Connection::open(path)?;
    Backup::new(from, &mut to)?.run_to_completion(PAGES_PER_STEP, Duration::ZERO, None)?;
    // The copy inherits WAL mode; a lone file is easier to carry away.
    to.pragma_update(None, "journal_mode", "DELETE")?;
    to.close().map_err(|(_, error)| error.into())
}

fn free_name(backups: &Path, version: u32) -> Result<(PathBuf, PathBuf), StoreError> {
    for n in 1..=MOST_COPIES {
        let path = backups.join(format!("quarterdeck-v{version}-{n}.db"));
        if path.exists() {
            continue;
        }
        let partial = path.with_extension("partial");
        // Left by a copy that was cut short.
        let _ = fs::remove_file(&partial);
        if home::create_private(&partial).map_err(|error| failed(&error))? {
            return Ok((partial, path));
        }
    }
    Err(StoreError::Backup { detail: format!("{} is full of copies", backups.display()) })
}

fn failed(error: &StoreError) -> StoreError {
    StoreError::Backup { detail: error.to_string() }
}
