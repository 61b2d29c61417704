//! Pushing a branch, unless the remote has something that was never here.

use super::{Checkout, GitError, Oid, Result, refusal};
use crate::repo::Repo;

/// The newest earlier tips of a branch that are looked at.
const MAX_TIPS: &str = "--max-count=500";

/// A branch of a remote, as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteBranch {
    /// The remote.
    pub remote: String,
    /// The branch there.
    pub branch: String,
    /// Its commit; none if it is not there, or was never seen.
    pub commit: Option<Oid>,
    /// How many commits of ours it does not have.
    pub ahead: u64,
    /// How many commits it has that ours does not.
    pub behind: u64,
    /// Some of those were never here: pushing over them would lose them.
    pub has_others: bool,
}

/// What is to be pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushing {
    /// The branch here, and there.
    pub branch: String,
    /// The commit that is meant; if the branch moved on, it is not what was looked at.
    pub tip: Oid,
}

/// A push that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushReport {
    /// The remote.
    pub remote: String,
    /// The branch there.
    pub branch: String,
    /// Its commit before; none if it is new.
    pub old: Option<Oid>,
    /// Its commit now.
    pub new: Oid,
    /// What the remote said, such as where to open a pull request.
    pub said: Vec<String>,
}

impl Repo {
    /// Where a branch is pushed to: `branch.NAME.pushRemote`, `remote.pushDefault`, else the
    /// default remote; always under its own name, as what it was made from may be what it follows.
    /// None without a remote.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn push_target(&self, branch: &str, tip: &Oid) -> Result<Option<RemoteBranch>> {
        let mut remote = self.setting(&format!("branch.{branch}.pushRemote")).await?;
        if remote.is_none() {
            remote = self.setting("remote.pushDefault").await?;
        }
        let known = remote.filter(|remote| self.remotes().contains(remote));
        let Some(remote) = known.or_else(|| self.default_remote().map(str::to_owned)) else {
            return Ok(None);
        };
        let tracking = format!("refs/remotes/{remote}/{branch}");
        let commit = self.commit(&tracking).await?;
        let mut found = RemoteBranch {
            remote,
            branch: branch.to_owned(),
            commit,
            ahead: 0,
            behind: 0,
            has_others: false,
        };
        if let Some(there) = found.commit.clone() {
            found.ahead = self.count(&there, tip).await?;
            found.behind = self.count(tip, &there).await?;
            found.has_others = found.behind > 0 && self.was_never_here(branch, tip, &there).await?;
        }
        Ok(found.into())
    }

    /// A setting that makes the remote's address absolute, where it is a path from the top of the
    /// main checkout: git would take it from the top of the worktree, in which hooks are to run.
    async fn absolute_push_url(&self, remote: &str) -> Result<Option<String>> {
        let call = self.read("remote").args(["remote", "get-url", "--push", "--all", remote]);
        let output = self.git.run(call).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut urls = text.lines();
        let (Some(url), None) = (urls.next(), urls.next()) else { return Ok(None) };
        let begin = url.split('/').next().unwrap_or_default();
        let own = self.setting(&format!("remote.{remote}.pushurl")).await?;
        if begin.is_empty() || begin.contains(':') || own.is_some() {
            return Ok(None);
        }
        let Some(path) = self.top().join(url).to_str().map(str::to_owned) else { return Ok(None) };
        Ok(Some(format!("remote.{remote}.pushurl={path}")))
    }

    /// Whether `there` has commits that this branch never had.
    async fn was_never_here(&self, branch: &str, tip: &Oid, there: &Oid) -> Result<bool> {
        let name = format!("refs/heads/{branch}");
        let call = self.read("reflog").args(["log", "-g", "--format=%H", MAX_TIPS, &name, "--"]);
        let output = self.git.run(call).await?;
        let text = String::from_utf8_lossy(if output.ok() { &output.stdout } else { b"" });
        let tips = text.lines().filter_map(Oid::parse).map(|oid| format!("^{oid}"));
        let call = self
            .read("rev-list")
            .args(["rev-list", "--max-count=1", "--ignore-missing", there.as_str()])
            .arg(format!("^{tip}"))
            .args(tips);
        Ok(!self.git.run(call).await?.success(self.top())?.stdout.is_empty())
    }

    /// Pushes. What the remote's branch has is replaced only if it is what was last seen of it, and
    /// was here once. The person's hook runs; `tell` gets each line that is said on the way. When
    /// `cancel` completes the command is ended.
    ///
    /// # Errors
    /// [`GitError::NoRemote`], [`GitError::BranchMoved`], [`GitError::RemoteHasMore`],
    /// [`GitError::PushRejected`], [`GitError::PushDeclined`], [`GitError::HookRefused`],
    /// [`GitError::HookTimedOut`], [`GitError::LoginNeeded`], [`GitError::RemoteUnreachable`],
    /// [`GitError::Cancelled`]. The remote's branch is as it was then, unless it was cancelled in
    /// the very last moment.
    pub async fn push(
        &self,
        checkout: &Checkout,
        pushing: &Pushing,
        tell: impl FnMut(&str),
        cancel: impl Future<Output = ()>,
    ) -> Result<PushReport> {
        let Pushing { branch, tip } = pushing;
        let name = format!("refs/heads/{branch}");
        let found = checkout.commit(&name).await?;
        let found = found.ok_or_else(|| GitError::BranchMissing { branch: branch.clone() })?;
        if found != *tip {
            let (branch, expected) = (branch.clone(), tip.clone());
            return Err(GitError::BranchMoved { branch, expected, found });
        }
        let target = self.push_target(branch, tip).await?.ok_or(GitError::NoRemote)?;
        if target.has_others {
            let RemoteBranch { remote, branch, behind, .. } = target;
            return Err(GitError::RemoteHasMore { remote, branch, commits: behind });
        }
        self.send(checkout, target, tip, tell, cancel).await
    }

    /// Sends a commit to a branch of a remote, if that is where it was seen.
    pub(crate) async fn send(
        &self,
        checkout: &Checkout,
        target: RemoteBranch,
        tip: &Oid,
        tell: impl FnMut(&str),
        cancel: impl Future<Output = ()>,
    ) -> Result<PushReport> {
        let name = format!("refs/heads/{}", target.branch);
        // Without a commit: only if there is no such branch.
        let seen = target.commit.as_ref().map_or("", Oid::as_str);
        let mut call = checkout.ship_call("push");
        if let Some(setting) = self.absolute_push_url(&target.remote).await? {
            call = call.args(["-c", &setting]);
        }
        call = call.args([
            "push",
            "--porcelain",
            "--progress",
            "--no-follow-tags",
            &format!("--force-with-lease={name}:{seen}"),
            "--end-of-options",
            &target.remote,
            &format!("{tip}:{name}"),
        ]);
        if let Some(ssh) = self.quiet_ssh().await? {
            call = call.env("GIT_SSH_COMMAND", ssh);
        }
        let (output, hook) = checkout.run_with_hooks(call, tell, cancel).await?;
        if !output.ok() {
            return Err(refusal::of_push(output, hook, &target));
        }
        let said = refusal::remote_words(&output.stderr);
        let RemoteBranch { remote, branch, commit: old, .. } = target;
        Ok(PushReport { remote, branch, old, new: tip.clone(), said })
    }
}
