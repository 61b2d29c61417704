//! From the trash, back to where it was.

use std::path::Path;

use super::park::ParkReport;
use super::{HeldBranch, ParkRecord, hold, refuse_locked, replace_file, transfer};
use crate::command::{Call, Kind};
use crate::error::{GitError, Result};
use crate::writer::RepoWriter;

/// How a worktree comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attach {
    /// On its branch; refused if somebody has changed or taken that meanwhile.
    Branch,
    /// On its commit, whatever became of the branch.
    Detached,
}

/// A worktree that is back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unparked {
    /// The branch it is on again, if it is on one.
    pub branch: Option<String>,
    /// How it was moved.
    pub moved: ParkReport,
}

impl RepoWriter {
    /// Brings a parked worktree back. When it fails, the worktree is in the trash as before; so it
    /// is when a way back was cut short, and now fails. One that is back already is told to be so.
    ///
    /// # Errors
    /// [`GitError::BranchMissing`], [`GitError::BranchMoved`], [`GitError::BranchCheckedOut`]
    /// (all three only for [`Attach::Branch`]), [`GitError::ChangedMeanwhile`] if somebody
    /// committed in the trash, [`GitError::PathExists`], [`GitError::ParkedMissing`],
    /// [`GitError::WorktreeLocked`], [`GitError::NotAWorktree`].
    pub async fn unpark(&mut self, record: &ParkRecord, attach: Attach) -> Result<Unparked> {
        let git_dir = self.parked_git_dir(record)?;
        refuse_locked(&git_dir, &record.parked_at)?;
        let branch = record.branch.as_ref().filter(|_| attach == Attach::Branch);
        let attached = branch.filter(|branch| branch.checked_out);
        let moved = if is_back(record, &git_dir, attached) {
            ParkReport::default()
        } else {
            match self.go_back(record, &git_dir, branch).await {
                Ok(moved) => moved,
                Err(error) => {
                    self.turn_back(record, &git_dir).await;
                    return Err(error);
                }
            }
        };
        if let Err(error) = self.drop_kept(record).await {
            tracing::warn!("what was kept of {} stays: {error}", record.path.display());
        }
        Ok(Unparked { branch: attached.map(|branch| branch.name.clone()), moved })
    }

    async fn go_back(
        &mut self,
        record: &ParkRecord,
        git_dir: &Path,
        branch: Option<&HeldBranch>,
    ) -> Result<ParkReport> {
        let Some(branch) = branch else { return self.bring_back(record, git_dir, false).await };
        self.refuse_taken(branch, git_dir).await?;
        if self.head_commit(git_dir).await? != record.commit {
            return Err(GitError::ChangedMeanwhile { path: record.parked_at.clone() });
        }
        let moved = self.bring_back(record, git_dir, branch.checked_out).await?;
        // Somebody may have been quicker.
        self.refuse_taken(branch, git_dir).await?;
        Ok(moved)
    }

    /// A way back that failed ends where it began, if it has moved the worktree.
    async fn turn_back(&mut self, record: &ParkRecord, git_dir: &Path) {
        let turned = async {
            let (from, to) = (&record.path, &record.parked_at);
            if there(to) || !there(from) || !is_ours(from, record, git_dir) {
                return Ok(());
            }
            // Somebody has worked there meanwhile.
            if self.head_commit(git_dir).await? != record.commit {
                return Err(GitError::ChangedMeanwhile { path: from.clone() });
            }
            transfer::move_tree(from, to).await?;
            self.finish_park(record).await
        };
        if let Err(error) = turned.await {
            tracing::warn!("a worktree stays at {}: {error}", record.path.display());
        }
    }

    /// Does what is needed to have the worktree at its old place, as far as it is not done.
    pub(super) async fn bring_back(
        &mut self,
        record: &ParkRecord,
        git_dir: &Path,
        attach: bool,
    ) -> Result<ParkReport> {
        let moved = match (there(&record.parked_at), there(&record.path)) {
            (true, _) => transfer::move_tree(&record.parked_at, &record.path).await?.into(),
            // The move was cut short before it began, or after it was undone.
            (false, true) if is_ours(&record.path, record, git_dir) => ParkReport::default(),
            (false, _) => return Err(GitError::ParkedMissing { path: record.parked_at.clone() }),
        };
        replace_file(&git_dir.join("gitdir"), &record.link_file)?;
        if let Some(bytes) = &record.git_file {
            let git_file = record.path.join(".git");
            if std::fs::read(&git_file).ok().as_ref() != Some(bytes) {
                replace_file(&git_file, bytes)?;
            }
        }
        hold::put_back(git_dir)?;
        hold::forget_branch(git_dir)?;
        if let Some(branch) = record.branch.as_ref().filter(|b| attach && b.checked_out) {
            let name = format!("refs/heads/{}", branch.name);
            let call = Call::new(Kind::Write, "symbolic-ref", self.top())
                .in_dirs(git_dir, None)
                .args(["symbolic-ref", "-m", "quarterdeck: back from the trash", "HEAD", &name]);
            self.git.run(call).await?.success(&record.path)?;
        }
        Ok(moved)
    }

    async fn refuse_taken(&self, branch: &HeldBranch, git_dir: &Path) -> Result<()> {
        let name = || branch.name.clone();
        match (&branch.commit, self.commit(&format!("refs/heads/{}", branch.name)).await?) {
            (Some(_), None) => return Err(GitError::BranchMissing { branch: name() }),
            (Some(expected), Some(found)) if *expected != found => {
                let expected = expected.clone();
                return Err(GitError::BranchMoved { branch: name(), expected, found });
            }
            (None, Some(_)) => return Err(GitError::BranchExists { branch: name() }),
            _ => {}
        }
        match self.holder_of(&branch.name, Some(git_dir)).await? {
            Some(path) => Err(GitError::BranchCheckedOut { branch: name(), path }),
            None => Ok(()),
        }
    }

    async fn head_commit(&self, git_dir: &Path) -> Result<Option<crate::Oid>> {
        let call = Call::new(Kind::Read, "rev-parse", self.top()).in_dirs(git_dir, None).args([
            "rev-parse",
            "--verify",
            "--quiet",
            "HEAD^{commit}",
        ]);
        let output = self.git.run(call).await?;
        Ok(if output.ok() { crate::Oid::parse(&output.line()?) } else { None })
    }
}

fn there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether all of a way back was done, though nobody was told.
fn is_back(record: &ParkRecord, git_dir: &Path, attached: Option<&HeldBranch>) -> bool {
    let written = |file: &str| std::fs::read(git_dir.join(file)).unwrap_or_default();
    let is_on = |branch: &HeldBranch| {
        written("HEAD").trim_ascii_end() == format!("ref: refs/heads/{}", branch.name).as_bytes()
    };
    !there(&record.parked_at)
        && there(&record.path)
        && is_ours(&record.path, record, git_dir)
        && written("gitdir") == record.link_file
        && !hold::is_aside(git_dir)
        && attached.is_none_or(is_on)
}

/// Whether the folder belongs to this git directory, by its own `.git` file.
pub(super) fn is_ours(path: &Path, record: &ParkRecord, git_dir: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(bytes) = std::fs::read(path.join(".git")) else { return record.git_file.is_none() };
    let written = bytes.strip_prefix(b"gitdir: ").unwrap_or_default().trim_ascii_end();
    Some(&bytes) == record.git_file.as_ref() || written == git_dir.as_os_str().as_bytes()
}
