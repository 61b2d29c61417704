//! The text of one file's change, cut to what can be shown.

mod cutter;

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::snapshot::Snapshot;
use super::{DiffLimits, FileChange, FileStatus};
use crate::beneath;
use crate::error::{GitError, Result};
use crate::{Checkout, Oid, RepoPath};
use cutter::Cutter;

/// How much of a patch is taken.
#[derive(Debug, Clone, Copy)]
pub struct PatchLimits {
    /// The most bytes of text.
    pub bytes: usize,
    /// The most lines.
    pub lines: usize,
    /// The most bytes of one line.
    pub line_bytes: usize,
    /// A file of more bytes is only opened with `open_large`.
    pub large_file: u64,
    /// The person asked to see it all the same, cut.
    pub open_large: bool,
}

impl Default for PatchLimits {
    fn default() -> Self {
        Self {
            bytes: 1 << 20,
            lines: 20_000,
            line_bytes: 4 << 10,
            large_file: 4 << 20,
            open_large: false,
        }
    }
}

/// A file above this is not given to git even if the person asks: git would hold it in memory.
const HUGE_FILE: u64 = 64 << 20;

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePatch {
    /// The file as in the list; none if it is not changed.
    pub change: Option<FileChange>,
    /// Unified diff with git's header. Empty for unopened files and for binary ones that changed.
    pub text: String,
    /// Some bytes were not UTF-8 and are shown as U+FFFD.
    pub lossy: bool,
    /// What is missing from the text.
    pub cut: Cut,
    /// Bytes of the file before, where the text does not show it.
    pub old_size: Option<u64>,
}

/// What is missing from a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The end, because of the limit on bytes.
    pub bytes: bool,
    /// The end, because of the limit on lines.
    pub lines: bool,
    /// The ends of so many long lines.
    pub long_lines: u32,
    /// Everything: the file is too large to be opened unasked.
    pub unopened: bool,
}

impl Checkout {
    /// The change of one file since the merge base with `base`. `old_path` is the one before a
    /// rename, as the list gives it.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], or when git cannot be asked.
    pub async fn file_patch(
        &self,
        base: &str,
        path: &RepoPath,
        old_path: Option<&RepoPath>,
        limits: &PatchLimits,
    ) -> Result<FilePatch> {
        let base = self.diff_base(base).await?;
        let large_file = if limits.open_large { HUGE_FILE } else { limits.large_file };
        let listing =
            DiffLimits { large_file, untracked_bytes: large_file, ..DiffLimits::default() };
        let snapshot = Snapshot::take(self, &base, &listing, Some(path)).await?;
        let paths: Vec<&RepoPath> = old_path.into_iter().chain([path]).collect();
        let changes = self.changes(&snapshot, &base, &listing, Some(&paths)).await?;
        let change = changes.into_iter().find(|change| change.path == *path);
        let mut patch = FilePatch {
            change: None,
            text: String::new(),
            lossy: false,
            cut: Cut::default(),
            old_size: None,
        };
        let Some(change) = change else { return Ok(patch) };

        let mut cutter = Cutter::new(limits);
        if change.large {
            patch.cut.unopened = true;
            if limits.open_large && change.status == FileStatus::Untracked {
                patch.cut.unopened = !self.read_head(path, &mut cutter).await?;
            }
        } else if !change.binary || change.old_mode != change.new_mode {
            let call =
                self.diff_call(&snapshot, &base, large_file, &["--patch", "--unified=3"], &paths);
            let feed = |chunk: &[u8]| cutter.feed(chunk);
            let output = self.git.run_into(call, feed, std::future::pending()).await?;
            output.success(self.top())?;
        }
        if (change.binary || patch.cut.unopened)
            && let Some(oid) = change.old_oid.as_ref().filter(|_| !change.submodule)
        {
            patch.old_size = self.blob_size(oid).await?;
        }
        let (text, lossy, cut) = cutter.finish();
        (patch.text, patch.lossy) = (text, lossy);
        patch.cut = Cut { unopened: patch.cut.unopened, ..cut };
        patch.change = Some(change);
        Ok(patch)
    }

    async fn blob_size(&self, oid: &Oid) -> Result<Option<u64>> {
        let call = self.read("cat-file").args(["cat-file", "-s", oid.as_str()]);
        let output = self.git.run(call).await?;
        Ok(if output.ok() { output.line()?.parse().ok() } else { None })
    }

    /// Reads the beginning of a huge new file itself, as added lines. `false`: it is binary.
    async fn read_head(&self, path: &RepoPath, cutter: &mut Cutter) -> Result<bool> {
        let (top, path) = (self.top().to_path_buf(), path.clone());
        let wanted = cutter.limit_bytes() as u64 + 1;
        let reading = tokio::task::spawn_blocking(move || -> Result<Vec<u8>> {
            let root = beneath::open_root(&top)?;
            let Ok((file, _, _)) = beneath::open_file(&root, &path) else { return Ok(Vec::new()) };
            let mut head = Vec::new();
            let read = file.take(wanted).read_to_end(&mut head);
            read.map_err(|e| GitError::io("Reading", &top.join(path.as_path()), e))?;
            Ok(head)
        });
        let head = reading.await.map_err(|_| GitError::unexpected("diff", "reading stopped"))??;
        if head.iter().take(8_000).any(|&b| b == 0) {
            return Ok(false);
        }
        for line in head.split_inclusive(|&b| b == b'\n') {
            if cutter.feed(b"+").is_break() || cutter.feed(line).is_break() {
                break;
            }
        }
        Ok(true)
    }
}
