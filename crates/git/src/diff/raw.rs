//! The list of changed files: `git diff --raw --numstat -z`.

use std::collections::HashMap;

use super::snapshot::{Snapshot, Untracked, UntrackedKind};
use super::{DiffBase, DiffLimits, FileChange, FileStatus};
use crate::command::Call;
use crate::error::{GitError, Result};
use crate::{Checkout, Oid, RepoPath};

/// The most bytes of a listing that are read.
pub(super) const MAX_LISTING: usize = 32 << 20;

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

impl Checkout {
    /// A `git diff` from the merge base to the working tree which no configuration can bend.
    pub(super) fn diff_call(
        &self,
        snapshot: &Snapshot,
        base: &DiffBase,
        large_file: u64,
        format: &[&str],
        only: &[&RepoPath],
    ) -> Call {
        let from = base.merge_base.as_ref().map_or(EMPTY_TREE, Oid::as_str);
        self.read("diff")
            .literal_paths()
            .index(&snapshot.index())
            .arg("-c")
            .arg(format!("core.bigFileThreshold={large_file}"))
            .arg("diff")
            .args(format)
            .args([
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                "--no-relative",
                "--src-prefix=a/",
                "--dst-prefix=b/",
                "--inter-hunk-context=0",
                "--diff-algorithm=myers",
                "--ignore-submodules=dirty",
                "--submodule=short",
                "--find-renames",
                "-l1000",
                "-O/dev/null",
                from,
                "--",
            ])
            .args(only.iter().map(|path| path.as_os_str()))
    }

    /// All changes, sorted by path.
    pub(super) async fn changes(
        &self,
        snapshot: &Snapshot,
        base: &DiffBase,
        limits: &DiffLimits,
        only: Option<&[&RepoPath]>,
    ) -> Result<Vec<FileChange>> {
        let format = ["--raw", "--numstat", "-z", "--no-abbrev"];
        let only = only.unwrap_or_default();
        let call = self.diff_call(snapshot, base, limits.large_file, &format, only);
        let output = self.git.run(call.limit(MAX_LISTING)).await?.success(self.top())?;
        let output = output.whole(MAX_LISTING)?;
        let mut changes = parse(&output.stdout)?;
        changes.extend(snapshot.unopened.iter().map(unopened));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        for change in &mut changes {
            if snapshot.conflicted.contains(&change.path) {
                change.status = FileStatus::Conflicted;
            } else if change.status == FileStatus::Added
                && snapshot.untracked.contains(&change.path)
            {
                change.status = FileStatus::Untracked;
            }
        }
        let (top, large_file) = (self.top().to_path_buf(), limits.large_file);
        let measuring = tokio::task::spawn_blocking(move || {
            for change in &mut changes {
                if change.status != FileStatus::Deleted && !change.submodule {
                    let meta = std::fs::symlink_metadata(top.join(change.path.as_path()));
                    change.size = meta.ok().map(|meta| meta.len());
                }
                change.large = change.size.is_some_and(|size| size > large_file);
                // Git says so of every file that it was told not to open.
                change.binary &= !change.large;
            }
            changes
        });
        measuring.await.map_err(|_| GitError::unexpected("diff", "measuring did not finish"))
    }
}

fn unopened(file: &Untracked) -> FileChange {
    FileChange {
        path: file.path.clone(),
        old_path: None,
        status: FileStatus::Untracked,
        old_mode: None,
        new_mode: Some(file.kind.mode().to_owned()),
        additions: None,
        deletions: None,
        binary: false,
        large: false,
        submodule: file.kind == UntrackedKind::Repository,
        size: None,
        uncommitted: true,
        old_oid: None,
    }
}

/// A file that was written meanwhile, with the same content: git counts nothing in it.
fn is_only_touched(change: &FileChange) -> bool {
    change.status == FileStatus::Modified
        && !change.binary
        && change.additions.unwrap_or(0) + change.deletions.unwrap_or(0) == 0
        && change.old_mode == change.new_mode
}

/// Reads the raw records, and the counts that follow them.
fn parse(output: &[u8]) -> Result<Vec<FileChange>> {
    let wrong = |detail: &str| GitError::unexpected("diff", detail);
    let mut changes = Vec::new();
    let mut at: HashMap<RepoPath, usize> = HashMap::new();
    let mut fields = output.split(|&b| b == 0).filter(|field| !field.is_empty()).peekable();

    while let Some(record) = fields.next_if(|field| field.starts_with(b":")) {
        let record = std::str::from_utf8(&record[1..]).map_err(|_| wrong("a raw record"))?;
        let parts: Vec<&str> = record.split(' ').collect();
        let [old_mode, new_mode, old_oid, _new_oid, status] = parts[..] else {
            return Err(wrong("a raw record"));
        };
        let mut path = || fields.next().map(RepoPath::from_bytes).ok_or_else(|| wrong("no path"));
        let first = path()?;
        let (status, two) = match status.as_bytes().first() {
            Some(b'A') => (FileStatus::Added, false),
            Some(b'M') => (FileStatus::Modified, false),
            Some(b'D') => (FileStatus::Deleted, false),
            Some(b'T') => (FileStatus::TypeChanged, false),
            Some(b'U') => (FileStatus::Conflicted, false),
            Some(b'R') => (FileStatus::Renamed, true),
            Some(b'C') => (FileStatus::Copied, true),
            _ => return Err(wrong("a status that we do not know")),
        };
        let (path, old_path) = if two { (path()?, Some(first)) } else { (first, None) };
        let mode = |mode: &str| (mode != "000000").then(|| mode.to_owned());
        at.insert(path.clone(), changes.len());
        changes.push(FileChange {
            path,
            old_path,
            status,
            old_mode: mode(old_mode),
            new_mode: mode(new_mode),
            additions: None,
            deletions: None,
            binary: false,
            large: false,
            submodule: old_mode == "160000" || new_mode == "160000",
            size: None,
            uncommitted: false,
            old_oid: Oid::parse(old_oid).filter(|oid| !oid.is_zero()),
        });
    }
    while let Some(record) = fields.next() {
        let mut parts = record.splitn(3, |&b| b == b'\t');
        let (Some(added), Some(deleted), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong("a count record"));
        };
        let path = if path.is_empty() {
            // A rename: the old path and the new one follow as fields of their own.
            let _old = fields.next();
            fields.next().ok_or_else(|| wrong("no path"))?
        } else {
            path
        };
        let Some(change) = at.get(&RepoPath::from_bytes(path)).and_then(|&i| changes.get_mut(i))
        else {
            continue;
        };
        if added == b"-" {
            change.binary = true;
            continue;
        }
        let count = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u64>().ok();
        // A file that became a link is counted twice, once for each half.
        change.additions = Some(change.additions.unwrap_or(0) + count(added).unwrap_or(0));
        change.deletions = Some(change.deletions.unwrap_or(0) + count(deleted).unwrap_or(0));
    }
    changes.retain(|change| !is_only_touched(change));
    for change in changes.iter_mut().filter(|change| change.binary) {
        (change.additions, change.deletions) = (None, None);
    }
    Ok(changes)
}
