//! How our tmux server is set up, and why.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::control::Command;
use crate::{Error, Result, runtime_dir};

/// The session that holds the control client. Its pane only waits.
pub const HOLD_SESSION: &str = "qd-hold";

/// What a server is started with. Read once, at the start.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The tmux program: a path, or a name to be found on the `PATH` of `env`.
    pub tmux: PathBuf,
    /// The program that carries `internal hold|init|exec|tap`.
    pub qd: PathBuf,
    /// The socket of the server; shorter than 100 bytes.
    pub socket: PathBuf,
    /// Where our configuration file is written.
    pub config_file: PathBuf,
    /// The mark that tells our server from others: the home's id. Letters,
    /// digits, `-` and `_`.
    pub owner: String,
    /// The key that detaches a native client, as tmux writes keys.
    pub detach_key: String,
    /// Lines of history that tmux keeps for each pane.
    pub history_limit: u32,
    /// The whole environment of the server. See [`scrubbed_env`].
    pub env: Vec<(OsString, OsString)>,
    /// Words put before the command that starts a new server, such as
    /// `systemd-run --user --scope`, so that stopping the daemon's service does
    /// not stop the sessions.
    pub launcher: Vec<OsString>,
    /// How long the server may say nothing while a command waits for its answer.
    /// Then the connection is given up.
    pub patience: Duration,
}

/// A server under heavy load answers within a second or two.
const PATIENCE: Duration = Duration::from_secs(10);

