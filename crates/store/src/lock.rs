//! One daemon per home.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::{StoreError, home};

/// The name of the lock file in the home.
const LOCK: &str = "lock";

/// The right to be the daemon of a home, for as long as it is held.
///
/// The lock is the kernel's (`flock`), so it ends with the process however that
/// ends. The file holds the process id for people; it is never removed, because
/// removing it would let two daemons lock two files of one name.
///
/// ```compile_fail,E0599
/// fn two(lock: qd_store::HomeLock) -> [qd_store::HomeLock; 2] {
///     [lock.clone(), lock]
/// }
/// ```
/// ```
/// fn one(lock: qd_store::HomeLock) -> [qd_store::HomeLock; 1] {
///     [lock]
/// }
/// ```
#[derive(Debug)]
pub struct HomeLock {
    file: File,
    path: PathBuf,
}

impl HomeLock {
    /// Takes the lock of a home, and makes the home (mode 0700) if it is missing.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] if another holder is alive; [`StoreError::ReadOnly`]
    /// or [`StoreError::Io`] if the file cannot be made.
    pub fn acquire(dir: &Path) -> Result<Self, StoreError> {
        home::prepare_dir(dir)?;
        let path = dir.join(LOCK);
        let mut file = home::open_private(&path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(StoreError::InUse { pid: read_pid(&mut file) }),
            Err(errno) => return Err(StoreError::io(&path, &errno.into())),
        }
        let mut lock = Self { file, path };
        lock.write(&format!("{}\n", std::process::id()))?;
        Ok(lock)
    }

    fn write(&mut self, text: &str) -> Result<(), StoreError> {
        let path = &self.path;
        let refuse = |error: std::io::Error| StoreError::io(path, &error);
        self.file.set_len(0).map_err(refuse)?;
        self.file.seek(SeekFrom::Start(0)).map_err(refuse)?;
        self.file.write_all(text.as_bytes()).map_err(refuse)
    }
}

impl Drop for HomeLock {
    fn drop(&mut self) {
        // Only for people who look into the file; closing it is what unlocks.
        if let Err(error) = self.file.set_len(0) {
            tracing::debug!(%error, "cannot empty the lock file");
        }
    }
}

/// Keeps daemons away while a home is looked at, without writing anything; none when one is there.
pub(crate) fn look(dir: &Path) -> Option<File> {
    let file = File::open(dir.join(LOCK)).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(file)
}

/// The holder writes its id just after it takes the lock, so it may be missing.
fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
