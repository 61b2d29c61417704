//! Where inits announce themselves, and where panes are made.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fd::OwnedFd;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tracing::{debug, warn};

use super::conn::Conn;
use crate::server::ServerHandle;
use crate::wire::{FromPane, VERSION};
use crate::{Error, Result, SessionKey, runtime_dir};

/// Requests that may wait.
const QUEUE: usize = 64;
/// Connections that have not said yet who they are.
const MAX_STRANGERS: usize = 64;
/// How long they may take.
const HELLO: Duration = Duration::from_secs(10);
/// How long taking back may hold up the end of the host.
const TAKE_BACK: Duration = Duration::from_secs(20);
/// How soon to listen again after that failed.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Where the files of panes are.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// For sockets; see [`runtime_dir::runtime_dir`].
    pub runtime_dir: PathBuf,
    /// For spec files and spools; made with mode 0700.
    pub pane_dir: PathBuf,
    /// The program that carries `internal …`.
    pub qd: PathBuf,
    /// The owner mark, as in [`crate::server::ServerConfig::owner`].
    pub owner: String,
    /// Output that is kept per pane while no daemon is there, in bytes.
    pub spool_cap: u64,
}

impl HostConfig {
    pub(crate) fn daemon_sock(&self) -> PathBuf {
        self.runtime_dir.join("inits.sock")
    }

    pub(crate) fn pane_sock(&self, key: &SessionKey) -> PathBuf {
        self.runtime_dir.join(format!("p-{key}"))
    }

    pub(crate) fn spec(&self, key: &SessionKey) -> PathBuf {
        self.pane_dir.join(format!("{key}.json"))
    }

    pub(crate) fn spool(&self, key: &SessionKey) -> PathBuf {
        self.pane_dir.join(format!("{key}.spool"))
    }

    /// What the helper of a pane that is not ours is given.
    pub(crate) fn hand(&self, key: &SessionKey) -> PathBuf {
        self.pane_dir.join(format!("{key}.hand"))
    }

    /// Removes all files of a pane. Missing ones are no error.
    pub(crate) fn remove_files(&self, key: &SessionKey) {
        let spec = self.spec(key);
        let spool = self.spool(key);
        for path in [
            self.pane_sock(key),
            crate::spec::beside(&spec, "error"),
            crate::spec::beside(&spec, "status"),
            crate::spec::beside(&spec, "new"),
            self.pane_dir.join(format!("{key}.capture")),
            self.hand(key),
            crate::init::older_spool(&spool),
            spool,
            // Last: with it goes the knowledge that there is anything.
            spec,
        ] {
            drop(std::fs::remove_file(path));
        }
    }
}

pub(crate) enum Request {
    /// An init with this nonce will come.
    Expect { key: SessionKey, nonce: String, reply: oneshot::Sender<Arrival> },
    /// The stream of a pane that is not ours will come.
    ExpectTap(TapRequest),
    /// Making a pane was given up: take back what there is of it.
    Rollback { key: SessionKey, nonce: String },
    /// Take back what there is to take back, and no more after that.
    Close,
}

/// Who waits for the stream of a pane that is not ours.
#[derive(Debug)]
pub(crate) struct TapRequest {
    /// What its helper will say.
    pub nonce: String,
    pub reply: oneshot::Sender<OwnedFd>,
}

/// Somebody at the socket.
#[derive(Debug)]
enum Stranger {
    Init(SessionKey, String, Arrival),
    Stream(String, OwnedFd),
}

/// An init that announced itself.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub conn: Conn,
    pub pid: u32,
    pub tty: String,
}

/// Owns the daemon's socket for inits. Not `Clone`.
#[derive(Debug)]
pub struct PaneHost {
    panes: Panes,
    tasks: JoinSet<()>,
}

/// The address of a [`PaneHost`].
#[derive(Debug, Clone)]
pub struct Panes {
    pub(crate) config: HostConfig,
    pub(crate) server: ServerHandle,
    pub(crate) requests: mpsc::Sender<Request>,
}

impl PaneHost {
    /// Listens. The caller holds the home's lock: a socket file that is there is
    /// a dead daemon's.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub fn new(config: HostConfig, server: ServerHandle) -> Result<Self> {
        use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
        let path = config.daemon_sock();
        runtime_dir::check_socket_path(&path)?;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&config.pane_dir)
            .map_err(Error::io(format!("make {}", config.pane_dir.display())))?;
        drop(std::fs::remove_file(&path));
        let listener = UnixListener::bind(&path)
            .map_err(Error::io(format!("listen on {}", path.display())))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))
            .map_err(Error::io(format!("mode of {}", path.display())))?;
        let (requests, inbox) = mpsc::channel(QUEUE);
        let panes = Panes { config: config.clone(), server: server.clone(), requests };
        let (expected, streams) = (HashMap::new(), HashMap::new());
        let actor = Actor { config, server, inbox, listener, expected, streams };
        let mut tasks = JoinSet::new();
        tasks.spawn(actor.run());
        Ok(Self { panes, tasks })
    }

    /// An address to hand out.
    #[must_use]
    pub fn panes(&self) -> Panes {
        self.panes.clone()
    }

    /// Stops listening, when the creations that were given up are taken back. Panes
    /// live on.
    pub async fn close(mut self) {
        drop(self.panes.requests.send(Request::Close).await);
        let taken_back = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(TAKE_BACK, taken_back).await.is_err() {
            warn!("a creation was not taken back in time");
        }
        self.tasks.shutdown().await;
        drop(std::fs::remove_file(self.panes.config.daemon_sock()));
    }
}

