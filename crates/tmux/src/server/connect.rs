//! Making a connection, and ending a server.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal};
use tokio::sync::oneshot;
use tracing::warn;

use super::actor::{Asked, MAX_WAITING};
use super::config::ServerConfig;
use super::handle::ServerInfo;
use super::link::Link;
use super::probe::{self, Identity, Presence};
use super::version;
use crate::control::{Command, CommandList};
use crate::{Error, Result};

/// How long the server may take to end when told to, before SIGKILL.
const END: Duration = Duration::from_secs(3);
/// How long a server without a mark may take to read its configuration.
const MARK: Duration = Duration::from_secs(2);
/// How long the server may take over its first answer.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// A connection and what it is to.
pub(super) struct Connected {
    pub(super) link: Link,
    pub(super) info: ServerInfo,
    /// Names the process beyond doubt, taken while it answered.
    process: Option<OwnedFd>,
}

impl Connected {
    /// Sends a command, when it is meant for this life of the server.
    pub(super) fn run(&mut self, Asked { expect, list, reply }: Asked) {
        if expect.is_some_and(|generation| generation != self.info.generation) {
            drop(reply.send(Err(Error::StaleGeneration)));
        } else if self.link.waiting() < MAX_WAITING {
            self.link.send(list, reply);
        } else {
            drop(reply.send(Err(Error::Busy)));
        }
    }
}

/// Joins the server, or starts one when that is wanted. `None` when none is there.
pub(super) async fn connect(config: &ServerConfig, start: bool) -> Result<Option<Connected>> {
    // Without a server nothing is run, not even to see which tmux there is.
    if !start && matches!(probe::listens(config), Presence::Absent) {
        return Ok(None);
    }
    let installed = version::installed(&config.tmux, &config.env).await?;
    config.write_file()?;
    let started = match ours(config).await? {
        Presence::Present(()) => false,
        Presence::Absent if !start => return Ok(None),
        Presence::Absent => {
            probe::start(config).await?;
            true
        }
        Presence::Unknown(why) => {
            return Err(Error::ServerUnknown { socket: config.socket.clone(), why });
        }
    };
    let mut link = Link::open(config)?;
    let first = tokio::time::timeout(FIRST_ANSWER, introduce(config, &mut link, started)).await;
    let identity = match first {
        Ok(Ok(identity)) => identity,
        Ok(Err(e)) => {
            link.close().await;
            return Err(e);
        }
        Err(_) => {
            link.close().await;
            return Err(Error::TimedOut { what: "tmux's first answer", after: FIRST_ANSWER });
        }
    };
    let process = open_process(identity.generation.pid);
    let info = ServerInfo {
        generation: identity.generation,
        version: identity.version,
        installed: installed.text,
        started,
    };
    Ok(Some(Connected { link, info, process }))
}

/// Is a server there? It is ours, or this is an error.
///
/// One without a mark is ours when it has the session that only we make: its configuration was
/// gone, or cut short, when it read it. One that was started just now, by a daemon that was killed,
/// answers before it has read its configuration; it has neither yet.
async fn ours(config: &ServerConfig) -> Result<Presence<()>> {
    let deadline = tokio::time::Instant::now() + MARK;
    loop {
        let identity = match probe::probe(config).await {
            Presence::Present(identity) => identity,
            Presence::Absent => return Ok(Presence::Absent),
            Presence::Unknown(why) => return Ok(Presence::Unknown(why)),
        };
        if is_marked(config, &identity)? || probe::holds(config).await {
            return Ok(Presence::Present(()));
        }
        if tokio::time::Instant::now() >= deadline {
            return Err(foreign(config, identity.owner));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Asks the server over the new connection who it is, and, when it was joined or has no mark, sets
/// our options as this release wants them. [`ours`] has let only a server without a mark pass that
/// is ours.
async fn introduce(config: &ServerConfig, link: &mut Link, started: bool) -> Result<Identity> {
    let ask = Command::new("display-message").args(["-p", Identity::FORMAT]);
    let outputs = run(link, ask.into()).await?;
    let text = outputs.first().map(|o| String::from_utf8_lossy(o).into_owned()).unwrap_or_default();
    let identity = Identity::parse(&text)
        .ok_or(Error::BadAnswer { command: "display-message".into(), output: text })?;
    let marked = is_marked(config, &identity)?;
    if !started || !marked {
        for option in config.options() {
            let name = option.name();
            // Without a word: a command that was to be quiet, such as the end of a table of keys
            // that is gone since the server's start.
            if let Err(Error::Refused { message, .. }) = run(link, option.into()).await
                && !message.is_empty()
            {
                warn!(%name, %message, "a joined tmux server refused an option");
            }
        }
    }
    Ok(identity)
}

/// Runs a list on a link that is not served yet.
async fn run(link: &mut Link, list: CommandList) -> Result<Vec<Vec<u8>>> {
    let (reply, mut answer) = oneshot::channel();
    link.send(list, reply);
    loop {
        match answer.try_recv() {
            Ok(result) => return result,
            Err(oneshot::error::TryRecvError::Closed) => return Err(Error::ConnectionLost),
            Err(oneshot::error::TryRecvError::Empty) => {}
        }
        link.turn().await.map_err(|why| Error::ServerStart { why })?;
    }
}

/// Whether it has our mark. One with the mark of another is an error.
fn is_marked(config: &ServerConfig, identity: &Identity) -> Result<bool> {
    match &identity.owner {
        None => Ok(false),
        Some(owner) if *owner == config.owner => Ok(true),
        Some(owner) => Err(foreign(config, Some(owner.clone()))),
    }
}

fn foreign(config: &ServerConfig, owner: Option<String>) -> Error {
    Error::ForeignServer { socket: config.socket.clone(), owner }
}

fn open_process(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// `kill-server`, and SIGKILL when it does not end.
pub(super) async fn kill(connected: &mut Connected) -> Result<()> {
    let (reply, _answer) = oneshot::channel();
    connected.link.send(Command::new("kill-server").into(), reply);
    // Read on until the end: a client that is not read keeps the server alive.
    let drained = async { while connected.link.turn().await.is_ok() {} };
    drop(tokio::time::timeout(END, drained).await);
    let Some(process) = &connected.process else { return Ok(()) };
    if ended(process, END).await {
        return Ok(());
    }
    let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
    if ended(process, END).await {
        return Ok(());
    }
    Err(not_ended())
}

/// The server is still there after all that was done to end it.
pub(super) fn not_ended() -> Error {
    Error::TimedOut { what: "the end of the tmux server", after: END * 3 }
}

/// Waits until the process is gone; a process descriptor is readable then. Looked
/// at in steps: tokio's registration of a descriptor is unsafe by now, and this
/// happens once in a server's life.
async fn ended(process: &OwnedFd, within: Duration) -> bool {
    let deadline = tokio::time::Instant::now() + within;
    loop {
        let mut fds = [PollFd::new(process, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if rustix::event::poll(&mut fds, Some(&now)).is_ok_and(|n| n > 0) {
            return true;
        }
        if tokio::time::Instant::now() >= deadline {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
