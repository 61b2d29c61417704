//! The owner of the connection: one task, one state, one message at a time.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::config::ServerConfig;
use super::handle::{Request, ServerHandle, ServerInfo, ServerState};
use super::link::{Link, Reply};
use super::probe::{self, Identity, Presence};
use super::version;
use crate::control::{Command, CommandList, Notice};
use crate::{Error, Generation, Result};

/// Requests that may wait for the actor's turn.
const QUEUE: usize = 256;
/// How soon a server that could not be joined again is tried once more.
const TRY_AGAIN: Duration = Duration::from_secs(2);
/// Lists that may wait for tmux's answer; more are refused.
const MAX_WAITING: usize = 1024;
/// Notifications kept for a slow listener.
const NOTICES: usize = 1024;
/// How long the server may take over its first answer.
const FIRST_ANSWER: Duration = Duration::from_secs(10);
/// How long the server may take to end when told to, before SIGKILL.
const END: Duration = Duration::from_secs(3);

/// Owns the one control connection of one tmux server. Not `Clone`: there is one.
///
/// Dropping it closes the control client. The tmux server and every session in
/// it live on.
#[derive(Debug)]
pub struct TmuxServer {
    handle: ServerHandle,
    tasks: JoinSet<()>,
}

impl TmuxServer {
    /// Makes the owner. Nothing is started before [`ServerHandle::ensure`].
    ///
    /// # Errors
    /// When the configuration cannot work (a socket path that is too long).
    pub fn new(config: ServerConfig) -> Result<Self> {
        config.check()?;
        let (requests, inbox) = mpsc::channel(QUEUE);
        let (state_out, state) = watch::channel(ServerState::Idle);
        let notices = broadcast::Sender::new(NOTICES);
        let actor = Actor { config, inbox, state: state_out, notices: notices.clone() };
        let mut tasks = JoinSet::new();
        tasks.spawn(actor.run());
        Ok(Self { handle: ServerHandle { requests, state, notices }, tasks })
    }

    /// An address to hand out.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        self.handle.clone()
    }

    /// Closes the control client and waits until it is gone. The server stays.
    pub async fn close(mut self) {
        self.tasks.shutdown().await;
    }
}

struct Actor {
    config: ServerConfig,
    inbox: mpsc::Receiver<Request>,
    state: watch::Sender<ServerState>,
    notices: broadcast::Sender<Notice>,
}

/// A connection and what it is to.
struct Connected {
    link: Link,
    info: ServerInfo,
    /// Names the process beyond doubt, taken while it answered.
    process: Option<OwnedFd>,
}

/// Who waits for a connection.
#[derive(Default)]
struct Waiting {
    ensures: Vec<oneshot::Sender<Result<ServerInfo>>>,
    joins: Vec<oneshot::Sender<Result<Option<ServerInfo>>>>,
    commands: Vec<Asked>,
}

/// A command with who asked it.
struct Asked {
    expect: Option<Generation>,
    list: CommandList,
    reply: Reply,
}

impl Waiting {
    fn command(&mut self, asked: Asked) {
        if self.commands.len() < MAX_WAITING {
            self.commands.push(asked);
        } else {
            drop(asked.reply.send(Err(Error::Busy)));
        }
    }

    /// Everybody is told to no avail; the first gets the typed error, the rest its words.
    fn fail(&mut self, error: Error) {
        let text = error.to_string();
        let mut first = Some(error);
        let mut next = || first.take().unwrap_or(Error::ServerStart { why: text.clone() });
        for reply in self.ensures.drain(..) {
            drop(reply.send(Err(next())));
        }
        for reply in self.joins.drain(..) {
            drop(reply.send(Err(next())));
        }
        for asked in self.commands.drain(..) {
            drop(asked.reply.send(Err(Error::NotConnected)));
        }
    }