impl Panes {
    /// Has the host wait for the stream of a pane that is not ours.
    ///
    /// # Errors
    /// [`Error::NotConnected`] when the host is closed.
    pub(crate) async fn expect_tap(&self, request: TapRequest) -> Result<()> {
        let request = Request::ExpectTap(request);
        self.requests.send(request).await.map_err(|_| Error::NotConnected)
    }
}

struct Actor {
    config: HostConfig,
    server: ServerHandle,
    inbox: mpsc::Receiver<Request>,
    listener: UnixListener,
    expected: HashMap<SessionKey, (String, oneshot::Sender<Arrival>)>,
    streams: HashMap<String, oneshot::Sender<OwnedFd>>,
}

impl Actor {
    async fn run(mut self) {
        let mut strangers: JoinSet<Option<Stranger>> = JoinSet::new();
        let mut jobs: JoinSet<()> = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if strangers.len() < MAX_STRANGERS => {
                    match accepted {
                        Ok((socket, _)) => drop(strangers.spawn(hello(socket))),
                        Err(error) => {
                            // No descriptors, most likely. One is free in a moment, not now.
                            warn!(%error, "an init could not be heard");
                            tokio::time::sleep(ACCEPT_AGAIN).await;
                        }
                    }
                }
                Some(known) = strangers.join_next() => match known {
                    Ok(Some(Stranger::Init(key, nonce, arrival))) => {
                        self.arrived(key, &nonce, arrival);
                    }
                    // One that nobody waits for any more is closed, and its pane is let go of.
                    Ok(Some(Stranger::Stream(nonce, stream))) => {
                        if let Some(reply) = self.streams.remove(&nonce) {
                            drop(reply.send(stream));
                        }
                    }
                    Ok(None) | Err(_) => {}
                },
                Some(_) = jobs.join_next() => {}
                request = self.inbox.recv() => match request {
                    None | Some(Request::Close) => break,
                    Some(Request::Expect { key, nonce, reply }) => {
                        self.expected.insert(key, (nonce, reply));
                    }
                    Some(Request::ExpectTap(TapRequest { nonce, reply })) => {
                        self.streams.retain(|_, waiting| !waiting.is_closed());
                        self.streams.insert(nonce, reply);
                    }
                    Some(Request::Rollback { key, nonce }) => {
                        if self.expected.get(&key).is_some_and(|(n, _)| *n == nonce) {
                            self.expected.remove(&key);
                        }
                        let (server, config) = (self.server.clone(), self.config.clone());
                        jobs.spawn(async move { roll_back(&server, &config, &key, &nonce).await });
                    }
                }
            }
        }
        while jobs.join_next().await.is_some() {}
    }

    fn arrived(&mut self, key: SessionKey, nonce: &str, arrival: Arrival) {
        match self.expected.remove(&key) {
            Some((expected, reply)) if expected == nonce => drop(reply.send(arrival)),
            Some(other) => {
                warn!(%key, "an init came with a wrong nonce");
                self.expected.insert(key, other);
            }
            // Its creation was given up; on the end of the connection, and with
            // its session, the init goes.
            None => debug!(%key, "an init came that nobody waits for"),
        }
    }
}

async fn hello(socket: UnixStream) -> Option<Stranger> {
    let mut conn = Conn::new(socket).ok()?;
    match tokio::time::timeout(HELLO, conn.receive()).await.ok()?.ok()?? {
        (FromPane::Hello { version: VERSION, session, nonce, pid, tty }, _) => {
            Some(Stranger::Init(session, nonce, Arrival { conn, pid, tty }))
        }
        (FromPane::Hand { nonce }, Some(stream)) => Some(Stranger::Stream(nonce, stream)),
        _ => None,
    }
}

/// Ends the session that this creation made, and no other of that name.
async fn roll_back(server: &ServerHandle, config: &HostConfig, key: &SessionKey, nonce: &str) {
    // The list is asked down the same connection as the creation, so it comes
    // after it. When it cannot be asked, the files stay: with them the next start
    // knows that there may be something, and what is left carries our marks.
    let found = match super::list::sessions(server).await {
        Ok(found) => found,
        Err(Error::ServerAbsent) => Vec::new(),
        Err(error) => return warn!(%key, %error, "a pane may be left of a creation"),
    };
    for session in found {
        if session.nonce == nonce {
            let kill = crate::control::Command::new("kill-session")
                .args(["-t", &session.session.to_string()]);
            match server.command(kill).await {
                Ok(_) | Err(Error::ServerAbsent) => {}
                // Gone already, which is what was wanted.
                Err(Error::Refused { message, .. }) => debug!(%key, %message, "rolling back"),
                Err(error) => return warn!(%key, %error, "a pane may be left of a creation"),
            }
        }
    }
    // A file of another life of this key is not ours to remove.
    let spec = crate::spec::PaneSpec::read(&config.spec(key));
    if spec.is_ok_and(|spec| spec.nonce == nonce) {
        config.remove_files(key);
    }
}
