//! Bringing a home back.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, FileTimes, OpenOptions, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use qd_core::{Code, Lifecycle, Problem, Session};
use qd_store::{DatabaseCopy, HomeLock, StoreError};

use super::pack::sessions;
use super::scan::{Fault, Sink, scan};
use super::sums::{Entry, Kind};
use super::{Manifest, Progress, damaged, system};
use crate::problems;

/// What a home holds after it was brought back.
#[derive(Clone, Debug)]
pub struct Restored {
    /// What the backup says of itself.
    pub manifest: Manifest,
    /// Its sessions, those in the trash too.
    pub sessions: usize,
    /// How many of them are in the trash.
    pub trashed: usize,
    /// How many of them are paused.
    pub paused: usize,
    /// How many had a program when the backup was made.
    pub running: usize,
    /// What cannot be brought back, session by session, in sentences.
    pub missing: Vec<String>,
}

/// Checks a backup from end to end and brings it back to a home that is not there or is empty.
/// The home appears whole or not at all.
///
/// # Errors
/// [`Code::HomeInUse`], [`Code::PathTaken`] when something is in the home,
/// [`Code::BackupDamaged`], [`Code::StoreNewer`], or what the disk says.
pub fn restore(
    mut file: File,
    home: &Path,
    told: &mut dyn FnMut(Progress),
) -> Result<Restored, Problem> {
    require_empty(home)?;
    let checked = scan(&file, &mut Nobody, told).map_err(problem)?;
    file.rewind().map_err(|error| system("Reading the backup", &error))?;
    let parent = home.parent().unwrap_or(Path::new("/"));
    let failed = |error: &io::Error| system("Restoring the home", error);
    DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(|e| failed(&e))?;
    let half = tempfile::Builder::new()
        .prefix(".qd-restore-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)
        .map_err(|e| failed(&e))?;
    let mut writer = Writer { root: half.path().to_path_buf(), folders: vec![], open: None };
    // Somebody may have changed the file meanwhile.
    let manifest = scan(&file, &mut writer, told).map_err(problem)?;
    if manifest != checked {
        return Err(damaged("it changed while it was read"));
    }
    writer.close().map_err(|e| failed(&e))?;
    let copy = DatabaseCopy::open(&half.path().join("quarterdeck.db")).map_err(|error| {
        match problems::store(&error) {
            Problem { code: Code::StoreDamaged, message, .. } => damaged(message),
            other => other,
        }
    })?;
    let sessions = sessions(&copy)?;
    drop(copy);
    let half = half.keep();
    // Takes the place of an empty folder only.
    if let Err(error) = std::fs::rename(&half, home) {
        let _ = std::fs::remove_dir_all(&half);
        require_empty(home)?;
        return Err(failed(&error));
    }
    let home = home.canonicalize().unwrap_or_else(|_| home.to_path_buf());
    let count = |is: Lifecycle| sessions.iter().filter(|s| s.lifecycle == is).count();
    Ok(Restored {
        sessions: sessions.len(),
        trashed: count(Lifecycle::Trashed),
        paused: count(Lifecycle::Paused),
        running: count(Lifecycle::Running),
        missing: sessions.iter().filter_map(|s| missing(s, &home, &manifest.head.home)).collect(),
        manifest,
    })
}

fn require_empty(home: &Path) -> Result<(), Problem> {
    let mut entries = match std::fs::read_dir(home) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(system("Looking at the home", &error)),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    if home.join("lock").exists()
        && let Err(error @ StoreError::InUse { .. }) = HomeLock::acquire(home)
    {
        return Err(problems::store(&error));
    }
    Err(Problem::new(
        Code::PathTaken,
        format!("The home {} is not empty; nothing was restored.", home.display()),
        "Move it away, or restore into another one with `--home DIR`.",
    ))
}

/// What of a session cannot be brought back here, in a sentence.
fn missing(session: &Session, home: &Path, was: &str) -> Option<String> {
    let place = session.place.as_ref()?;
    let name = format!("{} \u{201c}{}\u{201d}", session.id, session.launch.title);
    let Some(at) = session.parked.as_ref().and_then(|parked| parked.path.as_ref()) else {
        let works = !matches!(session.lifecycle, Lifecycle::Trashed | Lifecycle::Failed);
        let gone = works && !Path::new(&place.worktree).is_dir();
        return gone.then(|| format!("{name}: its worktree {} is not there.", place.worktree));
    };
    let kept = home.join("trash").join(session.id.as_str()).join("worktree");
    if !kept.is_dir() {
        return Some(format!("{name}: its files are not in the backup."));
    }
    if Path::new(at) != kept {
        return Some(format!(
            "{name}: its files are in {}, but `qd restore` looks for them in {was}: they come \
             back by themselves only in a home at that path.",
            kept.display()
        ));
    }
    let receipt = session.parked.as_ref().and_then(|parked| parked.receipt.as_ref())?;
    let admin = receipt.get("admin").and_then(|admin| admin.as_str()).unwrap_or_default();
    let known = place.common_dir.as_ref().is_some_and(|common| {
        Path::new(common).join("worktrees").join(admin).join("HEAD").is_file()
    });
    (!known).then(|| {
        format!(
            "{name}: its repository is not there, or does not know the worktree any more. Its \
             files are in {}.",
            kept.display()
        )
    })
}

fn problem(fault: Fault) -> Problem {
    match fault {
        Fault::Backup(problem) => problem,
        Fault::Sink(error) => system("Restoring the home", &error),
    }
}

/// For the check.
struct Nobody;

impl Sink for Nobody {
    fn entry(&mut self, _: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn content(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what is read into a folder that was empty before. Nothing is followed or replaced.
struct Writer {
    root: PathBuf,
    /// Folders get their mode and time last: one that cannot be written could not be filled.
    folders: Vec<(PathBuf, u32, u64)>,
    open: Option<(File, PathBuf, u32, u64)>,
}

impl Sink for Writer {
    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        self.settle()?;
        let path = self.root.join(OsStr::from_bytes(&entry.path));
        match &entry.kind {
            Kind::Folder => {
                DirBuilder::new().mode(0o700).create(&path)?;
                self.folders.push((path, entry.mode, entry.mtime));
            }
            Kind::Link { target } => {
                std::os::unix::fs::symlink(OsStr::from_bytes(target), &path)?;
            }
            Kind::File { .. } => {
                let mut new = OpenOptions::new();
                let file = new.write(true).create_new(true).mode(0o600).open(&path)?;
                self.open = Some((file, path, entry.mode, entry.mtime));
            }
        }
        Ok(())
    }

    fn content(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.open {
            Some((file, ..)) => file.write_all(bytes),
            None => Err(io::Error::other("content without a file")),
        }
    }
}

impl Writer {
    fn settle(&mut self) -> io::Result<()> {
        let Some((file, _, mode, mtime)) = self.open.take() else { return Ok(()) };
        file.set_permissions(Permissions::from_mode(mode))?;
        file.set_times(times(mtime))?;
        Ok(())
    }

    fn close(mut self) -> io::Result<()> {
        self.settle()?;
        // Those further in first.
        for (path, mode, mtime) in self.folders.iter().rev() {
            let folder = File::open(path)?;
            folder.set_permissions(Permissions::from_mode(*mode))?;
            folder.set_times(times(*mtime))?;
        }
        // On the disk before it takes its name.
        sync(&self.root)
    }
}

#[cfg(target_os = "linux")]
fn sync(root: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(root)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync(_: &Path) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

fn times(seconds: u64) -> FileTimes {
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    time.map_or_else(FileTimes::new, |time| FileTimes::new().set_modified(time))
}
