//! A private copy of the index, in which untracked files are known.
//!
//! Git compares a commit with the working tree by way of an index. The agent's own index is only
//! read: its copy gets an entry for every untracked file (a name and a mode; nothing is hashed and
//! no object is written), plain entries for conflicted ones, and a refresh that also looks at
//! files that were marked as unchanged.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::{DiffBase, DiffLimits, raw};
use crate::checkout::split_paths;
use crate::error::{GitError, Result};
use crate::{Checkout, RepoPath};

/// The state of a working tree as git will compare it.
pub(super) struct Snapshot {
    dir: tempfile::TempDir,
    /// Untracked files that the copy of the index knows.
    pub(super) untracked: HashSet<RepoPath>,
    /// Untracked files that git is not told of.
    pub(super) unopened: Vec<Untracked>,
    pub(super) conflicted: HashSet<RepoPath>,
    /// There are more untracked files than were looked at.
    pub(super) at_least: bool,
}

/// An untracked file, as the file system has it.
pub(super) struct Untracked {
    pub(super) path: RepoPath,
    pub(super) kind: UntrackedKind,
    pub(super) size: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UntrackedKind {
    File { executable: bool },
    Link,
    Repository,
}

impl UntrackedKind {
    pub(super) fn mode(self) -> &'static str {
        match self {
            Self::File { executable: false } => "100644",
            Self::File { executable: true } => "100755",
            Self::Link => "120000",
            Self::Repository => "160000",
        }
    }
}

impl Snapshot {
    pub(super) fn index(&self) -> PathBuf {
        self.dir.path().join("index")
    }

    /// `only`: one path instead of all.
    pub(super) async fn take(
        checkout: &Checkout,
        base: &DiffBase,
        limits: &DiffLimits,
        only: Option<&RepoPath>,
    ) -> Result<Self> {
        let (scratch, git_dir) = (&checkout.git.config().scratch, checkout.git_dir());
        let dir = copy_index(scratch, git_dir)?;
        let mut snapshot = Self {
            dir,
            untracked: HashSet::new(),
            unopened: Vec::new(),
            conflicted: HashSet::new(),
            at_least: false,
        };
        let untracked = snapshot.list_untracked(checkout, only).await?;
        snapshot.conflicted = snapshot.list_conflicted(checkout).await?;

        let zero =
            base.head.as_ref().map_or_else(|| "0".repeat(40), |h| h.zero_alike().to_string());
        let blob = base
            .head
            .as_ref()
            .map_or("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", |h| h.empty_blob_alike());
        let mut entries = Vec::new();
        let mut add = |mode: &str, oid: &str, path: &RepoPath| {
            entries.extend_from_slice(format!("{mode} {oid} 0\t").as_bytes());
            entries.extend_from_slice(path.as_bytes());
            entries.push(0);
        };
        for path in &snapshot.conflicted {
            add("0", &zero, path);
            match look_at(checkout.top(), path.clone()) {
                Some(file) if file.kind != UntrackedKind::Repository => add("100644", blob, path),
                _ => {}
            }
        }
        let mut room = limits.untracked_bytes;
        for file in untracked {
            let opened = match file.kind {
                UntrackedKind::Repository => false,
                UntrackedKind::Link => true,
                UntrackedKind::File { .. } => file.size <= limits.large_file && file.size <= room,
            };
            if opened {
                room = room.saturating_sub(file.size);
                // The executable bit is read from the file, if `core.fileMode` says so.
                let mode = if file.kind == UntrackedKind::Link { "120000" } else { "100644" };
                add(mode, blob, &file.path);
                snapshot.untracked.insert(file.path);
            } else {
                snapshot.unopened.push(file);
            }
        }
        let call = checkout
            .read("update-index")
            .index(&snapshot.index())
            .args(["update-index", "-q", "--unmerged", "--really-refresh", "--add", "--replace"])
            .args(["-z", "--index-info"])
            .stdin(entries);
        checkout.git.run(call).await?.success(checkout.top())?;
        Ok(snapshot)
    }

    async fn list_untracked(
        &mut self,
        checkout: &Checkout,
        only: Option<&RepoPath>,
    ) -> Result<Vec<Untracked>> {
        let mut call = checkout
            .read("ls-files")
            .index(&self.index())
            .literal_paths()
            .args(["ls-files", "-z", "--others", "--exclude-standard", "--"])
            .limit(raw::MAX_LISTING);
        if let Some(only) = only {
            call = call.arg(only.as_os_str());
        }
        let mut output = checkout.git.run(call).await?.success(checkout.top())?;
        if output.cut {
            self.at_least = true;
            let whole = output.stdout.iter().rposition(|&b| b == 0).map_or(0, |end| end + 1);
            output.stdout.truncate(whole);
        }
        let top = checkout.top().to_path_buf();
        let looking = tokio::task::spawn_blocking(move || {
            split_paths(&output.stdout).filter_map(|path| look_at(&top, path)).collect()
        });
        looking.await.map_err(|_| GitError::unexpected("ls-files", "the listing did not finish"))
    }

    async fn list_conflicted(&self, checkout: &Checkout) -> Result<HashSet<RepoPath>> {
        let call = checkout
            .read("ls-files")
            .index(&self.index())
            .args(["ls-files", "-z", "--unmerged"])
            .limit(raw::MAX_LISTING);
        let output = checkout.git.run(call).await?.success(checkout.top())?;
        let records = output.stdout.split(|&b| b == 0);
        let path = |record: &[u8]| {
            let tab = record.iter().position(|&b| b == b'\t')?;
            Some(RepoPath::from_bytes(&record[tab + 1..]))
        };
        Ok(records.filter_map(path).collect())
    }
}

fn look_at(top: &Path, path: RepoPath) -> Option<Untracked> {
    use std::os::unix::fs::PermissionsExt;
    let meta = std::fs::symlink_metadata(top.join(path.as_path())).ok()?;
    let kind = if meta.is_symlink() {
        UntrackedKind::Link
    } else if meta.is_dir() {
        UntrackedKind::Repository
    } else if meta.is_file() {
        UntrackedKind::File { executable: meta.permissions().mode() & 0o100 != 0 }
    } else {
        return None;
    };
    let path = match path.as_bytes().strip_suffix(b"/") {
        Some(name) => RepoPath::from_bytes(name),
        None => path,
    };
    Some(Untracked { path, kind, size: meta.len() })
}

/// Copies the index with its time, which git needs to see files that changed in the same instant.
pub(crate) fn copy_index(scratch: &Path, git_dir: &Path) -> Result<tempfile::TempDir> {
    let from = git_dir.join("index");
    let copy = || -> io::Result<tempfile::TempDir> {
        std::fs::create_dir_all(scratch)?;
        let private = std::fs::Permissions::from_mode(0o700);
        let mut folder = tempfile::Builder::new();
        let dir = folder.prefix("index-").permissions(private).tempdir_in(scratch)?;
        let mut source = match File::open(&from) {
            Ok(source) => source,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(dir),
            Err(e) => return Err(e),
        };
        let mut target = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(dir.path().join("index"))?;
        io::copy(&mut source, &mut target)?;
        let times = std::fs::FileTimes::new().set_modified(source.metadata()?.modified()?);
        target.set_times(times)?;
        Ok(dir)
    };
    copy().map_err(|e| GitError::io("Copying the index of", git_dir, e))
}
