//! Remotes: which one counts, what it calls its default branch, fetching from it.

use crate::command::Kind;
use crate::error::Result;
use crate::repo::Repo;
use crate::settings::Settings;
use crate::writer::RepoWriter;

impl Repo {
    /// `checkout.defaultRemote`, else `origin`, else the remote of the current branch, else the
    /// first one.
    pub(crate) async fn find_default_remote(&self, settings: &Settings) -> Result<Option<String>> {
        let remotes = self.remotes();
        if remotes.len() < 2 {
            return Ok(remotes.first().cloned());
        }
        let chosen = settings.get("checkout.defaultremote");
        let mut wanted = Vec::from_iter(chosen.into_iter().chain(["origin"]).map(str::to_owned));
        if let Some(branch) = self.main_checkout().branch().await? {
            wanted.extend(self.setting(&format!("branch.{branch}.remote")).await?);
        }
        let found = wanted.into_iter().find(|name| remotes.contains(name));
        Ok(found.or_else(|| remotes.first().cloned()))
    }

    /// The default branch of the remote, as last seen.
    pub(crate) async fn remote_head(&self, remote: &str) -> Result<Option<String>> {
        let name = format!("refs/remotes/{remote}/HEAD");
        let call = self.read("symbolic-ref").args(["symbolic-ref", "--quiet", &name]);
        let output = self.git.run(call).await?;
        if !output.ok() {
            return Ok(None);
        }
        let prefix = format!("refs/remotes/{remote}/");
        Ok(output.line()?.strip_prefix(&prefix).map(str::to_owned))
    }
}

impl Repo {
    /// An ssh that never asks, unless the person chose their own command for it.
    pub(crate) async fn quiet_ssh(&self) -> Result<Option<&'static str>> {
        let env = &self.git.config().env;
        let chosen = ["GIT_SSH", "GIT_SSH_COMMAND"]
            .iter()
            .any(|name| env.contains_key(std::ffi::OsStr::new(name)));
        if chosen || self.setting("core.sshCommand").await?.is_some() {
            return Ok(None);
        }
        Ok(Some("ssh -o BatchMode=yes -o ConnectTimeout=5"))
    }
}

impl RepoWriter {
    /// Brings one branch of the remote up to date, within the fetch time-out, asking nothing.
    /// Only its remote-tracking ref moves.
    pub(crate) async fn fetch_branch(
        &mut self,
        remote: &str,
        branch: &str,
        cancel: impl Future<Output = ()>,
    ) -> Result<()> {
        let refspec = format!("+refs/heads/{branch}:refs/remotes/{remote}/{branch}");
        let mut call = self.write("fetch").kind(Kind::Network).args([
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--no-write-fetch-head",
            "--no-show-forced-updates",
            "--end-of-options",
            remote,
            &refspec,
        ]);
        if let Some(ssh) = self.quiet_ssh().await? {
            call = call.env("GIT_SSH_COMMAND", ssh);
        }
        let top = self.top().to_path_buf();
        self.git.run_unless(call, cancel).await?.success(&top).map(|_| ())
    }
}
