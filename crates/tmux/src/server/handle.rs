//! The address of the server's owner.

use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::link::Reply;
use crate::control::{CommandList, Notice};
use crate::{Error, Generation, Result};

/// What is known of a connected server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// Which life of the server this is.
    pub generation: Generation,
    /// The version that runs, as it says itself.
    pub version: String,
    /// The version of the `tmux` program on this host. Another than `version`
    /// means that tmux was upgraded under running sessions: native attach may
    /// then fail with tmux's own words until they have ended.
    pub installed: String,
    /// Whether this connection started it.
    pub started: bool,
}

/// The state of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// None, and none was asked for yet.
    Idle,
    /// It works.
    Connected(ServerInfo),
    /// It worked, and was lost: the server ended, or the connection did.
    Lost {
        /// Which life it was.
        generation: Generation,
        /// Why, for people.
        why: String,
    },
}

#[derive(Debug)]
pub(crate) enum Request {
    Ensure(oneshot::Sender<Result<ServerInfo>>),
    Join(oneshot::Sender<Result<Option<ServerInfo>>>),
    Command { expect: Option<Generation>, list: CommandList, reply: Reply },
    KillServer(oneshot::Sender<Result<()>>),
}

/// An address of a [`super::TmuxServer`]. Holding one grants the right to ask.
#[derive(Debug, Clone)]
pub struct ServerHandle {
    pub(crate) requests: mpsc::Sender<Request>,
    pub(crate) state: watch::Receiver<ServerState>,
    pub(crate) notices: broadcast::Sender<Notice>,
}

impl ServerHandle {
    /// Joins our server, or starts it when the socket says that none is there.
    ///
    /// # Errors
    /// Each with a hint: tmux missing, too old, a foreign server on our socket,
    /// a state that cannot be found out.
    pub async fn ensure(&self) -> Result<ServerInfo> {
        self.ask(Request::Ensure).await?
    }

    /// Joins our server when it is there, and starts none: `None` without one.
    ///
    /// # Errors
    /// As [`Self::ensure`].
    pub async fn join(&self) -> Result<Option<ServerInfo>> {
        self.ask(Request::Join).await?
    }

    /// Runs commands as one list; gives the output of each. Without a connection
    /// the server is joined first, and none is started.
    ///
    /// # Errors
    /// [`Error::Refused`] with tmux's words; [`Error::ServerAbsent`] and
    /// [`Error::NotConnected`], when nothing ran; [`Error::ConnectionLost`] when it
    /// is unknown whether they ran, as after [`super::ServerConfig::patience`];
    /// [`Error::Busy`] when too many wait.
    pub async fn command(&self, list: impl Into<CommandList>) -> Result<Vec<Vec<u8>>> {
        self.run(None, list.into()).await
    }

    /// As [`Self::command`], for one life of the server only: pane ids start
    /// again with each.
    ///
    /// # Errors
    /// [`Error::StaleGeneration`] besides those.
    pub async fn command_in(
        &self,
        generation: Generation,
        list: impl Into<CommandList>,
    ) -> Result<Vec<Vec<u8>>> {
        self.run(Some(generation), list.into()).await
    }

    /// Ends the server and every session in it, within bounded time. The inits
    /// in the panes then end what runs there.
    ///
    /// # Errors
    /// [`Error::ForeignServer`] and [`Error::ServerUnknown`]: then it is left
    /// alone.
    pub async fn kill_server(&self) -> Result<()> {
        self.ask(Request::KillServer).await?
    }

    /// The state of the connection, and its changes.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ServerState> {
        self.state.clone()
    }

    /// Notifications from now on. One who lags has to look again at what is
    /// there; nothing else is lost by it.
    #[must_use]
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    async fn run(&self, expect: Option<Generation>, list: CommandList) -> Result<Vec<Vec<u8>>> {
        let (reply, answer) = oneshot::channel();
        self.requests
            .send(Request::Command { expect, list, reply })
            .await
            .map_err(|_| Error::NotConnected)?;
        answer.await.map_err(|_| Error::ConnectionLost)?
    }

    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| Error::NotConnected)?;
        answer.await.map_err(|_| Error::ConnectionLost)
    }
}
