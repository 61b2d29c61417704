//! Taking back what was made, and nothing else.

use std::path::{Path, PathBuf};

use super::{Created, Made, Worktree};
use crate::Oid;
use crate::error::{GitError, Result};
use crate::writer::RepoWriter;

/// What was taken back, and what was kept and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RollbackReport {
    /// The worktree that is gone again.
    pub removed_worktree: Option<PathBuf>,
    /// The branch that is gone again.
    pub removed_branch: Option<String>,
    /// One sentence for each thing that we made and that is still there.
    pub kept: Vec<String>,
}

impl Worktree<Created> {
    /// Takes back what was made, unless somebody has worked there since: a worktree with changes
    /// and a branch with commits are kept, and the report says so. Nothing of the person's is ever
    /// touched.
    pub async fn roll_back(self, writer: &mut RepoWriter) -> RollbackReport {
        let record = self.state.record;
        let branch = record.branch.unwrap_or_default();
        writer.take_back(&record.made, &record.path, &branch, &record.commit, false).await
    }
}

impl RepoWriter {
    /// `unfinished`: nobody was told of the worktree yet, so a half-made one may go as it is.
    pub(super) async fn take_back(
        &mut self,
        made: &Made,
        path: &Path,
        branch: &str,
        commit: &Oid,
        unfinished: bool,
    ) -> RollbackReport {
        let mut report = RollbackReport::default();
        if made.worktree {
            match self.remove_worktree(path, unfinished).await {
                Ok(()) => report.removed_worktree = Some(path.to_path_buf()),
                Err(error) => {
                    report.kept.push(format!("The worktree {} is kept: {error}.", path.display()));
                }
            }
        }
        if made.branch {
            let in_use = made.worktree && report.removed_worktree.is_none();
            if in_use {
                report.kept.push(format!("The branch {branch} is kept: its worktree is."));
            } else {
                match self.delete_free_branch(branch, commit).await {
                    Ok(()) => report.removed_branch = Some(branch.to_owned()),
                    Err(error) => {
                        report.kept.push(format!("The branch {branch} is kept: {error}."));
                    }
                }
            }
        }
        for parent in &made.parents {
            // Fails if it is not empty, which is right.
            let _ = std::fs::remove_dir(parent);
        }
        for kept in &report.kept {
            tracing::warn!("{kept}");
        }
        report
    }

    async fn remove_worktree(&mut self, path: &Path, unfinished: bool) -> Result<()> {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if self.admin_dir_of(&canonical).is_none() {
            return remove_empty_or_ours(path, unfinished);
        }
        let mut call = self.write("worktree remove").args(["worktree", "remove"]);
        if unfinished {
            call = call.arg("--force");
        }
        let call = call.arg("--end-of-options").arg(path);
        self.git.run(call).await?.success(path).map(|_| ())?;
        remove_empty_or_ours(path, unfinished)
    }

    /// Deletes a branch that is at `commit` and that no worktree holds.
    pub(crate) async fn delete_free_branch(&mut self, branch: &str, commit: &Oid) -> Result<()> {
        if let Some(path) = self.holder_of(branch, None).await? {
            return Err(GitError::BranchCheckedOut { branch: branch.to_owned(), path });
        }
        self.delete_branch_at(branch, commit).await
    }

    /// Deletes the branch in one step with the check that it is still at `commit`.
    async fn delete_branch_at(&mut self, branch: &str, commit: &Oid) -> Result<()> {
        let name = format!("refs/heads/{branch}");
        let call =
            self.write("update-ref").args(["update-ref", "-d", name.as_str(), commit.as_str()]);
        let output = self.git.run(call).await?;
        if output.ok() {
            return Ok(());
        }
        let (branch, expected) = (branch.to_owned(), commit.clone());
        match self.commit(&name).await? {
            None => return Err(GitError::BranchMissing { branch }),
            Some(found) if found != expected => {
                return Err(GitError::BranchMoved { branch, expected, found });
            }
            Some(_) => {}
        }
        let top = self.top().to_path_buf();
        Err(output.into_error(&top))
    }
}

/// Removes the folder that git left, or never took over.
fn remove_empty_or_ours(path: &Path, unfinished: bool) -> Result<()> {
    let removed =
        if unfinished { std::fs::remove_dir_all(path) } else { std::fs::remove_dir(path) };
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(GitError::io("Removing the folder", path, e))
        }
        _ => Ok(()),
    }
}
