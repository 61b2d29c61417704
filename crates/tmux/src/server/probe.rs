//! Is there a server on the socket, and whose? Three answers, never two.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::config::ServerConfig;
use crate::{Error, Generation, Result, process};

/// How long a start may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Whether something is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence<T> {
    /// It answered.
    Present(T),
    /// The operating system or the server said that it is not there.
    Absent,
    /// No answer. Nothing may be made or ended on this ground.
    Unknown(String),
}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub version: String,
    pub generation: Generation,
    pub owner: Option<String>,
}

impl Identity {
    pub(crate) const FORMAT: &str = "#{version} #{pid} #{start_time} #{@qd-owner}";

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.trim_end_matches('\n').split(' ');
        Some(Self {
            version: words.next()?.to_owned(),
            generation: Generation {
                pid: words.next()?.parse().ok()?,
                start_time: words.next()?.parse().ok()?,
            },
            owner: words.next().filter(|o| !o.is_empty()).map(str::to_owned),
        })
    }
}

/// Whether somebody listens: the kernel knows best; tmux's words for it vary.
pub(crate) fn listens(config: &ServerConfig) -> Presence<()> {
    listening(&config.socket)
}

/// The same, of any socket.
pub(crate) fn listening(socket: &Path) -> Presence<()> {
    use std::io::ErrorKind::{ConnectionRefused, NotFound};
    match UnixStream::connect(socket) {
        Ok(_) => Presence::Present(()),
        Err(e) if matches!(e.kind(), NotFound | ConnectionRefused) => Presence::Absent,
        Err(e) => Presence::Unknown(e.to_string()),
    }
}

/// Asks the socket. Starts nothing.
pub(crate) async fn probe(config: &ServerConfig) -> Presence<Identity> {
    match listens(config) {
        Presence::Present(()) => {}
        Presence::Absent => return Presence::Absent,
        Presence::Unknown(why) => return Presence::Unknown(why),
    }
    let mut command = process::clean(&config.tmux, &config.env);
    command
        .args(config.base_args())
        .args(["-N", "display-message", "-p", Identity::FORMAT])
        .stdin(Stdio::null());
    let within = config.patience;
    let output = match tokio::time::timeout(within, command.output()).await {
        Err(_) => return Presence::Unknown(format!("no answer within {within:?}")),
        Ok(Err(e)) => return Presence::Unknown(e.to_string()),
        Ok(Ok(output)) => output,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    match Identity::parse(&text) {
        Some(identity) if output.status.success() => Presence::Present(identity),
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            // It may have ended between the two questions.
            match UnixStream::connect(&config.socket) {
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionRefused => Presence::Absent,
                _ => Presence::Unknown(format!("it said {:?}", said.trim())),
            }
        }
    }
}

/// Whether the server has our holding session, which only we make.
pub(crate) async fn holds(config: &ServerConfig) -> bool {
    let mut command = process::clean(&config.tmux, &config.env);
    command
        .args(config.base_args())
        .args(["-N", "has-session", "-t", &format!("={}", super::HOLD_SESSION)])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let asked = tokio::time::timeout(config.patience, command.status()).await;
    matches!(asked, Ok(Ok(status)) if status.success())
}

/// Starts a server, through the launcher, with its holding session.
pub(crate) async fn start(config: &ServerConfig) -> Result<()> {
    let mut words: Vec<std::ffi::OsString> = config.launcher.clone();
    words.push(config.tmux.clone().into());
    words.extend(config.base_args().into_iter().map(Into::into));
    words.extend(
        ["new-session", "-d", "-s", super::HOLD_SESSION, "-x", "120", "-y", "40", "--"]
            .map(Into::into),
    );
    words.push(config.qd.clone().into());
    words.extend(["internal", "hold"].map(Into::into));
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let mut command = process::clean(&program, &config.env);
    // In `/`: the server must not keep a directory busy for its whole life.
    command.args(words).stdin(Stdio::null()).current_dir("/");
    let output = tokio::time::timeout(TIMEOUT, command.output())
        .await
        .map_err(|_| Error::TimedOut { what: "the start of tmux", after: TIMEOUT })?
        .map_err(|source| Error::TmuxMissing { program: program.into(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    // Somebody else of this home was quicker; joining tells the rest.
    if said.contains("duplicate session") {
        return Ok(());
    }
    let why = if said.is_empty() { output.status.to_string() } else { said };
    Err(Error::ServerStart { why })
}
