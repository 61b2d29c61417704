//! The state of a checkout, cheaply.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::{GitError, Result};
use crate::{Checkout, Oid};

/// Where a checkout stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadState {
    /// The branch, if HEAD is not detached. It may be unborn.
    pub branch: Option<String>,
    /// The commit, unless the branch is unborn.
    pub commit: Option<Oid>,
    /// Paths with staged changes.
    pub staged: u64,
    /// Paths with changes that are not staged.
    pub unstaged: u64,
    /// Untracked files, where a folder of only untracked files counts as one.
    pub untracked: u64,
    /// Paths with an unresolved conflict.
    pub conflicted: u64,
    /// What is under way, if anything.
    pub operation: Option<Operation>,
    /// There was more than we were willing to count.
    pub at_least: bool,
}

/// Something that takes git several commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "named after the git commands")]
pub enum Operation {
    Merge,
    Rebase,
    Am,
    CherryPick,
    Revert,
    Bisect,
}

/// One commit, for a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its name.
    pub oid: Oid,
    /// The first line of its message, as it is; it may hold characters that do not show.
    pub subject: String,
    /// The author's name.
    pub author: String,
    /// The committer's time, in seconds since 1970.
    pub time: i64,
}

/// The most bytes of a status that are read.
const MAX_STATUS: usize = 4 << 20;

impl HeadState {
    /// Whether anything is uncommitted; ignored files do not count.
    pub fn is_dirty(&self) -> bool {
        self.staged + self.unstaged + self.untracked + self.conflicted > 0
    }
}

impl Checkout {
    /// Branch, commit, and how much is uncommitted.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn head_state(&self) -> Result<HeadState> {
        let call = self
            .read("status")
            .args([
                "status",
                "--porcelain=v2",
                "-z",
                "--branch",
                "--no-ahead-behind",
                "--untracked-files=normal",
                "--ignore-submodules=dirty",
                "--no-renames",
            ])
            .limit(MAX_STATUS);
        let output = self.git.run(call).await?.success(self.top())?;
        let mut state = parse(&output.stdout)?;
        state.at_least = output.cut;
        state.operation = self.operation();
        Ok(state)
    }

    /// What is under way here, if anything.
    pub fn operation(&self) -> Option<Operation> {
        let has = |name: &str| self.git_dir().join(name).exists();
        [
            ("rebase-merge", Operation::Rebase),
            ("rebase-apply/applying", Operation::Am),
            ("rebase-apply", Operation::Rebase),
            ("MERGE_HEAD", Operation::Merge),
            ("CHERRY_PICK_HEAD", Operation::CherryPick),
            ("REVERT_HEAD", Operation::Revert),
            ("BISECT_START", Operation::Bisect),
        ]
        .into_iter()
        .find_map(|(name, operation)| has(name).then_some(operation))
    }

    /// Lock files of git commands that run here, or died and left them, with the time each was
    /// made. Nothing is removed: only a person can say that no command runs any more.
    pub fn lock_files(&self) -> Vec<(PathBuf, SystemTime)> {
        let made = |name: &str| {
            let path = self.git_dir().join(name);
            let time = path.symlink_metadata().ok()?.modified().ok()?;
            Some((path, time))
        };
        ["index.lock", "HEAD.lock", "config.lock"].into_iter().filter_map(made).collect()
    }

    /// The commits of HEAD that `base` does not have, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], or when git cannot be asked.
    pub async fn commits_since(&self, base: &str, limit: u32) -> Result<Vec<Commit>> {
        let Some(base_commit) = self.commit(base).await? else {
            return Err(GitError::BaseMissing { name: base.to_owned() });
        };
        let call = self.read("log").args([
            "log",
            "-z",
            "--no-show-signature",
            "--encoding=UTF-8",
            "--format=%H%x1f%ct%x1f%an%x1f%s",
            &format!("--max-count={limit}"),
            &format!("{base_commit}..HEAD"),
            "--",
        ]);
        let output = self.git.run(call).await?.success(self.top())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let records = text.split('\0').filter(|record| !record.is_empty());
        records.map(parse_commit).collect()
    }

    /// How many commits of HEAD are on no remote and not in `base`: what would be lost.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], or when git cannot be asked.
    pub async fn unshipped(&self, base: &str) -> Result<u64> {
        let Some(base_commit) = self.commit(base).await? else {
            return Err(GitError::BaseMissing { name: base.to_owned() });
        };
        let args = ["rev-list", "--count", "HEAD", "--not", "--remotes", base_commit.as_str()];
        let output = self.git.run(self.read("rev-list").args(args)).await?.success(self.top())?;
        let count = output.line()?;
        count.parse().map_err(|_| GitError::unexpected("rev-list", count))
    }
}

pub(crate) fn parse_commit(record: &str) -> Result<Commit> {
    let mut fields = record.splitn(4, '\u{1f}');
    let mut next = || fields.next().unwrap_or_default();
    let (oid, time, author, subject) = (next(), next(), next(), next());
    let (Some(oid), Ok(time)) = (Oid::parse(oid.trim()), time.parse()) else {
        return Err(GitError::unexpected("log", "a record without a commit"));
    };
    Ok(Commit { oid, time, author: author.to_owned(), subject: subject.to_owned() })
}

fn parse(output: &[u8]) -> Result<HeadState> {
    let mut state = HeadState {
        branch: None,
        commit: None,
        staged: 0,
        unstaged: 0,
        untracked: 0,
        conflicted: 0,
        operation: None,
        at_least: false,
    };
    for record in output.split(|&b| b == 0) {
        match record {
            [b'#', ..] => {
                let line = String::from_utf8_lossy(record);
                if let Some(oid) = line.strip_prefix("# branch.oid ") {
                    state.commit = Oid::parse(oid);
                } else if let Some(branch) = line.strip_prefix("# branch.head ") {
                    state.branch = (branch != "(detached)").then(|| branch.to_owned());
                }
            }
            [b'1' | b'2', b' ', index, worktree, ..] => {
                state.staged += u64::from(*index != b'.');
                state.unstaged += u64::from(*worktree != b'.');
            }
            [b'u', ..] => state.conflicted += 1,
            [b'?', ..] => state.untracked += 1,
            _ => {}
        }
    }
    Ok(state)
}
