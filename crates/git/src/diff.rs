//! What a session changed: the working tree, untracked files included, against the merge base.

mod patch;
mod raw;
mod snapshot;
mod whole;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::error::{GitError, Result};
use crate::{Checkout, Oid, RepoPath};

pub use patch::{Cut, FilePatch, PatchLimits};
use snapshot::Snapshot;
pub(crate) use snapshot::copy_index;
pub use whole::WholePatch;

/// How much of a large change is looked at.
#[derive(Debug, Clone, Copy)]
pub struct DiffLimits {
    /// The most files that are listed; the totals count them all.
    pub files: usize,
    /// A file of more bytes is listed with its size and not opened.
    pub large_file: u64,
    /// The most bytes of untracked files that are read to count their lines.
    pub untracked_bytes: u64,
    /// Also count ignored files and folders, each folder as one.
    pub count_ignored: bool,
}

impl Default for DiffLimits {
    fn default() -> Self {
        Self { files: 10_000, large_file: 4 << 20, untracked_bytes: 64 << 20, count_ignored: false }
    }
}

/// All changes of a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// What it was compared with.
    pub base: DiffBase,
    /// The changed files, sorted by path.
    pub files: Vec<FileChange>,
    /// Sums over all changes, listed or not.
    pub totals: Totals,
    /// Not all files are in the list.
    pub truncated: bool,
    /// How many ignored files and folders there are, if it was asked for.
    pub ignored: Option<u64>,
}

/// What a checkout was compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffBase {
    /// The name that was asked for.
    pub name: String,
    /// The commit that it names now; none in a repository without commits.
    pub commit: Option<Oid>,
    /// The commit that the working tree was compared with.
    pub merge_base: Option<Oid>,
    /// HEAD, unless it is unborn.
    pub head: Option<Oid>,
    /// The base and HEAD have no common commit; the comparison is with the base itself.
    pub unrelated: bool,
}

/// Sums over all changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Changed files.
    pub files: u64,
    /// Added lines.
    pub additions: u64,
    /// Removed lines.
    pub deletions: u64,
    /// Files without line counts: binary, too large, or nested repositories.
    pub uncounted: u64,
    /// There is more that was not looked at.
    pub at_least: bool,
}

/// The totals alone, for a list of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffStat {
    /// What it was compared with.
    pub base: DiffBase,
    /// The same sums as those of [`Diff`].
    pub totals: Totals,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names that git uses")]
pub enum FileStatus {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    TypeChanged,
    Untracked,
    Conflicted,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path now, or the last one of a deleted file.
    pub path: RepoPath,
    /// The path before, of a renamed or copied file.
    pub old_path: Option<RepoPath>,
    /// What happened.
    pub status: FileStatus,
    /// Octal, as git writes it: `100644`, `100755`, `120000` (link), `160000` (submodule).
    pub old_mode: Option<String>,
    /// Likewise, now.
    pub new_mode: Option<String>,
    /// Added lines; none if they were not counted.
    pub additions: Option<u64>,
    /// Removed lines; none if they were not counted.
    pub deletions: Option<u64>,
    /// Git takes it for binary.
    pub binary: bool,
    /// Larger than the limit, so not opened.
    pub large: bool,
    /// A submodule, or a repository inside the checkout that git does not look into.
    pub submodule: bool,
    /// Bytes of the file now, if it is there.
    pub size: Option<u64>,
    /// It differs from HEAD: not all of the change is committed.
    pub uncommitted: bool,
    #[serde(skip)]
    pub(crate) old_oid: Option<Oid>,
}

/// How often a read is begun that a signal ends.
const TRIES: u32 = 4;

/// Whether git was ended by a signal: it maps the files that it compares, and one that the agent
/// shortens in that moment ends it with SIGBUS. Then the read is begun again.
fn was_killed<T>(read: &Result<T>) -> bool {
    matches!(read, Err(GitError::Failed { code: None, .. }))
}

impl Checkout {
    /// The changes of this checkout since its merge base with `base`, committed or not, untracked
    /// files included. Takes no lock, writes nothing to the repository.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], or when git cannot be asked.
    pub async fn diff(&self, base: &str, limits: &DiffLimits) -> Result<Diff> {
        let mut tries = 1;
        loop {
            let read = self.diff_once(base, limits).await;
            if tries == TRIES || !was_killed(&read) {
                return read;
            }
            tries += 1;
        }
    }

