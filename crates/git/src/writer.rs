//! The right to change a repository.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use crate::error::{GitError, Result};
use crate::repo::Repo;

/// Hands out one [`RepoWriter`] per repository. Owned by whoever supervises the repositories.
#[derive(Debug, Default)]
pub struct Writers {
    claims: HashMap<PathBuf, Weak<()>>,
}

impl Writers {
    /// No repository is claimed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The one writer of this repository, until it is dropped.
    ///
    /// # Errors
    /// [`GitError::WriterTaken`] while another one lives.
    pub fn claim(&mut self, repo: Repo) -> Result<RepoWriter> {
        self.claims.retain(|_, claim| claim.strong_count() > 0);
        let key = repo.common_dir().to_path_buf();
        if self.claims.contains_key(&key) {
            return Err(GitError::WriterTaken { path: key });
        }
        let claim = Arc::new(());
        self.claims.insert(key, Arc::downgrade(&claim));
        Ok(RepoWriter { repo, _claim: claim })
    }
}

/// The right to change the refs and worktrees of one repository. Not `Clone`: it belongs to one
/// owner, and every changing call borrows it for as long as it runs.
///
/// ```compile_fail,E0599
/// fn copy(writer: qd_git::RepoWriter) -> (qd_git::RepoWriter, qd_git::RepoWriter) {
///     (writer.clone(), writer)
/// }
/// ```
/// ```
/// fn hand_over(writer: qd_git::RepoWriter) -> (qd_git::RepoWriter,) {
///     (writer,)
/// }
/// ```
#[derive(Debug)]
pub struct RepoWriter {
    repo: Repo,
    _claim: Arc<()>,
}

impl RepoWriter {
    /// The repository, for reading.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Takes what was found out since about the same repository; nothing of another one.
    pub fn refresh(&mut self, found: Repo) {
        if found.common_dir() == self.repo.common_dir() {
            self.repo = found;
        }
    }
}

impl Deref for RepoWriter {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.repo
    }
}
