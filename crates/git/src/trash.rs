//! Moving a worktree to the trash and back, with everything in it.
//!
//! The folder is renamed, so that staged, unstaged, untracked and ignored files keep every byte and
//! every time. The index is not touched. The repository's side then points to the new place, HEAD
//! names its commit instead of the branch, and a rebase or bisect under way is set aside, so that
//! the branch is free for others. A ref under `refs/quarterdeck/trash/` keeps the commits, and one
//! under `refs/quarterdeck/snapshot/` what is tracked, as the second belt.

mod hold;
mod park;
mod purge;
mod snapshot;
mod transfer;
mod unpark;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::{Checkout, Oid};

pub(crate) use hold::rebasing;
pub use park::ParkReport;
pub use purge::PurgeReport;
pub(crate) use transfer::copy_tree;
pub use transfer::{move_folder, remove_folder};
pub use unpark::{Attach, Unparked};

/// Where a worktree was, where it goes, and all that is needed to bring it back.
///
/// Made by [`Repo::plan_park`] before anything happens. Written down first, it is enough to undo a
/// move that was cut short: [`crate::RepoWriter::unpark`] does only the steps that are needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkRecord {
    /// Names the kept ref; letters, digits and hyphens.
    pub id: String,
    /// Where the worktree was.
    pub path: PathBuf,
    /// Where it is parked.
    pub parked_at: PathBuf,
    /// The name of its git directory, below `worktrees`.
    pub admin: String,
    /// The commit of HEAD, unless its branch was unborn.
    pub commit: Option<Oid>,
    /// The branch that the worktree held: checked out, or being rebased.
    pub branch: Option<HeldBranch>,
    /// What its `.git` file said; none if the agent removed it.
    git_file: Option<Vec<u8>>,
    /// What git had written down as its place.
    link_file: Vec<u8>,
}

/// A branch that a worktree holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBranch {
    /// The branch.
    pub name: String,
    /// Its commit; none if it is unborn.
    pub commit: Option<Oid>,
    /// HEAD names it. Otherwise a rebase does.
    pub checked_out: bool,
}

impl Repo {
    /// Writes down how the worktree at `path` goes to `parked_at`. Changes nothing.
    ///
    /// # Errors
    /// [`GitError::NotAWorktree`], [`GitError::MainCheckout`], [`GitError::WorktreeLocked`],
    /// [`GitError::PathExists`].
    pub async fn plan_park(&self, path: &Path, parked_at: &Path, id: &str) -> Result<ParkRecord> {
        let checkout = self.checkout(path)?;
        if checkout.git_dir() == self.common_dir() {
            return Err(GitError::MainCheckout { path: checkout.top().to_path_buf() });
        }
        refuse_locked(checkout.git_dir(), checkout.top())?;
        let well_named = !id.is_empty()
            && id.len() <= 100
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !well_named || !parked_at.is_absolute() {
            return Err(GitError::unexpected("worktree move", "a bad trash id or place"));
        }
        if parked_at.symlink_metadata().is_ok() {
            return Err(GitError::PathExists { path: parked_at.to_path_buf() });
        }
        let admin = checkout.git_dir().file_name().unwrap_or_default().to_string_lossy();
        let read =
            |file: PathBuf| std::fs::read(&file).map_err(|e| GitError::io("Reading", &file, e));
        Ok(ParkRecord {
            id: id.to_owned(),
            path: checkout.top().to_path_buf(),
            parked_at: parked_at.to_path_buf(),
            admin: admin.into_owned(),
            commit: checkout.commit("HEAD").await?,
            branch: self.held_branch(&checkout).await?,
            git_file: read(checkout.top().join(".git")).ok(),
            link_file: read(checkout.git_dir().join("gitdir"))?,
        })
    }

    async fn held_branch(&self, checkout: &Checkout) -> Result<Option<HeldBranch>> {
        let (name, checked_out) = match checkout.branch().await? {
            Some(name) => (name, true),
            None => match hold::rebasing(checkout.git_dir()) {
                Some(name) => (name, false),
                None => return Ok(None),
            },
        };
        let commit = self.commit(&format!("refs/heads/{name}")).await?;
        Ok(Some(HeldBranch { name, commit, checked_out }))
    }

    fn parked_git_dir(&self, record: &ParkRecord) -> Result<PathBuf> {
        let dir = self.common_dir().join("worktrees").join(&record.admin);
        let plain = Path::new(&record.admin).components().count() == 1 && record.admin != "..";
        if plain && dir.join("HEAD").exists() {
            return Ok(dir);
        }
        let (path, repo) = (record.parked_at.clone(), self.top().to_path_buf());
        Err(GitError::NotAWorktree { path, repo })
    }
}

fn refuse_locked(git_dir: &Path, path: &Path) -> Result<()> {
    match std::fs::read(git_dir.join("locked")) {
        Ok(reason) => {
            let reason = String::from_utf8_lossy(&reason).trim().to_owned();
            Err(GitError::WorktreeLocked { path: path.to_path_buf(), reason })
        }
        Err(_) => Ok(()),
    }
}

/// Replaces a small file in one step.
fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut new = path.as_os_str().to_os_string();
    new.push(".quarterdeck");
    let new = PathBuf::from(new);
    std::fs::write(&new, bytes)
        .and_then(|()| std::fs::rename(&new, path))
        .map_err(|e| GitError::io("Writing", path, e))
}
