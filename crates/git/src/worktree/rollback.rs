//! Taking back what was made, and nothing else.

use std::path::{Path, PathBuf};

use super::create::HALF_MADE;
use super::{Created, Made, Place, Worktree, WorktreeRecord};
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
        writer.roll_back(&self.state.record).await
    }

    /// Takes back what was made with all that is in it. Only while nobody can have worked there:
    /// what is not committed is a copy then.
    pub async fn discard(self, writer: &mut RepoWriter) -> RollbackReport {
        let record = self.state.record;
        let branch = record.branch.as_deref().unwrap_or_default();
        writer.take_back(&record.made, &record.path, branch, &record.commit, true).await
    }
}

impl RepoWriter {
    /// Takes back what [`WorktreeRecord`] says that we made, as [`Worktree::roll_back`] does.
    pub async fn roll_back(&mut self, record: &WorktreeRecord) -> RollbackReport {
        let branch = record.branch.as_deref().unwrap_or_default();
        self.take_back(&record.made, &record.path, branch, &record.commit, false).await
    }

    /// Takes back what a creation left that was killed half-way, so that nobody holds a record of
    /// it. The branch is known to be ours by the first line of its log, the folder by what git
    /// keeps about it (or it is empty). A place where nothing was made is left as it is.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn roll_back_unfinished(&mut self, place: &Place) -> Result<RollbackReport> {
        let (Place::NewBranch { branch, path, .. } | Place::ExistingBranch { branch, path }) =
            place
        else {
            return Ok(RollbackReport::default());
        };
        let name = format!("refs/heads/{branch}");
        let Some(commit) = self.commit(&name).await? else { return Ok(RollbackReport::default()) };
        let mut made = Made::default();
        if let Place::NewBranch { base, .. } = place {
            let args = ["reflog", "show", "--format=%gs", "--end-of-options", name.as_str()];
            let output = self.git.run(self.read("reflog").args(args)).await?.success(self.top())?;
            let log = String::from_utf8_lossy(&output.stdout).into_owned();
            if log.lines().last() != Some(&birth_mark(path)) || commit != base.commit {
                return Ok(RollbackReport::default());
            }
            made.branch = true;
        }
        let admin = path.canonicalize().ok().and_then(|top| self.admin_dir_of(&top));
        let empty = || path.read_dir().is_ok_and(|mut dir| dir.next().is_none());
        made.worktree = admin.is_some() || empty();
        if !made.branch && admin.is_none() {
            return Ok(RollbackReport::default());
        }
        // Git locks a worktree until it is entire. After that somebody may have worked in it.
        let half_made = admin.is_some_and(|dir| {
            std::fs::read(dir.join("locked"))
                .is_ok_and(|why| why.trim_ascii() == HALF_MADE.as_bytes())
        });
        Ok(self.take_back(&made, path, branch, &commit, half_made).await)
    }

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
            // Twice, because git locks a worktree until it is entire.
            call = call.args(["--force", "--force"]);
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

/// The first line in the log of a branch that we made, for a worktree at `path`.
pub(super) fn birth_mark(path: &Path) -> String {
    format!("quarterdeck: new session at {}", path.display()).replace(['\n', '\r'], " ")
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
