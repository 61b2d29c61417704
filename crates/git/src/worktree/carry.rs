//! Carrying work that is not committed over to a new worktree at the same commit.
//!
//! The source may be worked in meanwhile and is only read. Its index is copied as it is, so that
//! staged and intended changes and conflicts are there as well; of its files those are copied that
//! may differ from the commit. No symbolic link is followed on either side.

use std::collections::BTreeSet;
use std::path::Path;

use crate::beneath::{self, CopyError};
use crate::checkout::split_paths;
use crate::command::{Call, Kind};
use crate::diff::copy_index;
use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::{Checkout, Oid, RepoPath};

/// The most bytes of names that are listed.
const MAX_LISTING: usize = 64 << 20;
/// What git keeps of a merge under way.
const MERGE: &[&str] = &["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"];

impl Repo {
    /// Makes the worktree `dest`, which is at `commit` and untouched, like `source`: index,
    /// changed, deleted and untracked files. Returns sentences for people about what was left out.
    ///
    /// # Errors
    /// When something cannot be read or written; `dest` is half-done then.
    pub(super) async fn carry_over(
        &self,
        source: &Checkout,
        dest: &Checkout,
        commit: &Oid,
    ) -> Result<Vec<String>> {
        let folder = copy_index(&self.git.config().scratch, source.git_dir())?;
        let index = folder.path().join("index");
        // Written anew without what only holds at its old place, such as a part in another file.
        let call = Call::new(Kind::Write, "update-index", source.top())
            .in_dirs(source.git_dir(), Some(source.top()))
            .index(&index)
            .args(["update-index", "--no-split-index", "--no-untracked-cache"])
            .args(["--no-fsmonitor", "--force-write-index"]);
        self.git.run(call).await?.success(source.top())?;

        let mut changed = BTreeSet::new();
        let base = commit.as_str();
        for args in [
            &["diff-index", "--cached", "--name-only", "-z", "--no-renames", base][..],
            &["diff-index", "--name-only", "-z", "--no-renames", base],
        ] {
            changed.extend(list(source, &index, "diff-index", args).await?);
        }
        changed.extend(flagged(source, &index).await?);
        let others = ["ls-files", "-z", "--others", "--exclude-standard"];
        let untracked: BTreeSet<_> =
            list(source, &index, "ls-files", &others).await?.into_iter().map(bare).collect();

        let (from, to) = (source.top().to_path_buf(), dest.top().to_path_buf());
        let copying = tokio::task::spawn_blocking(move || copy_all(&from, &to, changed, untracked));
        let copied = copying.await;
        let mut notes =
            copied.map_err(|_| GitError::unexpected("fork", "copying did not finish"))??;

        let target = dest.git_dir().join("index");
        std::fs::copy(&index, &target).map_err(|e| GitError::io("Copying", &target, e))?;
        notes.extend(carry_merge(source, dest)?);
        // Git takes the files for changed until it has looked at them once.
        let call = Call::new(Kind::Write, "update-index", dest.top())
            .in_dirs(dest.git_dir(), Some(dest.top()))
            .args(["update-index", "-q", "--refresh"]);
        self.git.run(call).await?;
        Ok(notes)
    }
}

/// A repository within is listed with a slash at its end.
fn bare(path: RepoPath) -> RepoPath {
    match path.as_bytes().strip_suffix(b"/") {
        Some(name) => RepoPath::from_bytes(name),
        None => path,
    }
}

async fn list(
    source: &Checkout,
    index: &Path,
    what: &'static str,
    args: &[&str],
) -> Result<Vec<RepoPath>> {
    let call = source.read(what).index(index).args(args).limit(MAX_LISTING);
    let output = source.git.run(call).await?.success(source.top())?.whole(MAX_LISTING)?;
    Ok(split_paths(&output.stdout).collect())
}

/// Files that git was told not to look at.
async fn flagged(source: &Checkout, index: &Path) -> Result<Vec<RepoPath>> {
    let call =
        source.read("ls-files").index(index).args(["ls-files", "-v", "-z"]).limit(MAX_LISTING);
    let output = source.git.run(call).await?.success(source.top())?.whole(MAX_LISTING)?;
    let records = output.stdout.split(|&b| b == 0);
    Ok(records
        .filter_map(|record| match record {
            [tag, b' ', path @ ..] if *tag == b'S' || tag.is_ascii_lowercase() => {
                Some(RepoPath::from_bytes(path))
            }
            _ => None,
        })
        .collect())
}

fn carry_merge(source: &Checkout, dest: &Checkout) -> Result<Option<String>> {
    use crate::Operation;
    match source.operation() {
        None => Ok(None),
        Some(Operation::Merge) => {
            for name in MERGE {
                let (from, to) = (source.git_dir().join(name), dest.git_dir().join(name));
                match std::fs::copy(&from, &to) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        return Err(GitError::io("Copying", &from, e));
                    }
                    _ => {}
                }
            }
            Ok(None)
        }
        Some(_) => Ok(Some(
            "What git has under way in the source, such as a rebase, was not carried over.".into(),
        )),
    }
}

fn copy_all(
    from: &Path,
    to: &Path,
    changed: BTreeSet<RepoPath>,
    untracked: BTreeSet<RepoPath>,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let (source, dest) = (beneath::open_root(from)?, beneath::open_root(to)?);
    let fail = |path: &RepoPath, error: CopyError| match error {
        CopyError::Full => GitError::DiskFull {
            path: to.join(path.as_path()),
            said: "no room for a copy".to_owned(),
        },
        error => GitError::unexpected("fork", format!("{path} could not be copied: {error:?}")),
    };
    // First what is not there or is something else there: it may be in the way of the rest.
    for path in &changed {
        let same_kind = matches!(
            (beneath::kind(&source, path), beneath::kind(&dest, path)),
            (Ok(a), Ok(b)) if a == b
        );
        // A folder that stands for a commit of another repository stays empty here.
        if !same_kind {
            beneath::remove(&dest, path).map_err(|e| fail(path, e))?;
        }
    }
    for path in changed.iter().chain(&untracked) {
        match beneath::copy_entry(&source, &dest, path) {
            // It was deleted, before we looked or since.
            Ok(()) | Err(CopyError::Missing) => {}
            Err(CopyError::Folder) if untracked.contains(path) => {
                let name = path.as_path();
                if let Some(parent) = to.join(name).parent() {
                    std::fs::create_dir_all(parent)
                        .map_err(|e| GitError::io("Making the folder", parent, e))?;
                }
                let skipped = crate::trash::copy_tree(&from.join(name), &to.join(name))?;
                notes.extend(skipped.iter().map(|at| {
                    format!("{} is a socket or a device and was not copied.", at.display())
                }));
            }
            Err(CopyError::Folder) => {
                if from.join(path.as_path()).join(".git").symlink_metadata().is_ok() {
                    notes.push(format!("The submodule {path} is empty: fill it with git."));
                }
            }
            Err(CopyError::NotAFile) => {
                notes.push(format!("{path} is a socket or a device and was not copied."));
            }
            Err(error) => return Err(fail(path, error)),
        }
    }
    Ok(notes)
}
