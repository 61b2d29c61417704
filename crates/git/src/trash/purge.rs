//! Out of the trash, for good.

use std::path::Path;

use super::{ParkRecord, refuse_locked, transfer, unpark};
use crate::Oid;
use crate::error::{GitError, Result};
use crate::writer::RepoWriter;

/// What is gone, and what was kept and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeReport {
    /// The branch that is gone.
    pub removed_branch: Option<String>,
    /// One sentence for each thing that is still there.
    pub kept: Vec<String>,
}

impl RepoWriter {
    /// Removes a parked worktree for good, with everything in it. With `delete_branch` (only for a
    /// branch that we made) its branch goes too, if it is where it was, nobody has it, and no other
    /// parked worktree came from it.
    /// Can be repeated if it was cut short.
    ///
    /// # Errors
    /// [`GitError::NotAWorktree`] if what is at the parked place is something else,
    /// [`GitError::WorktreeLocked`], [`GitError::Permission`].
    pub async fn purge(&mut self, record: &ParkRecord, delete_branch: bool) -> Result<PurgeReport> {
        let git_dir = self.parked_git_dir(record).ok();
        let expected = self.common_dir().join("worktrees").join(&record.admin);
        let at = &record.parked_at;
        if let Some(git_dir) = &git_dir {
            refuse_locked(git_dir, at)?;
            if crate::checkout::read_link_file(git_dir) != Some(at.join(".git")) {
                return Err(self.not_ours(record));
            }
        }
        if at.symlink_metadata().is_ok() {
            if !unpark::is_ours(at, record, &expected) {
                return Err(self.not_ours(record));
            }
            transfer::remove_tree(at).await?;
        }
        if git_dir.is_some() {
            let call = self
                .write("worktree remove")
                .args(["worktree", "remove", "--force", "--end-of-options"])
                .arg(at);
            self.git.run(call).await?.success(at)?;
        }
        let mut report = PurgeReport::default();
        if let Some(branch) = record.branch.as_ref().filter(|_| delete_branch)
            && let Some(commit) = &branch.commit
        {
            // Its own worktree is gone by now.
            self.purge_branch(&branch.name, commit, &mut report).await;
        }
        self.drop_kept(record).await?;
        self.drop_rebuilds(&record.id).await?;
        Ok(report)
    }

    /// Removes a branch that is at `commit`, unless somebody has it or a parked worktree came
    /// from it.
    async fn purge_branch(&mut self, name: &str, commit: &Oid, report: &mut PurgeReport) {
        let why = if let Some(other) = self.parked_from(name) {
            format!("{} came from it", other.display())
        } else {
            match self.delete_free_branch(name, commit).await {
                Ok(()) => {
                    report.removed_branch = Some(name.to_owned());
                    return;
                }
                Err(GitError::BranchMissing { .. }) => return,
                Err(error) => error.to_string(),
            }
        };
        report.kept.push(format!("The branch {name} is kept: {why}."));
    }

    /// Has the repository forget a worktree whose folder is gone, so that its branch is free. One
    /// that is there, or locked, stays. `ours` is a branch that we made with its first commit: it
    /// goes, too, if it holds nothing new and nobody has it.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn forget_missing(
        &mut self,
        path: &Path,
        ours: Option<(&str, &Oid)>,
    ) -> Result<PurgeReport> {
        let mut report = PurgeReport::default();
        if path.symlink_metadata().is_ok() {
            return Ok(report);
        }
        if let Some(git_dir) = self.admin_dir_of(path) {
            if refuse_locked(&git_dir, path).is_err() {
                return Ok(report);
            }
            let call = self
                .write("worktree remove")
                .args(["worktree", "remove", "--force", "--end-of-options"])
                .arg(path);
            self.git.run(call).await?.success(path)?;
        }
        if let Some((branch, commit)) = ours {
            self.purge_branch(branch, commit, &mut report).await;
        }
        Ok(report)
    }

    fn not_ours(&self, record: &ParkRecord) -> GitError {
        GitError::NotAWorktree { path: record.parked_at.clone(), repo: self.top().to_path_buf() }
    }
}
