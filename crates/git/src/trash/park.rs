//! To the trash.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::transfer::{self, Moved};
use super::{ParkRecord, hold, refuse_locked, replace_file};
use crate::command::{Call, Kind};
use crate::error::{GitError, Result};
use crate::writer::RepoWriter;

/// How a worktree went to the trash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParkReport {
    /// It was copied, because the trash is on another file system.
    pub copied: bool,
    /// Sentences for people about what was left behind.
    pub notes: Vec<String>,
}

impl From<Moved> for ParkReport {
    fn from(moved: Moved) -> Self {
        Self { copied: moved.copied, notes: moved.notes }
    }
}

impl RepoWriter {
    /// Moves a worktree to the trash as written down. When it fails, the worktree is where it was.
    ///
    /// # Errors
    /// [`GitError::BranchMoved`] or [`GitError::ChangedMeanwhile`] if HEAD is not what was written
    /// down, [`GitError::WorktreeLocked`], [`GitError::PathExists`], [`GitError::DiskFull`],
    /// [`GitError::Permission`], or what git said.
    pub async fn park(&mut self, record: &ParkRecord) -> Result<ParkReport> {
        let git_dir = self.parked_git_dir(record)?;
        refuse_locked(&git_dir, &record.path)?;
        let checkout = self.checkout(&record.path)?;
        if checkout.git_dir() != git_dir || checkout.commit("HEAD").await? != record.commit {
            return Err(GitError::ChangedMeanwhile { path: record.path.clone() });
        }
        self.keep_commits(record).await?;
        let belt = match self.snapshot(&checkout, &record.id).await {
            Ok(_) => None,
            // What else is to be written would not be either.
            Err(error @ GitError::DiskFull { .. }) => {
                let _ = self.drop_kept(record).await;
                return Err(error);
            }
            Err(error) => Some(format!("No second copy of the tracked files was made: {error}.")),
        };
        let moved = transfer::move_tree(&record.path, &record.parked_at).await;
        let mut moved = match moved {
            Ok(moved) => moved,
            Err(error) => {
                let _ = self.drop_kept(record).await;
                return Err(error);
            }
        };
        if let Err(error) = self.settle_parked(record, &git_dir).await {
            let back = self.bring_back(record, &git_dir, true).await;
            if let Err(second) = back {
                tracing::warn!("a worktree stays at {}: {second}", record.parked_at.display());
            } else {
                let _ = self.drop_kept(record).await;
            }
            return Err(error);
        }
        moved.notes.extend(belt);
        Ok(moved.into())
    }

    /// Does what is left of a move to the trash that was cut short after the folder was moved.
    ///
    /// # Errors
    /// [`GitError::NotAWorktree`] if the repository does not know of it, or what git said.
    pub async fn finish_park(&mut self, record: &ParkRecord) -> Result<()> {
        let git_dir = self.parked_git_dir(record)?;
        self.keep_commits(record).await?;
        self.settle_parked(record, &git_dir).await
    }

    async fn settle_parked(&mut self, record: &ParkRecord, git_dir: &Path) -> Result<()> {
        let mut link = record.parked_at.join(".git").as_os_str().as_bytes().to_vec();
        link.push(b'\n');
        replace_file(&git_dir.join("gitdir"), &link)?;
        if let Some(git_file) = &record.git_file {
            let written = git_file.strip_prefix(b"gitdir: ").unwrap_or_default();
            if !written.starts_with(b"/") {
                // A relative one means nothing at the new place.
                let absolute = [b"gitdir: ", git_dir.as_os_str().as_bytes(), b"\n"].concat();
                replace_file(&record.parked_at.join(".git"), &absolute)?;
            }
        }
        if let Some(branch) = &record.branch {
            hold::note_branch(git_dir, &branch.name)?;
        }
        hold::set_aside(git_dir)?;
        self.detach_head(record, git_dir).await
    }

    /// HEAD names its commit instead of the branch. Neither index nor files are looked at.
    pub(super) async fn detach_head(&mut self, record: &ParkRecord, git_dir: &Path) -> Result<()> {
        let (Some(commit), Some(branch)) = (&record.commit, &record.branch) else { return Ok(()) };
        let head = std::fs::read(git_dir.join("HEAD")).unwrap_or_default();
        if !branch.checked_out || head.trim_ascii_end() == commit.as_str().as_bytes() {
            return Ok(());
        }
        let call = Call::new(Kind::Write, "update-ref", self.top())
            .in_dirs(git_dir, None)
            .args(["update-ref", "--no-deref", "-m", "quarterdeck: moved to the trash", "HEAD"])
            .args([commit.as_str(), commit.as_str()]);
        self.git.run(call).await?.success(&record.path).map(|_| ())
    }

    async fn keep_commits(&mut self, record: &ParkRecord) -> Result<()> {
        let Some(commit) = &record.commit else { return Ok(()) };
        let call = self.write("update-ref").args(["update-ref", &kept(record), commit.as_str()]);
        let top = self.top().to_path_buf();
        self.git.run(call).await?.success(&top).map(|_| ())
    }

    pub(super) async fn drop_kept(&mut self, record: &ParkRecord) -> Result<()> {
        self.drop_snapshot(&record.id).await?;
        let Some(_) = &record.commit else { return Ok(()) };
        let call = self.write("update-ref").args(["update-ref", "-d", &kept(record)]);
        let top = self.top().to_path_buf();
        self.git.run(call).await?.success(&top).map(|_| ())
    }
}

fn kept(record: &ParkRecord) -> String {
    format!("refs/quarterdeck/trash/{}", record.id)
}