    /// There is no server: those who want none started have their answer.
    fn absent(&mut self) {
        for reply in self.joins.drain(..) {
            drop(reply.send(Ok(None)));
        }
        for asked in self.commands.drain(..) {
            drop(asked.reply.send(Err(Error::ServerAbsent)));
        }
    }
}

impl Actor {
    async fn run(mut self) {
        let mut waiting = Waiting::default();
        // When a connection that was lost is tried again without being asked for.
        let mut again: Option<Instant> = None;
        loop {
            if waiting.ensures.is_empty() {
                let request = tokio::select! {
                    request = self.inbox.recv() => match request {
                        Some(request) => Some(request),
                        None => return,
                    },
                    () = sleep_until(again), if again.is_some() => None,
                };
                match request {
                    Some(Request::Ensure(reply)) => waiting.ensures.push(reply),
                    Some(Request::Join(reply)) => waiting.joins.push(reply),
                    Some(Request::Command { expect, list, reply }) => {
                        waiting.command(Asked { expect, list, reply });
                    }
                    Some(Request::KillServer(reply)) => {
                        drop(reply.send(self.kill_unconnected().await));
                        continue;
                    }
                    None => {}
                }
            }
            let start = !waiting.ensures.is_empty();
            let Some(result) = self.connect(start, &mut waiting).await else { return };
            let lost = matches!(*self.state.borrow(), ServerState::Lost { .. });
            again = None;
            match result {
                Ok(Some(connected)) => match self.serve(connected, &mut waiting).await {
                    Ended::Lost => again = Some(Instant::now()),
                    Ended::Killed => {}
                    Ended::Unused => return,
                },
                Ok(None) => waiting.absent(),
                Err(error) => {
                    debug!(%error, "no connection to tmux");
                    again = lost.then(|| Instant::now() + TRY_AGAIN);
                    waiting.fail(error);
                }
            }
        }
    }

    /// Connects while requests keep being taken in. `None` when nobody is left to
    /// serve; inside, `None` when no server is there and none is to be started.
    async fn connect(
        &mut self,
        start: bool,
        waiting: &mut Waiting,
    ) -> Option<Result<Option<Connected>>> {
        let connect = connect(&self.config, start);
        tokio::pin!(connect);
        loop {
            tokio::select! {
                result = &mut connect => return Some(result),
                request = self.inbox.recv() => match request? {
                    Request::Ensure(reply) => waiting.ensures.push(reply),
                    Request::Join(reply) => waiting.joins.push(reply),
                    Request::Command { expect, list, reply } => {
                        waiting.command(Asked { expect, list, reply });
                    }
                    Request::KillServer(reply) => drop(reply.send(Err(Error::Busy))),
                }
            }
        }
    }

    /// Serves until the connection is over.
    async fn serve(&mut self, mut connected: Connected, waiting: &mut Waiting) -> Ended {
        // The state first: who is answered may look at it at once.
        self.state.send_replace(ServerState::Connected(connected.info.clone()));
        for reply in waiting.ensures.drain(..) {
            drop(reply.send(Ok(connected.info.clone())));
        }
        for reply in waiting.joins.drain(..) {
            drop(reply.send(Ok(Some(connected.info.clone()))));
        }
        for asked in waiting.commands.drain(..) {
            connected.run(asked);
        }
        let generation = connected.info.generation;
        let why = loop {
            let give_up = connected.link.silent_since().map(|since| since + self.config.patience);
            tokio::select! {
                turn = connected.link.turn() => match turn {
                    Ok(notices) => {
                        for notice in notices {
                            debug!(?notice, "tmux");
                            // No listener is no error.
                            drop(self.notices.send(notice));
                        }
                    }
                    Err(why) => break why,
                },
                () = sleep_until(give_up), if give_up.is_some() => {
                    break format!("it said nothing for {:?}", self.config.patience);
                }
                request = self.inbox.recv() => match request {
                    None => {
                        connected.link.close().await;
                        return Ended::Unused;
                    }
                    Some(Request::Ensure(reply)) => drop(reply.send(Ok(connected.info.clone()))),
                    Some(Request::Join(reply)) => {
                        drop(reply.send(Ok(Some(connected.info.clone()))));
                    }
                    Some(Request::Command { expect, list, reply }) => {
                        connected.run(Asked { expect, list, reply });
                    }
                    Some(Request::KillServer(reply)) => {
                        let result = kill(&mut connected).await;
                        connected.link.close().await;
                        self.lost(generation, "it was told to end".into());
                        drop(reply.send(result));
                        return Ended::Killed;
                    }
                }
            }
        };
        warn!(%why, pid = generation.pid, "the tmux connection is lost");
        connected.link.close().await;
        self.lost(generation, why);
        Ended::Lost
    }

