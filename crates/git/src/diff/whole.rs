//! All changes of a checkout as one patch that `git apply` takes.

use super::snapshot::{Snapshot, UntrackedKind};
use super::{DiffLimits, TRIES, was_killed};
use crate::error::{GitError, Result};
use crate::{Checkout, Oid, RepoPath};

/// A file above this many bytes is left out: git holds each in memory.
const LARGE_FILE: u64 = 64 << 20;
/// Bytes of untracked files that are opened in all.
const UNTRACKED: u64 = 1 << 30;
/// The most bytes of a patch.
const LARGEST: usize = 128 << 20;

/// A patch of everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholePatch {
    /// The commit that it applies to; none if that is the empty tree.
    pub base: Option<Oid>,
    /// Unified diffs with git's headers, binary files included.
    pub bytes: Vec<u8>,
    /// Untracked files that are not in it: too large, or repositories of their own.
    pub left_out: Vec<RepoPath>,
}

impl Checkout {
    /// All changes since the merge base with `base`, committed or not, untracked and binary files
    /// included, as bytes that `git apply` takes there. Takes no lock, writes nothing to the
    /// repository.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], [`GitError::TooLarge`] above 128 MiB, or when git cannot be
    /// asked.
    pub async fn whole_patch(&self, base: &str) -> Result<WholePatch> {
        let mut tries = 1;
        loop {
            let read = self.whole_patch_once(base).await;
            if tries == TRIES || !was_killed(&read) {
                return read;
            }
            tries += 1;
        }
    }

    async fn whole_patch_once(&self, base: &str) -> Result<WholePatch> {
        let base = self.diff_base(base).await?;
        let limits = DiffLimits {
            large_file: LARGE_FILE,
            untracked_bytes: UNTRACKED,
            ..DiffLimits::default()
        };
        let snapshot = Snapshot::take(self, &base, &limits, None).await?;
        if snapshot.at_least {
            return Err(GitError::unexpected("diff", "there are too many untracked files"));
        }
        let format = ["--patch", "--binary", "--full-index", "--unified=3"];
        // No file is too large here to be shown as it is.
        let call = self.diff_call(&snapshot, &base, u64::from(u32::MAX), &format, &[]);
        let output = self.git.run(call.limit(LARGEST)).await?;
        let output = if output.cut { output } else { output.success(self.top())? };
        let bytes = output.whole(LARGEST)?.stdout;
        let left_out = snapshot
            .unopened
            .iter()
            .filter(|file| file.kind != UntrackedKind::Link)
            .map(|file| file.path.clone())
            .collect();
        Ok(WholePatch { base: base.merge_base, bytes, left_out })
    }
}
