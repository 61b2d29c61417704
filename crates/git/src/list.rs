//! What a repository has: its worktrees and the branches of its remotes.

use std::path::PathBuf;

use crate::error::Result;
use crate::repo::Repo;
use crate::{Oid, RepoPath};

/// One worktree, as git has it written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedWorktree {
    /// Its folder.
    pub path: PathBuf,
    /// The branch that it has checked out, if HEAD is not detached.
    pub branch: Option<String>,
    /// The commit of HEAD.
    pub commit: Option<Oid>,
}

impl Repo {
    /// All worktrees, the main checkout first.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn worktrees(&self) -> Result<Vec<ListedWorktree>> {
        let call = self.read("worktree list").args(["worktree", "list", "--porcelain", "-z"]);
        let output = self.git.run(call).await?.success(self.top())?;
        let mut found = Vec::new();
        for field in output.stdout.split(|&byte| byte == 0) {
            if let Some(path) = field.strip_prefix(b"worktree ") {
                let path = RepoPath::from_bytes(path).as_path().to_path_buf();
                found.push(ListedWorktree { path, branch: None, commit: None });
                continue;
            }
            let Some(last) = found.last_mut() else { continue };
            if let Some(branch) = field.strip_prefix(b"branch refs/heads/") {
                last.branch = Some(String::from_utf8_lossy(branch).into_owned());
            } else if let Some(commit) = field.strip_prefix(b"HEAD ") {
                last.commit = Oid::parse(&String::from_utf8_lossy(commit));
            }
        }
        Ok(found)
    }

    /// Where a branch is checked out, if anywhere.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn checked_out_at(&self, branch: &str) -> Result<Option<PathBuf>> {
        let worktrees = self.worktrees().await?;
        Ok(worktrees.into_iter().find(|w| w.branch.as_deref() == Some(branch)).map(|w| w.path))
    }

    /// The branches of remotes, such as `origin/main`; the remotes' HEADs are left out.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn remote_branches(&self) -> Result<Vec<String>> {
        let call = self.read("for-each-ref").args([
            "for-each-ref",
            "--sort=-committerdate",
            "--format=%(refname)",
            "refs/remotes/",
        ]);
        let output = self.git.run(call).await?.success(self.top())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text
            .lines()
            .filter_map(|line| line.strip_prefix("refs/remotes/"))
            .filter(|name| !name.ends_with("/HEAD"))
            .map(str::to_owned)
            .collect())
    }
}
