//! The commit that a session starts from, and the one that it is delivered onto.

mod current;

use serde::{Deserialize, Serialize};

use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::writer::RepoWriter;
use crate::{Oid, is_valid_branch_name};

/// Where a session starts, and what its changes are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The name, such as `origin/main`. To be compared with later, when it may have moved.
    pub name: String,
    /// The commit that it named when the session was made.
    pub commit: Oid,
    /// How fresh it is.
    pub source: BaseSource,
    /// One sentence for people: what it is and why.
    pub note: String,
}

/// How fresh a base is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseSource {
    /// The remote was asked just now.
    Fetched,
    /// What this repository has; the remote was not asked, or did not answer.
    Local,
}

impl RepoWriter {
    /// Finds the base: `wanted`, else the default branch of the default remote, freshly fetched
    /// if the remote answers in time, else the local default branch. A remote that does not answer
    /// is no error: the note says so. When `cancel` completes, the fetch is ended.
    ///
    /// # Errors
    /// [`GitError::BaseMissing`], [`GitError::Cancelled`].
    pub async fn resolve_base(
        &mut self,
        wanted: Option<&str>,
        cancel: impl Future<Output = ()>,
    ) -> Result<Base> {
        let Some(wanted) = wanted else { return self.default_base(cancel).await };
        let missing = || GitError::BaseMissing { name: wanted.to_owned() };
        if wanted.is_empty() || wanted.starts_with('-') || wanted.contains('\0') {
            return Err(missing());
        }
        let is_local = is_valid_branch_name(wanted) && self.branch_exists(wanted).await?;
        if !is_local {
            for remote in self.remotes().to_vec() {
                let Some(branch) = wanted.strip_prefix(&format!("{remote}/")) else { continue };
                if is_valid_branch_name(branch) && branch != "HEAD" {
                    let branch = branch.to_owned();
                    return self.remote_base(&remote, &branch, cancel).await;
                }
            }
        }
        if let Some(commit) = self.commit(wanted).await? {
            let note = format!("From {wanted} as it is here.");
            return Ok(Base { name: wanted.into(), commit, source: BaseSource::Local, note });
        }
        // A bare name may be a branch that only the remote has.
        let remote = self.default_remote().map(str::to_owned);
        match remote {
            Some(remote) if is_valid_branch_name(wanted) => {
                let found = self.remote_base(&remote, wanted, cancel).await;
                found.map_err(|error| match error {
                    GitError::BaseMissing { .. } => missing(),
                    other => other,
                })
            }
            _ => Err(missing()),
        }
    }

    async fn default_base(&mut self, cancel: impl Future<Output = ()>) -> Result<Base> {
        let branch = self.default_branch().to_owned();
        if let Some(remote) = self.default_remote().map(str::to_owned) {
            match self.remote_base(&remote, &branch, cancel).await {
                Err(GitError::BaseMissing { .. }) => {}
                other => return other,
            }
        }
        self.local_base(&branch).await
    }

    async fn remote_base(
        &mut self,
        remote: &str,
        branch: &str,
        cancel: impl Future<Output = ()>,
    ) -> Result<Base> {
        let fetched = match self.fetch_branch(remote, branch, cancel).await {
            Err(cancelled @ GitError::Cancelled { .. }) => return Err(cancelled),
            fetched => fetched,
        };
        let mut base = match fetched {
            Ok(()) => self.fetched_base(remote, branch).await?,
            Err(error) => self.seen_base(remote, branch, &brief(&error)).await?,
        };
        let ahead = self.count_ahead(branch, &base.commit).await?;
        if ahead > 0 {
            let commits = if ahead == 1 { "1 commit" } else { &format!("{ahead} commits") };
            base.note.push_str(&format!(
                " Your local {branch} has {commits} more, not on {remote}; not included."
            ));
        }
        Ok(base)
    }
}

impl Repo {
    async fn local_base(&self, branch: &str) -> Result<Base> {
        let name = branch.to_owned();
        let full = if branch == "HEAD" { name.clone() } else { format!("refs/heads/{branch}") };
        let Some(commit) = self.commit(&full).await? else {
            return Err(GitError::BaseMissing { name });
        };
        let why = match self.default_remote() {
            Some(remote) => format!("{remote} has no {branch} that we know"),
            None => "this repository has no remote".into(),
        };
        let note = format!("From the local {branch}: {why}.");
        Ok(Base { name, commit, source: BaseSource::Local, note })
    }

    async fn fetched_base(&self, remote: &str, branch: &str) -> Result<Base> {
        let note = format!("From {remote}/{branch}, fetched just now.");
        self.tracked_base(remote, branch, BaseSource::Fetched, note).await
    }

    async fn seen_base(&self, remote: &str, branch: &str, why: &str) -> Result<Base> {
        let note = format!("From {remote}/{branch} as last seen: {why}.");
        self.tracked_base(remote, branch, BaseSource::Local, note).await
    }

    async fn tracked_base(
        &self,
        remote: &str,
        branch: &str,
        source: BaseSource,
        note: String,
    ) -> Result<Base> {
        let name = format!("{remote}/{branch}");
        let Some(commit) = self.commit(&format!("refs/remotes/{name}")).await? else {
            return Err(GitError::BaseMissing { name });
        };
        Ok(Base { name, commit, source, note })
    }

    /// How many commits the local branch has that are not in `commit`; 0 if there is none.
    async fn count_ahead(&self, branch: &str, commit: &Oid) -> Result<u64> {
        let range = format!("{commit}..refs/heads/{branch}");
        let call = self.read("rev-list").args(["rev-list", "--count", "--end-of-options", &range]);
        let output = self.git.run(call).await?;
        if !output.ok() {
            return Ok(0);
        }
        Ok(output.line()?.parse().unwrap_or(0))
    }
}

fn brief(error: &GitError) -> String {
    match error {
        GitError::TimedOut { after, .. } => {
            format!("the remote did not answer within {} s", after.as_secs())
        }
        GitError::Failed { said, .. } => {
            let line = said.lines().next().unwrap_or_default();
            format!("the remote could not be asked ({})", line.trim_start_matches("fatal: "))
        }
        other => format!("the remote could not be asked ({other})"),
    }
}

/// Whether a fetch failed because the remote has no such branch.
fn is_of_a_missing_ref(error: &GitError) -> bool {
    matches!(error, GitError::Failed { said, .. } if said.contains("couldn't find remote ref"))
}
