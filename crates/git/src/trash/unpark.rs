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
    /// Brings a parked worktree back. When it fails, the worktree is in the trash as before.
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
        if let Some(branch) = branch {
            self.refuse_taken(branch, &git_dir).await?;
            if self.head_commit(&git_dir).await? != record.commit {
                return Err(GitError::ChangedMeanwhile { path: record.parked_at.clone() });
            }
        }
        let attached = branch.filter(|branch| branch.checked_out);
        let moved = self.bring_back(record, &git_dir, attached.is_some()).await?;
        if let Some(branch) = branch
            && let Err(error) = self.refuse_taken(branch, &git_dir).await
        {
            // Somebody was quicker: let go of the branch again, and go back.
            self.detach_head(record, &git_dir).await?;
            self.park(record).await?;
            return Err(error);
        }
        self.drop_kept(record).await?;
        Ok(Unparked { branch: attached.map(|branch| branch.name.clone()), moved })
    }

    /// Does what is needed to have the worktree at its old place, as far as it is not done.
    pub(super) async fn bring_back(
        &mut self,
        record: &ParkRecord,
        git_dir: &Path,
        attach: bool,
    ) -> Result<ParkReport> {
        let there = |path: &Path| path.symlink_metadata().is_ok();
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

/// Whether the folder belongs to this git directory, by its own `.git` file.
pub(super) fn is_ours(path: &Path, record: &ParkRecord, git_dir: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(bytes) = std::fs::read(path.join(".git")) else { return record.git_file.is_none() };
    let written = bytes.strip_prefix(b"gitdir: ").unwrap_or_default().trim_ascii_end();
    Some(&bytes) == record.git_file.as_ref() || written == git_dir.as_os_str().as_bytes()
}