    async fn diff_once(&self, base: &str, limits: &DiffLimits) -> Result<Diff> {
        let base = self.diff_base(base).await?;
        let snapshot = Snapshot::take(self, &base, limits, None).await?;
        let mut changes = self.changes(&snapshot, &base, limits, None).await?;
        let uncommitted = self.uncommitted(&snapshot, &base).await?;
        let totals = totals(&changes, snapshot.at_least);
        let truncated = changes.len() > limits.files || snapshot.at_least;
        changes.truncate(limits.files);
        for change in &mut changes {
            change.uncommitted = uncommitted.as_ref().is_none_or(|set| {
                set.contains(&change.path)
                    || change.old_path.as_ref().is_some_and(|old| set.contains(old))
                    || change.status == FileStatus::Untracked
            });
        }
        let ignored = if limits.count_ignored { Some(self.count_ignored().await?) } else { None };
        Ok(Diff { base, files: changes, totals, truncated, ignored })
    }

    /// Only the sums of [`Checkout::diff`].
    ///
    /// # Errors
    /// As [`Checkout::diff`].
    pub async fn diff_stat(&self, base: &str, limits: &DiffLimits) -> Result<DiffStat> {
        let mut tries = 1;
        loop {
            let read = self.diff_stat_once(base, limits).await;
            if tries == TRIES || !was_killed(&read) {
                return read;
            }
            tries += 1;
        }
    }

    async fn diff_stat_once(&self, base: &str, limits: &DiffLimits) -> Result<DiffStat> {
        let base = self.diff_base(base).await?;
        let snapshot = Snapshot::take(self, &base, limits, None).await?;
        let changes = self.changes(&snapshot, &base, limits, None).await?;
        Ok(DiffStat { base, totals: totals(&changes, snapshot.at_least) })
    }

    async fn diff_base(&self, name: &str) -> Result<DiffBase> {
        let head = self.commit("HEAD").await?;
        let commit = self.commit(name).await?;
        let (merge_base, unrelated) = match (&commit, &head) {
            (None, None) => (None, false),
            (None, Some(_)) => return Err(GitError::BaseMissing { name: name.to_owned() }),
            (Some(commit), None) => (Some(commit.clone()), true),
            (Some(commit), Some(head)) => match self.merge_base(commit, head).await? {
                Some(found) => (Some(found), false),
                None => (Some(commit.clone()), true),
            },
        };
        Ok(DiffBase { name: name.to_owned(), commit, merge_base, head, unrelated })
    }

    pub(crate) async fn merge_base(&self, a: &Oid, b: &Oid) -> Result<Option<Oid>> {
        let call = self.read("merge-base").args(["merge-base", a.as_str(), b.as_str()]);
        let output = self.git.run(call).await?;
        if output.code == Some(1) {
            return Ok(None);
        }
        Ok(Oid::parse(&output.success(self.top())?.line()?))
    }

    /// Paths that differ from HEAD; `None` stands for all.
    async fn uncommitted(
        &self,
        snapshot: &Snapshot,
        base: &DiffBase,
    ) -> Result<Option<HashSet<RepoPath>>> {
        let Some(head) = base.head.as_ref().filter(|_| base.merge_base != base.head) else {
            return Ok(None);
        };
        let call = self
            .read("diff")
            .index(&snapshot.index())
            .args(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"])
            .args([
                "--no-relative",
                "--ignore-submodules=dirty",
                "-O/dev/null",
                head.as_str(),
                "--",
            ])
            .limit(raw::MAX_LISTING);
        let output = self.git.run(call).await?.success(self.top())?;
        Ok(Some(crate::checkout::split_paths(&output.stdout).collect()))
    }

    async fn count_ignored(&self) -> Result<u64> {
        let call = self
            .read("ls-files")
            .args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
            .limit(raw::MAX_LISTING);
        let output = self.git.run(call).await?.success(self.top())?;
        Ok(crate::checkout::split_paths(&output.stdout).count() as u64)
    }
}

fn totals(changes: &[FileChange], at_least: bool) -> Totals {
    let mut totals = Totals { files: changes.len() as u64, at_least, ..Totals::default() };
    for change in changes {
        match (change.additions, change.deletions) {
            (Some(additions), Some(deletions)) => {
                totals.additions += additions;
                totals.deletions += deletions;
            }
            _ => totals.uncounted += 1,
        }
    }
    totals
}
