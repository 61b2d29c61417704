//! Everything that can go wrong between the daemon and tmux.

use std::path::PathBuf;
use std::time::Duration;

/// What this crate answers with.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure, with what a caller needs to decide and a person needs to know.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The `tmux` program was not found or may not be run.
    #[error("tmux cannot be run ({program}): {source}")]
    TmuxMissing {
        /// What was looked for.
        program: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// `tmux -V` printed something that is no version.
    #[error("`tmux -V` printed no version: {output:?}")]
    VersionUnreadable {
        /// The first bytes it printed.
        output: String,
    },
    /// tmux is older than what this crate is built on.
    #[error("tmux {found} is too old; {needed} or later is needed")]
    VersionTooOld {
        /// The version found.
        found: String,
        /// The least version that works.
        needed: String,
    },
    /// The server on our socket carries another owner's mark, or none.
    #[error("the tmux server on {socket} is not ours (its owner is {owner:?})")]
    ForeignServer {
        /// The socket that the server listens on.
        socket: PathBuf,
        /// What its owner option says; `None` when it has none.
        owner: Option<String>,
    },
    /// It could not be found out whether a server is there, so none was started.
    #[error("the state of the tmux server on {socket} is unknown: {why}")]
    ServerUnknown {
        /// The socket asked.
        socket: PathBuf,
        /// What stood in the way.
        why: String,
    },
    /// tmux was started and did not come up.
    #[error("tmux did not start: {why}")]
    ServerStart {
        /// What it printed, or how it ended.
        why: String,
    },
    /// No server listens on a socket that was named.
    #[error("no tmux server listens at {socket}")]
    NoServerThere {
        /// The socket.
        socket: PathBuf,
    },
    /// The server is a Quarterdeck's own: what is in it are sessions already.
    #[error("the tmux server at {socket} is one of Quarterdeck's own")]
    OwnedServer {
        /// The socket.
        socket: PathBuf,
        /// Its mark.
        owner: String,
    },
    /// No pane fits a target.
    #[error("no pane of that tmux server is called {target:?}")]
    PaneMissing {
        /// What was asked for.
        target: String,
    },
    /// Several fit.
    #[error("{target:?} may be several: {}", fits.join(", "))]
    PaneAmbiguous {
        /// What was asked for.
        target: String,
        /// What it may mean.
        fits: Vec<String>,
    },
    /// The pane is gone, with its server or without.
    #[error("the pane {pane} is gone")]
    PaneGone {
        /// Which it was.
        pane: String,
    },
    /// The program of the pane has ended, and tmux keeps the pane.
    #[error("the program in the pane {pane} has ended")]
    PaneDead {
        /// Which it is.
        pane: String,
        /// How it ended, where tmux says.
        exit: crate::wire::Exit,
    },
    /// Something has the output of the pane.
    #[error("the output of the pane {pane} is piped already")]
    PanePiped {
        /// Which it is.
        pane: String,
    },
    /// There is no control connection, and none could be made.
    #[error("not connected to tmux")]
    NotConnected,
    /// No server is on our socket: what was in it is gone.
    #[error("the tmux server has ended")]
    ServerAbsent,
    /// The connection ended before the answer came; the command may have run.
    #[error("the connection to tmux was lost before it answered")]
    ConnectionLost,
    /// The address is of another life of the server.
    #[error("the tmux server was restarted since this pane was made")]
    StaleGeneration,
    /// tmux refused a command.
    #[error("tmux refused `{command}`: {message}")]
    Refused {
        /// Name of the command.
        command: String,
        /// tmux's own words.
        message: String,
    },
    /// tmux answered in a form that we do not know.
    #[error("tmux answered `{command}` with {output:?}")]
    BadAnswer {
        /// Name of the command.
        command: String,
        /// What it answered.
        output: String,
    },
    /// A value cannot be carried by tmux (a NUL byte, for one).
    #[error("{what} cannot be given to tmux: {why}")]
    BadArgument {
        /// Which value.
        what: &'static str,
        /// Why.
        why: &'static str,
    },
    /// Too many requests wait already.
    #[error("tmux is busy: the queue is full")]
    Busy,
    /// Something did not happen in its time.
    #[error("{what} did not happen within {after:?}")]
    TimedOut {
        /// What was waited for.
        what: &'static str,
        /// How long.
        after: Duration,
    },
    /// The pane was made and its init did not come up.
    #[error("the pane's init did not start: {why}")]
    InitFailed {
        /// What the init or tmux said.
        why: String,
    },
    /// The program could not be started (its executable is missing, or the
    /// directory is).
    #[error("cannot start {program}: {message}")]
    SpawnFailed {
        /// What was to be run.
        program: String,
        /// The operating system's number, 0 when there is none.
        errno: i32,
        /// Its words.
        message: String,
    },
    /// The init speaks another protocol, or is not the one expected.
    #[error("the pane's init said something unexpected: {what}")]
    Protocol {
        /// What.
        what: String,
    },
    /// The link to the pane's init is gone.
    #[error("the link to the pane's init is lost")]
    LinkLost,
    /// The path of a socket would not fit.
    #[error("the socket path {path} is longer than {max} bytes")]
    SocketPathTooLong {
        /// The path.
        path: PathBuf,
        /// What fits, in bytes.
        max: usize,
    },
    /// A directory for sockets is not safe to use.
    #[error("{path} is not safe for sockets: {why}")]
    UnsafeDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The operating system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What it said.
        source: std::io::Error,
    },
}

impl Error {
    /// What a person can do about it, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TmuxMissing { .. } => {
                Some("install tmux (3.3 or later) and make sure that it is on PATH")
            }
            Self::VersionUnreadable { .. } => {
                Some("check what `tmux` on PATH is; `tmux -V` should print `tmux 3.3a` or the like")
            }
            Self::VersionTooOld { .. } => Some("install tmux 3.3 or later"),
            Self::ForeignServer { .. } => {
                Some("another program uses this socket: choose another home, or end that server")
            }
            Self::ServerUnknown { .. } => Some("see whether that tmux server hangs"),
            Self::NoServerThere { .. } => Some(
                "start tmux there, or name the socket: `tmux display -p '#{socket_path}'` says it inside tmux",
            ),
            Self::OwnedServer { .. } => Some("its panes are sessions already: see `qd ls`"),
            Self::PaneMissing { .. } => Some("see what there is with `tmux list-panes -a`"),
            Self::PaneAmbiguous { .. } => {
                Some("name one of them in full, or by its id, such as %3: `tmux list-panes -a`")
            }
            Self::PaneGone { .. } => Some("see what there is with `tmux list-panes -a`"),
            Self::PaneDead { .. } => Some("start it again there with `tmux respawn-pane` first"),
            Self::PanePiped { .. } => Some(
                "a `pipe-pane` of yours has it, a logging plug-in, or another Quarterdeck: end that \
                 first, such as with `tmux pipe-pane -t PANE`. Nothing was cut",
            ),
            Self::SocketPathTooLong { .. } => Some("choose a shorter home directory"),
            Self::UnsafeDirectory { .. } => {
                Some("remove that directory, or set XDG_RUNTIME_DIR to a private one")
            }
            _ => None,
        }
    }

    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
