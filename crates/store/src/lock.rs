//! One daemon per home.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::{StoreError, home};

/// The name of the lock file in the home.
const LOCK: &str = "lock";
/// How long a lock may outlive its holder. A program that the holder was about to start when it
/// ended has a copy of it for the moment until it is another program.
const DYING: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

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
        let mut until = None;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) => {}
                Err(errno) => return Err(StoreError::io(&path, &errno.into())),
            }
            let pid = read_pid(&mut file);
            let until = *until.get_or_insert_with(|| Instant::now() + DYING);
            // Without an id: one that has just taken it, or one that has just let go of it.
            if pid.is_some_and(is_there) || Instant::now() >= until {
                return Err(StoreError::InUse { pid });
            }
            std::thread::sleep(LOOK_AGAIN);
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

fn is_there(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// The holder writes its id just after it takes the lock, so it may be missing.
fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process id that no process has: it is beyond what the kernel gives.
    const NOBODY: u32 = 0x3fff_ffff;

    fn held(dir: &Path, text: &str) -> File {
        let mut file = home::open_private(&dir.join(LOCK)).unwrap();
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn a_lock_that_its_holder_left_for_a_moment_is_waited_for() {
        // Of one that was killed, and of one that ended in order.
        for text in [NOBODY.to_string(), String::new()] {
            let dir = tempfile::tempdir().unwrap();
            let held = held(dir.path(), &text);
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| HomeLock::acquire(dir.path()));
                std::thread::sleep(Duration::from_millis(100));
                drop(held);
                assert!(waiting.join().unwrap().is_ok(), "{text:?}");
            });
        }
    }

    #[test]
    fn one_that_lives_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let me = std::process::id();
        let _held = held(dir.path(), &me.to_string());
        assert_eq!(HomeLock::acquire(dir.path()).unwrap_err(), StoreError::InUse { pid: Some(me) });
    }
}