    fn lost(&self, generation: Generation, why: String) {
        self.state.send_replace(ServerState::Lost { generation, why });
    }

    async fn kill_unconnected(&mut self) -> Result<()> {
        match probe::probe(&self.config).await {
            Presence::Absent => Ok(()),
            Presence::Unknown(why) => {
                Err(Error::ServerUnknown { socket: self.config.socket.clone(), why })
            }
            Presence::Present(_) => {
                let Some(mut connected) = connect(&self.config, false).await? else {
                    return Ok(());
                };
                let result = kill(&mut connected).await;
                connected.link.close().await;
                result
            }
        }
    }
}

impl Connected {
    /// Sends a command, when it is meant for this life of the server.
    fn run(&mut self, Asked { expect, list, reply }: Asked) {
        if expect.is_some_and(|generation| generation != self.info.generation) {
            drop(reply.send(Err(Error::StaleGeneration)));
        } else if self.link.waiting() < MAX_WAITING {
            self.link.send(list, reply);
        } else {
            drop(reply.send(Err(Error::Busy)));
        }
    }
}

/// How a connection ended.
enum Ended {
    /// The server ended, or does not answer, or the client was ended.
    Lost,
    /// The server was ended by our word.
    Killed,
    /// Nobody is left to serve.
    Unused,
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Joins the server, or starts one when that is wanted. `None` when none is there.
async fn connect(config: &ServerConfig, start: bool) -> Result<Option<Connected>> {
    // Without a server nothing is run, not even to see which tmux there is.
    if !start && probe::nobody_listens(config) {
        return Ok(None);
    }
    let installed = version::installed(&config.tmux, &config.env).await?;
    config.write_file()?;
    let started = match probe::probe(config).await {
        Presence::Present(identity) => {
            check_owner(config, &identity)?;
            false
        }
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

/// Asks the server over the new connection who it is, and, when it was joined,
/// sets our options as this release wants them.
async fn introduce(config: &ServerConfig, link: &mut Link, started: bool) -> Result<Identity> {
    let ask = Command::new("display-message").args(["-p", Identity::FORMAT]);
    let outputs = run(link, ask.into()).await?;
    let text = outputs.first().map(|o| String::from_utf8_lossy(o).into_owned()).unwrap_or_default();
    let identity = Identity::parse(&text)
        .ok_or(Error::BadAnswer { command: "display-message".into(), output: text })?;
    check_owner(config, &identity)?;
    if !started {
        for option in config.options() {
            let name = option.name();
            if let Err(Error::Refused { message, .. }) = run(link, option.into()).await {
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

fn check_owner(config: &ServerConfig, identity: &Identity) -> Result<()> {
    if identity.owner.as_deref() == Some(config.owner.as_str()) {
        return Ok(());
    }
    Err(Error::ForeignServer { socket: config.socket.clone(), owner: identity.owner.clone() })
}

fn open_process(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// `kill-server`, and SIGKILL when it does not end.
async fn kill(connected: &mut Connected) -> Result<()> {
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
    Err(Error::TimedOut { what: "the end of the tmux server", after: END * 3 })
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
