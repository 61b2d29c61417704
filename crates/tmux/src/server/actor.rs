//! The owner of the connection: one task, one state, one message at a time.

use std::time::Duration;

use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::config::ServerConfig;
use super::connect::{Connected, connect, kill, not_ended};
use super::handle::{Request, ServerHandle, ServerInfo, ServerState};
use super::link::Reply;
use super::probe::{self, Presence};
use crate::control::{CommandList, Notice};
use crate::{Error, Generation, Result};

/// Requests that may wait for the actor's turn.
const QUEUE: usize = 256;
/// How soon a server that could not be joined again is tried once more.
const TRY_AGAIN: Duration = Duration::from_secs(2);
/// Lists that may wait for tmux's answer; more are refused.
pub(super) const MAX_WAITING: usize = 1024;
/// Notifications kept for a slow listener.
const NOTICES: usize = 1024;

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

/// Who waits for a connection.
#[derive(Default)]
struct Waiting {
    ensures: Vec<oneshot::Sender<Result<ServerInfo>>>,
    joins: Vec<oneshot::Sender<Result<Option<ServerInfo>>>>,
    commands: Vec<Asked>,
    kills: Vec<oneshot::Sender<Result<()>>>,
}

/// A command with who asked it.
pub(super) struct Asked {
    pub(super) expect: Option<Generation>,
    pub(super) list: CommandList,
    pub(super) reply: Reply,
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
        for reply in self.kills.drain(..) {
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
        for reply in self.kills.drain(..) {
            drop(reply.send(Ok(())));
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
                    Request::KillServer(reply) => waiting.kills.push(reply),
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
        // Told to end it while it was being joined.
        if !waiting.kills.is_empty() {
            self.told_to_end(connected, waiting.kills.drain(..)).await;
            return Ended::Killed;
        }
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
                        self.told_to_end(connected, [reply]).await;
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

    async fn told_to_end(
        &self,
        mut connected: Connected,
        asked: impl IntoIterator<Item = oneshot::Sender<Result<()>>>,
    ) {
        let result = kill(&mut connected).await;
        connected.link.close().await;
        self.lost(connected.info.generation, "it was told to end".into());
        for reply in asked {
            drop(reply.send(result.as_ref().map_or_else(|_| Err(not_ended()), |()| Ok(()))));
        }
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
