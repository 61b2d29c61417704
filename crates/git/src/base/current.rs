//! What a session's branch is to be delivered onto, now.

use super::{Base, brief, is_of_a_missing_ref};
use crate::command::Kind;
use crate::error::{GitError, Result};
use crate::is_valid_branch_name;
use crate::repo::Repo;
use crate::writer::RepoWriter;

/// A branch that is to be delivered onto.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// A branch of a remote.
    Remote { remote: String, branch: String },
    /// A branch that no remote has.
    Local(String),
}

impl Repo {
    /// The base as it was last seen, without asking anybody: the remote's branch that `recorded`
    /// stands for, else the remote's default branch, else the local one. `recorded` is the name
    /// that the session began from; a commit or a tag stands for the default branch.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], or when git cannot be asked.
    pub async fn last_seen_base(&self, recorded: Option<&str>) -> Result<Base> {
        match self.target(recorded).await? {
            Target::Remote { remote, branch } => {
                self.seen_or_local(&remote, &branch, "the remote was not asked").await
            }
            Target::Local(branch) => self.local_base(&branch).await,
        }
    }

    async fn seen_or_local(&self, remote: &str, branch: &str, why: &str) -> Result<Base> {
        match self.seen_base(remote, branch, why).await {
            Err(GitError::BaseMissing { .. }) => self.local_base(branch).await,
            other => other,
        }
    }

    /// Which branch is meant. What was recorded may be a local branch: then that of the remote
    /// counts which it follows, or which has its name.
    async fn target(&self, recorded: Option<&str>) -> Result<Target> {
        if let Some(name) = recorded.filter(|name| is_valid_branch_name(name)) {
            if self.branch_exists(name).await? {
                return self.followed(name).await;
            }
            for remote in self.remotes() {
                let Some(branch) = name.strip_prefix(&format!("{remote}/")) else { continue };
                if is_valid_branch_name(branch) && branch != "HEAD" {
                    let (remote, branch) = (remote.clone(), branch.to_owned());
                    return Ok(Target::Remote { remote, branch });
                }
            }
        }
        let branch = self.default_branch();
        match self.default_remote() {
            Some(remote) if branch != "HEAD" => {
                let (remote, branch) = (remote.to_owned(), branch.to_owned());
                Ok(Target::Remote { remote, branch })
            }
            _ => Ok(Target::Local(branch.to_owned())),
        }
    }

    /// The branch of a remote that a local one follows; itself if there is none.
    async fn followed(&self, local: &str) -> Result<Target> {
        let remote = self.setting(&format!("branch.{local}.remote")).await?;
        let merged = self.setting(&format!("branch.{local}.merge")).await?;
        if let (Some(remote), Some(merged)) = (remote, merged)
            && self.remotes().contains(&remote)
            && let Some(branch) = merged.strip_prefix("refs/heads/")
        {
            return Ok(Target::Remote { remote, branch: branch.to_owned() });
        }
        let (branch, remote) = (local.to_owned(), self.default_remote());
        if let Some(remote) = remote {
            let known = format!("refs/remotes/{remote}/{branch}");
            // The default branch is the remote's even if it was never fetched.
            if local == self.default_branch() || self.commit(&known).await?.is_some() {
                return Ok(Target::Remote { remote: remote.to_owned(), branch });
            }
        }
        Ok(Target::Local(branch))
    }
}

impl RepoWriter {
    /// The base as it is now: as [`Repo::last_seen_base`], and freshly fetched if the remote
    /// answers in time. A remote that does not answer is no error: the note says so. If the remote
    /// has no such branch any more, its default branch takes the place. When `cancel` completes, a
    /// fetch is ended.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], [`GitError::Cancelled`].
    pub async fn current_base(
        &mut self,
        recorded: Option<&str>,
        cancel: impl Future<Output = ()>,
    ) -> Result<Base> {
        let (remote, branch) = match self.target(recorded).await? {
            Target::Local(branch) => return self.local_base(&branch).await,
            Target::Remote { remote, branch } => (remote, branch),
        };
        let mut cancel = std::pin::pin!(cancel);
        match self.fetch_branch(&remote, &branch, cancel.as_mut()).await {
            Ok(()) => self.fetched_base(&remote, &branch).await,
            Err(error @ GitError::Cancelled { .. }) => Err(error),
            Err(error) if is_of_a_missing_ref(&error) => {
                let gone = format!("{remote} has no {branch}");
                let head = self.ask_remote_head(&remote).await?.filter(|head| *head != branch);
                if let Some(head) = head
                    && self.fetch_branch(&remote, &head, cancel.as_mut()).await.is_ok()
                {
                    let mut base = self.fetched_base(&remote, &head).await?;
                    base.note.push_str(&format!(" {gone} any more."));
                    return Ok(base);
                }
                self.seen_or_local(&remote, &branch, &format!("{gone} any more")).await
            }
            Err(error) => self.seen_or_local(&remote, &branch, &brief(&error)).await,
        }
    }

    /// The branch that the remote itself calls its default.
    async fn ask_remote_head(&self, remote: &str) -> Result<Option<String>> {
        let mut call = self.read("ls-remote").kind(Kind::Network).args([
            "ls-remote",
            "--symref",
            "--end-of-options",
            remote,
            "HEAD",
        ]);
        if let Some(ssh) = self.quiet_ssh().await? {
            call = call.env("GIT_SSH_COMMAND", ssh);
        }
        let output = self.git.run(call).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let head = text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/"));
        Ok(head.and_then(|rest| rest.split('\t').next()).map(str::to_owned))
    }
}