impl ServerConfig {
    /// The usual setup, with the socket and the configuration file in `dir`.
    #[must_use]
    pub fn new(dir: &Path, owner: &str, qd: PathBuf, env: Vec<(OsString, OsString)>) -> Self {
        Self {
            tmux: PathBuf::from("tmux"),
            qd,
            socket: dir.join("tmux"),
            config_file: dir.join("tmux.conf"),
            owner: owner.to_owned(),
            detach_key: "C-q".to_owned(),
            history_limit: 10_000,
            env,
            launcher: Vec::new(),
            patience: PATIENCE,
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        runtime_dir::check_socket_path(&self.socket)?;
        let word = |s: &str| {
            !s.is_empty()
                && s.len() <= 100
                && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        if !word(&self.owner) {
            return Err(Error::BadArgument { what: "the owner mark", why: "it is no plain word" });
        }
        let key = |b: u8| b.is_ascii_graphic() && !b"\"'\\;#{}$~".contains(&b);
        if self.detach_key.is_empty() || !self.detach_key.bytes().all(key) {
            return Err(Error::BadArgument { what: "the detach key", why: "it is no key name" });
        }
        Ok(())
    }

    /// The arguments before any tmux command.
    pub(crate) fn base_args(&self) -> Vec<&OsStr> {
        // -u: without a UTF-8 locale tmux would replace every wide character.
        // -f: never the person's own file, whose errors would reach our panes.
        [
            OsStr::new("-u"),
            OsStr::new("-S"),
            self.socket.as_os_str(),
            OsStr::new("-f"),
            self.config_file.as_os_str(),
        ]
        .to_vec()
    }

    /// The options, in the order they are set. The same list is written to the
    /// configuration file of a new server and sent to one that is joined (which
    /// an earlier release may have started).
    pub(crate) fn options(&self) -> Vec<Command> {
        let server = |n: &str, v: &str| set(&["-s"], n, v);
        let session = |n: &str, v: &str| set(&["-g"], n, v);
        let window = |n: &str, v: &str| set(&["-gw"], n, v);
        let quiet = |n: &str, v: &str| set(&["-gq"], n, v);
        let mut list = vec![
            // First: whoever sees this server sees whose it is.
            server("@qd-owner", &self.owner),
            // Lives with no session and no client; ends by our word alone.
            server("exit-empty", "off"),
            server("exit-unattached", "off"),
            session("destroy-unattached", "off"),
            // A dead pane that stays is fatal: writing to its tap ends the whole
            // server (3.3a). The init keeps what must be kept.
            window("remain-on-exit", "off"),
            // No key of a program is taken from it.
            session("prefix", "None"),
            session("prefix2", "None"),
            // The detach key is a key also when it comes right after others. Pastes
            // in brackets are none of ours in any case.
            session("assume-paste-time", "0"),
            session("mouse", "off"),
            session("status", "off"),
            session("set-titles", "off"),
            window("allow-rename", "off"),
            window("automatic-rename", "off"),
            session("visual-activity", "off"),
            session("lock-after-time", "0"),
            session("history-limit", &self.history_limit.to_string()),
            session("default-size", "120x40"),
            // Nothing starts by itself that is not asked for.
            session("default-shell", "/bin/sh"),
            session("default-command", ""),
            // A client that attaches changes no environment.
            session("update-environment", ""),
            session("default-terminal", default_terminal(&self.env)),
            server("terminal-features", "xterm*:RGB:clipboard:ccolour:cstyle:focus:title"),
            // An Escape is an Escape after 10 ms; bytes of one key come together.
            server("escape-time", "10"),
            server("focus-events", "on"),
            server("extended-keys", "on"),
            // 3.5 and later: the form that programs ask for.
            set(&["-sq"], "extended-keys-format", "csi-u"),
            // A program's clipboard writes (OSC 52) reach nobody through tmux; the
            // session's own stream carries them to where consent is asked.
            server("set-clipboard", "off"),
            quiet("allow-passthrough", "off"),
        ];
        for table in ["root", "prefix", "copy-mode", "copy-mode-vi"] {
            // -q: a table that is empty already is an error.
            list.push(Command::new("unbind-key").args(["-q", "-a", "-T", table]));
        }
        list.push(Command::new("bind-key").args(["-T", "root", &self.detach_key, "detach-client"]));
        list
    }

    /// Writes the configuration file, whole or not at all.
    pub(crate) fn write_file(&self) -> Result<()> {
        let mut text = b"# Written by Quarterdeck at each start; changes are lost.\n".to_vec();
        for command in self.options() {
            text.extend(crate::control::CommandList::from(command).encode()?);
        }
        let temporary = self.config_file.with_extension("conf.new");
        crate::spec::write_private(&temporary, &text)
            .and_then(|()| std::fs::rename(&temporary, &self.config_file))
            .map_err(Error::io(format!("write {}", self.config_file.display())))
    }
}

/// The environment for a server: what is given, less what would tie it to the
/// tmux that we may run in ourselves, with a terminal type for its clients.
#[must_use]
pub fn scrubbed_env(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut env: Vec<_> = vars
        .into_iter()
        .filter(|(k, _)| {
            !["TMUX", "TMUX_PANE", "TMUX_TMPDIR", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"]
                .iter()
                .any(|n| k == n)
        })
        .collect();
    // Without one, attaching fails; its value is of no matter to a control client.
    env.push(("TERM".into(), "screen-256color".into()));
    env
}

fn set(flags: &[&str], name: &str, value: &str) -> Command {
    Command::new("set-option").args(flags).arg(name).arg(value)
}

/// `tmux-256color` where the host knows it (programs that look up what they do
/// not know draw badly), else `screen-256color`.
fn default_terminal(env: &[(OsString, OsString)]) -> &'static str {
    let var = |name: &str| env.iter().find(|(k, _)| k == name).map(|(_, v)| PathBuf::from(v));
    let mut dirs: Vec<PathBuf> =
        ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/local/share/terminfo"]
            .iter()
            .map(PathBuf::from)
            .collect();
    dirs.extend(var("TERMINFO"));
    dirs.extend(var("HOME").map(|h| h.join(".terminfo")));
    if let Some(list) = var("TERMINFO_DIRS") {
        dirs.extend(std::env::split_paths(&list).filter(|p| !p.as_os_str().is_empty()));
    }
    let known = |dir: &PathBuf| {
        dir.join("t/tmux-256color").exists() || dir.join("74/tmux-256color").exists()
    };
    if dirs.iter().any(known) { "tmux-256color" } else { "screen-256color" }
}
