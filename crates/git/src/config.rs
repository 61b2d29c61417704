//! Which git to run, in which environment, and how long to wait for it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How [`crate::Git`] runs git.
#[derive(Debug, Clone)]
pub struct GitConfig {
    /// The program, looked up in the `PATH` of `env` when it has no slash. By a full path a child
    /// is started much faster, as nothing of ours is copied for the look-up.
    pub program: PathBuf,
    /// The whole environment of the child, before hardening. Nothing else is inherited.
    pub env: BTreeMap<OsString, OsString>,
    /// A folder of ours for short-lived files, such as the copy of an index.
    pub scratch: PathBuf,
    /// Upper bounds, after which the whole process group is ended.
    pub timeouts: Timeouts,
}

/// Upper bounds for one git command.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Reads: listing, diff, status.
    pub read: Duration,
    /// Changes: making a worktree of a large repository takes minutes.
    pub write: Duration,
    /// Asking a remote before a session starts.
    pub fetch: Duration,
    /// The person's post-checkout hook, and what signs a commit.
    pub hook: Duration,
    /// A commit or a push with the person's hooks, which may run their tests.
    pub ship: Duration,
    /// Between asking a changing command to end and ending it.
    pub grace: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            read: Duration::from_secs(30),
            write: Duration::from_secs(600),
            fetch: Duration::from_secs(6),
            hook: Duration::from_secs(60),
            ship: Duration::from_secs(1800),
            grace: Duration::from_secs(3),
        }
    }
}

/// Variables of git that may pass through; all other `GIT_*` describe the caller's own work.
const GIT_KEPT: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_PROXY_COMMAND",
    "GIT_PROXY_SSL_CAINFO",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_NO_VERIFY",
];

impl GitConfig {
    /// Takes the variables that git needs from `vars` (usually `std::env::vars_os()`), and leaves
    /// out our own (`QD_*`), those of tmux, and those that point git at another repository.
    pub fn from_vars(
        vars: impl IntoIterator<Item = (OsString, OsString)>,
        scratch: impl Into<PathBuf>,
    ) -> Self {
        let env = vars.into_iter().filter(|(name, _)| is_kept(&name.to_string_lossy())).collect();
        Self {
            program: PathBuf::from("git"),
            env,
            scratch: scratch.into(),
            timeouts: Timeouts::default(),
        }
    }
}

fn is_kept(name: &str) -> bool {
    if let Some(rest) = name.strip_prefix("GIT_") {
        return !rest.is_empty() && GIT_KEPT.contains(&name);
    }
    !(name.starts_with("QD_")
        || name == "TMUX"
        || name == "TMUX_PANE"
        || name == "LANGUAGE"
        || name == "SSH_ASKPASS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_repository_and_our_secrets_stay_out() {
        let vars = ["GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "QD_TOKEN", "HOME", "PATH"]
            .map(|name| (OsString::from(name), OsString::from("x")));
        let config = GitConfig::from_vars(vars, "/nowhere");
        let names: Vec<_> = config.env.keys().map(|name| name.to_string_lossy()).collect();
        assert_eq!(names, ["HOME", "PATH"]);
    }
}
