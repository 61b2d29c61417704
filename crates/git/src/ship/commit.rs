//! A commit of all that changed, of chosen files, or of what is staged.
//!
//! Unless only what is staged is wanted, it is made of a private index, so that the agent's own is
//! not touched before the commit is made: a hook that refuses leaves what was staged as it was.

use std::path::Path;

use super::{Checkout, GitError, Oid, RepoPath, Result, refusal};
use crate::command::{Call, Kind};
use crate::diff::copy_index;

/// What is to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// All changes, untracked files included.
    All,
    /// These files as they are now; what else is staged stays staged. A renamed one is both its
    /// paths.
    Files(Vec<RepoPath>),
    /// What is staged, and nothing else.
    Staged,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitReport {
    /// The commit.
    pub commit: Oid,
    /// Something to know beside, as a sentence.
    pub note: Option<String>,
}

impl Checkout {
    /// Commits. The person's hooks run, and sign it whoever signs for them; `tell` gets each line
    /// that is said on the way. When `cancel` completes the command and its hooks are ended.
    ///
    /// # Errors
    /// [`GitError::MessageInvalid`], [`GitError::NothingToCommit`], [`GitError::HookRefused`],
    /// [`GitError::HookTimedOut`], [`GitError::SigningFailed`], [`GitError::NoIdentity`],
    /// [`GitError::OperationUnderWay`], [`GitError::HeadDetached`], [`GitError::Locked`],
    /// [`GitError::Cancelled`]. Nothing is committed then, and the index is as it was.
    pub async fn commit_work(
        &self,
        message: &str,
        what: &What,
        tell: impl FnMut(&str),
        cancel: impl Future<Output = ()>,
    ) -> Result<CommitReport> {
        if message.trim().is_empty() || message.contains('\0') {
            return Err(GitError::MessageInvalid);
        }
        if let Some(operation) = self.operation() {
            return Err(GitError::OperationUnderWay { operation, path: self.top().into() });
        }
        if self.branch().await?.is_none() {
            return Err(GitError::HeadDetached { path: self.top().into() });
        }
        let before = self.commit("HEAD").await?;
        let folder = copy_index(&self.git.config().scratch, self.git_dir())?;
        let index = folder.path().join("index");
        match what {
            What::Staged => {}
            What::All => self.add(&index, &[]).await?,
            What::Files(paths) => {
                self.begin_at(&index, before.as_ref()).await?;
                if !paths.is_empty() {
                    self.add(&index, paths).await?;
                }
            }
        }
        if !self.has_something_for(&index, before.as_ref()).await? {
            return Err(GitError::NothingToCommit);
        }
        let mut call = self.ship_call("commit");
        // What is staged is committed as git does it by itself, with what a hook adds.
        if *what != What::Staged {
            call = call.index(&index);
        }
        let call = call
            .args(["commit", "--quiet", "--cleanup=whitespace", "--file=-"])
            .stdin(message.as_bytes().to_vec());
        let (output, hook) = self.run_with_hooks(call, tell, cancel).await?;
        if !output.ok() {
            return Err(refusal::of_commit(output, hook, self.top()));
        }
        let made = self.commit("HEAD").await?.filter(|made| Some(made) != before.as_ref());
        let commit = made.ok_or_else(|| GitError::unexpected("commit", "no new commit"))?;
        let note = match self.take_over(what).await {
            Ok(()) => None,
            Err(error) => Some(format!(
                "The commit is made, but the index does not know of it yet: {error}. \
                 `git reset` in the worktree brings it up to date."
            )),
        };
        Ok(CommitReport { commit, note })
    }

    fn private(&self, what: &'static str, index: &Path) -> Call {
        Call::new(Kind::Write, what, self.top())
            .in_dirs(self.git_dir(), Some(self.top()))
            .index(index)
    }

    async fn add(&self, index: &Path, paths: &[RepoPath]) -> Result<()> {
        let mut call = self.private("add", index).literal_paths().args(["add", "--all"]);
        if paths.is_empty() {
            call = call.args(["--", "."]);
        } else {
            call = call.args(["--pathspec-from-file=-", "--pathspec-file-nul"]).stdin(nul(paths));
        }
        self.git.run(call).await?.success(self.top()).map(|_| ())
    }

    async fn begin_at(&self, index: &Path, head: Option<&Oid>) -> Result<()> {
        let call = self.private("read-tree", index);
        let call = match head {
            Some(head) => call.args(["read-tree", "--reset", head.as_str()]),
            None => call.args(["read-tree", "--empty"]),
        };
        self.git.run(call).await?.success(self.top()).map(|_| ())
    }

    async fn has_something_for(&self, index: &Path, head: Option<&Oid>) -> Result<bool> {
        let Some(head) = head else { return Ok(true) };
        let call = self
            .read("diff-index")
            .index(index)
            .args(["diff-index", "--cached", "--quiet", "--ignore-submodules=none"])
            .args([head.as_str(), "--"]);
        let output = self.git.run(call).await?;
        match output.code {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => Err(output.into_error(self.top())),
        }
    }

    /// Brings the agent's index to what was committed; entries of other files stay.
    async fn take_over(&self, what: &What) -> Result<()> {
        let call = Call::new(Kind::Write, "reset", self.top())
            .in_dirs(self.git_dir(), Some(self.top()))
            .literal_paths()
            .args(["reset", "--quiet"]);
        let call = match what {
            What::Staged => return Ok(()),
            What::All => call,
            What::Files(paths) => {
                call.args(["--pathspec-from-file=-", "--pathspec-file-nul"]).stdin(nul(paths))
            }
        };
        self.git.run(call).await?.success(self.top()).map(|_| ())
    }
}

fn nul(paths: &[RepoPath]) -> Vec<u8> {
    paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect()
}
