//! What of a checkout nobody else has: shown before anything is thrown away.

use crate::Checkout;
use crate::error::Result;
use crate::status::{Commit, parse_commit};

/// What is not committed in a checkout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncommitted {
    /// Paths with staged changes.
    pub staged: u64,
    /// Paths with changes that are not staged, conflicts included.
    pub unstaged: u64,
    /// Untracked files; a repository within counts as one.
    pub untracked: u64,
    /// Ignored files and folders; a folder that is ignored as a whole counts as one.
    pub ignored: u64,
    /// There was more than we were willing to count.
    pub at_least: bool,
}

/// The most bytes of a listing that are read.
const MAX_LISTING: usize = 8 << 20;

impl Checkout {
    /// How much is not committed. Takes no lock and writes nothing.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn count_uncommitted(&self) -> Result<Uncommitted> {
        let call = self
            .read("status")
            .args(["status", "--porcelain=v2", "-z", "--no-ahead-behind", "--no-renames"])
            .args(["--untracked-files=all", "--ignored=matching", "--ignore-submodules=none"])
            .limit(MAX_LISTING);
        let output = self.git.run(call).await?.success(self.top())?;
        let mut found = Uncommitted { at_least: output.cut, ..Uncommitted::default() };
        for record in output.stdout.split(|&b| b == 0) {
            match record {
                [b'1' | b'2', b' ', index, worktree, ..] => {
                    found.staged += u64::from(*index != b'.');
                    found.unstaged += u64::from(*worktree != b'.');
                }
                [b'u', ..] => found.unstaged += 1,
                [b'?', ..] => found.untracked += 1,
                [b'!', ..] => found.ignored += 1,
                _ => {}
            }
        }
        Ok(found)
    }

    /// The commits of HEAD that are on no remote and in none of `merged`: how many, and the newest
    /// of them, at most `limit`. A name that stands for no commit is left out.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn unmerged(&self, merged: &[&str], limit: u32) -> Result<(u64, Vec<Commit>)> {
        let Some(head) = self.commit("HEAD").await? else { return Ok((0, Vec::new())) };
        let mut range = vec![head.to_string(), "--not".to_owned(), "--remotes".to_owned()];
        for name in merged {
            range.extend(self.commit(name).await?.map(|commit| commit.to_string()));
        }
        let call = self.read("rev-list").args(["rev-list", "--count"]).args(&range).arg("--");
        let count = self.git.run(call).await?.success(self.top())?.line()?;
        let count = count
            .parse()
            .map_err(|_| crate::GitError::unexpected("rev-list", "a count that is no number"))?;
        if count == 0 || limit == 0 {
            return Ok((count, Vec::new()));
        }
        let call = self
            .read("log")
            .args(["log", "-z", "--no-show-signature", "--encoding=UTF-8"])
            .args(["--format=%H%x1f%ct%x1f%an%x1f%s", &format!("--max-count={limit}")])
            .args(&range)
            .arg("--");
        let output = self.git.run(call).await?.success(self.top())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let records = text.split('\0').filter(|record| !record.is_empty());
        Ok((count, records.map(parse_commit).collect::<Result<_>>()?))
    }
}
