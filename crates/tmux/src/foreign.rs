//! A pane of a tmux server that is not ours, such as the person's own.
//!
//! What is done there, and no more: panes are listed, one is captured, its stream is tapped, and
//! input is typed into it. No option is set, nothing is made, renamed or ended, and no client is
//! attached: every question is a process of its own (5 ms), so that nobody's hooks run, no window
//! changes its size, and there is no connection to outlive its use. What has to be quick does not
//! go that way: bytes go through the tap, and how large the terminal is its device tells.
//!
//! A tap is a descriptor, and dropping it is all that letting go takes: tmux closes its end, and
//! `pane_pipe` is 0 at once.
//!
//! Tried and found on tmux 3.3a:
//! - A pane that is dead and kept (`remain-on-exit`) keeps its tap, too, and a byte written to
//!   that ends the whole server. So a byte is written to the tap only where it was seen a moment
//!   ago that dead panes are not kept, and that the terminal is there; else `send-keys` types it,
//!   which leaves dead panes alone.
//! - The device of a terminal is gone as soon as tmux has seen its program end, kept or not.
//! - A descriptor of the device that is held open keeps a pane from ending. It is opened for a
//!   look and closed again.

mod adopted;
mod device;
mod find;
mod look;
mod take;
mod target;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::adopted::{Adopted, AdoptedEvent};
pub use self::find::FoundPane;
pub use self::look::Look;
use crate::pane::Panes;
use crate::server::{Presence, ServerConfig, listening};
use crate::{Error, Generation, PaneId, Result, process};

/// How long a foreign server may take over an answer.
const ANSWER: Duration = Duration::from_secs(10);

/// A pane of another server, for as long as it lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ForeignPane {
    /// The socket of its server.
    pub socket: PathBuf,
    /// The life of the server.
    pub generation: Generation,
    /// The pane.
    pub pane: PaneId,
}

/// The way to other servers: which program asks them, and who takes their streams.
#[derive(Debug, Clone)]
pub struct Foreign {
    tmux: PathBuf,
    env: Vec<(OsString, OsString)>,
    panes: Panes,
}

impl Foreign {
    /// The same program and environment as for our own server.
    #[must_use]
    pub fn new(config: &ServerConfig, panes: Panes) -> Self {
        Self { tmux: config.tmux.clone(), env: config.env.clone(), panes }
    }

    /// Asks the server at a socket; gives what it printed, and its complaint if it had one.
    async fn ask<S: AsRef<OsStr>>(
        &self,
        socket: &Path,
        words: impl IntoIterator<Item = S>,
    ) -> Result<(Vec<u8>, Option<String>)> {
        match listening(socket) {
            Presence::Present(()) => {}
            Presence::Absent => return Err(Error::NoServerThere { socket: socket.into() }),
            Presence::Unknown(why) => {
                return Err(Error::ServerUnknown { socket: socket.into(), why });
            }
        }
        let mut command = process::clean(&self.tmux, &self.env);
        // -N: a server that has just ended is not started anew.
        command.args(["-u", "-N", "-S"]).arg(socket).args(words).stdin(Stdio::null());
        let output = tokio::time::timeout(ANSWER, command.output())
            .await
            .map_err(|_| Error::TimedOut { what: "the answer of the tmux server", after: ANSWER })?
            .map_err(|source| Error::TmuxMissing { program: self.tmux.clone(), source })?;
        let complaint = (!output.status.success())
            .then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned());
        Ok((output.stdout, complaint))
    }

    /// What to say when an answer is none.
    fn no_answer(&self, socket: &Path, said: &[u8], complaint: Option<String>) -> Error {
        // It may have ended between the two questions.
        if matches!(listening(socket), Presence::Absent) {
            return Error::NoServerThere { socket: socket.into() };
        }
        match complaint {
            Some(why) => Error::ServerUnknown { socket: socket.into(), why },
            None => Error::BadAnswer {
                command: "display-message".into(),
                output: String::from_utf8_lossy(said).into_owned(),
            },
        }
    }
}
