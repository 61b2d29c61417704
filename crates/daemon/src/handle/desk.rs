//! What is asked of the daemon beside its sessions: what can be started, where, and by whom.

use std::collections::HashMap;
use std::path::Path;

use qd_api::{AgentInfo, Branches, Device, DoctorReport, LoginReply, Paths, RepoInfo, rfc3339};
use qd_core::{Code, Millis, Problem};

use super::DaemonHandle;
use crate::message::{SessionAddress, SessionMessage};
use crate::peers::{self, Standing};
use crate::{Denied, Principal, doctor, paths};

impl DaemonHandle {
    /// Agents that can be started.
    pub async fn agents(&self) -> Vec<AgentInfo> {
        let env = &self.shared.env;
        let path = env.get("PATH").map_or("", String::as_str);
        self.shared.agents.list(path, env.get("SHELL").map(String::as_str)).await
    }

    /// Repositories that sessions worked in, most recent first.
    #[must_use]
    pub fn repos(&self) -> Vec<RepoInfo> {
        let mut repos: HashMap<String, (u32, Millis)> = HashMap::new();
        for entry in self.shared.registry.borrow().values() {
            let shown = entry.view.borrow();
            let repo = repos.entry(shown.view.repo.clone()).or_default();
            repo.0 += u32::from(shown.view.state != "trashed");
            repo.1 = repo.1.max(shown.created_at);
        }
        let mut repos: Vec<_> = repos.into_iter().collect();
        repos.sort_by_key(|(_, (_, at))| std::cmp::Reverse(*at));
        repos
            .into_iter()
            .map(|(path, (sessions, at))| RepoInfo { path, sessions, used_at: rfc3339(at) })
            .collect()
    }

    /// The branches of a repository.
    ///
    /// # Errors
    /// When it is none, or git cannot be asked.
    pub async fn branches(&self, path: &str) -> Result<Branches, Problem> {
        paths::branches(&self.shared.git, &self.shared.home, Path::new(path)).await
    }

    /// Folders that begin with a prefix; `~` stands for the person's home.
    ///
    /// # Errors
    /// When the prefix is not an absolute path.
    pub async fn paths(&self, prefix: &str) -> Result<Paths, Problem> {
        paths::complete(prefix, self.shared.env.get("HOME").map(String::as_str)).await
    }

    /// What is missing or wrong.
    pub async fn doctor(&self) -> DoctorReport {
        doctor::look(&self.shared).await
    }

    /// Whom a token belongs to.
    ///
    /// # Errors
    /// [`Denied`].
    pub async fn authenticate(&self, token: Option<&str>) -> Result<Principal, Denied> {
        self.shared.authenticate(token).await
    }

    /// Whom a process belongs to that came by the Unix socket: a session when it runs beneath
    /// one of our pane inits, the owner when it surely runs beneath none. The uid was checked
    /// before.
    ///
    /// # Errors
    /// [`Code::NotAllowed`] when it cannot be told, or when the daemon itself started it.
    pub fn principal_of_process(&self, pid: i32) -> Result<Principal, Problem> {
        match peers::standing(pid, self.shared.home.root()) {
            Standing::Outside => {
                Ok(Principal::Owner { device: None, name: "command line".to_owned() })
            }
            Standing::Beneath(session) => Ok(Principal::Session(session)),
            Standing::OfDaemon => Err(Problem::new(
                Code::NotAllowed,
                "A program that the daemon started, such as a filter of git, may ask nothing.",
                "Ask from a terminal of yours.",
            )),
            Standing::Unknown => Err(Problem::new(
                Code::NotAllowed,
                "Nothing was done: whether the caller belongs to a session cannot be told, as one \
                 of its parents cannot be seen in /proc.",
                "Ask from a process that stays until it is answered. If every call is refused \
                 so, /proc hides processes: mount it without `hidepid`.",
            )),
        }
    }

    /// Makes a login code, good for ten minutes, once.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn login_code(&self) -> Result<String, Problem> {
        self.shared.login_code().await
    }

    /// Trades a login code for a token.
    ///
    /// # Errors
    /// [`Code::LoginCodeWrong`].
    pub async fn login(&self, code: &str, device: Option<String>) -> Result<LoginReply, Problem> {
        self.shared.login(code, device).await
    }

    /// Devices that may come in; `current` is that of the asker.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn devices(&self, asker: &Principal) -> Result<Vec<Device>, Problem> {
        self.shared.devices(asker).await
    }

    /// Takes a device's token away and lets its viewers go.
    ///
    /// # Errors
    /// When there is no such device.
    pub async fn revoke(&self, device: &str) -> Result<(), Problem> {
        self.shared.revoke(device).await?;
        let addresses: Vec<SessionAddress> =
            self.shared.registry.borrow().values().map(|e| e.address.clone()).collect();
        for address in addresses {
            let _ = address.send(SessionMessage::Revoke { device: device.to_owned() }).await;
        }
        Ok(())
    }
}
