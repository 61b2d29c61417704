//! One checkout of a repository: the main one or a linked worktree.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::{Call, Kind};
use crate::error::{GitError, Result};
use crate::repo::{Git, Repo};
use crate::{Oid, RepoPath};

/// A checkout, with the git directory that the repository keeps for it. Cheap to clone; only for
/// reading.
#[derive(Debug, Clone)]
pub struct Checkout {
    pub(crate) git: Git,
    top: PathBuf,
    git_dir: PathBuf,
}

impl Repo {
    /// The checkout whose top is `path`, found from the side of the repository: the `.git` file in
    /// the folder is not believed.
    ///
    /// # Errors
    /// [`GitError::PathMissing`], [`GitError::NotAWorktree`].
    pub fn checkout(&self, path: &Path) -> Result<Checkout> {
        let top =
            path.canonicalize().map_err(|_| GitError::PathMissing { path: path.to_path_buf() })?;
        if top == self.top() {
            return Ok(self.main_checkout());
        }
        match self.admin_dir_of(&top) {
            Some(git_dir) => Ok(Checkout::known(self.git.clone(), top, git_dir)),
            None => Err(GitError::NotAWorktree { path: top, repo: self.top().to_path_buf() }),
        }
    }

    /// The git directory of the linked worktree at `top`, even if its folder is gone.
    pub(crate) fn admin_dir_of(&self, top: &Path) -> Option<PathBuf> {
        let wanted = top.join(".git");
        self.admin_dirs().into_iter().find(|dir| read_link_file(dir).is_some_and(|at| at == wanted))
    }

    /// The git directories of all linked worktrees.
    pub(crate) fn admin_dirs(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.common_dir().join("worktrees")) else {
            return Vec::new();
        };
        entries.flatten().map(|entry| entry.path()).collect()
    }
}

/// Where the worktree of this git directory is: the path of its `.git` file.
pub(crate) fn read_link_file(admin_dir: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(admin_dir.join("gitdir")).ok()?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let written = Path::new(std::ffi::OsStr::from_bytes(line));
    if written.is_absolute() {
        return Some(written.to_path_buf());
    }
    // Since 2.48 it may be relative to the git directory.
    let dir = admin_dir.join(written).parent()?.canonicalize().ok()?;
    Some(dir.join(".git"))
}

impl Checkout {
    pub(crate) fn known(git: Git, top: PathBuf, git_dir: PathBuf) -> Self {
        Self { git, top, git_dir }
    }

    /// The top of the checkout, without symbolic links.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The git directory of this checkout: HEAD and the index live there.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The commit that `name` stands for here, if any.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn commit(&self, name: &str) -> Result<Option<Oid>> {
        let call = self.read("rev-parse").args([
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &format!("{name}^{{commit}}"),
        ]);
        let output = self.git.run(call).await?;
        Ok(if output.ok() { Oid::parse(&output.line()?) } else { None })
    }

    /// The branch that is checked out, if HEAD is not detached. It may be unborn.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn branch(&self) -> Result<Option<String>> {
        let call = self.read("symbolic-ref").args(["symbolic-ref", "--quiet", "HEAD"]);
        let output = self.git.run(call).await?;
        if !output.ok() {
            return Ok(None);
        }
        Ok(output.line()?.strip_prefix("refs/heads/").map(str::to_owned))
    }

    pub(crate) fn read(&self, what: &'static str) -> Call {
        Call::new(Kind::Read, what, &self.top).in_dirs(&self.git_dir, Some(&self.top))
    }
}

/// Splits NUL-terminated output into paths.
pub(crate) fn split_paths(bytes: &[u8]) -> impl Iterator<Item = RepoPath> {
    bytes.split(|&b| b == 0).filter(|path| !path.is_empty()).map(RepoPath::from_bytes)
}
