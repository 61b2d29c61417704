//! Panes as the session owners see them, and the one place that knows tmux.

mod adopted;
mod join;
mod own;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use qd_core::{Exit, Problem, SessionId, Size};
use qd_tmux::foreign::Foreign;
use qd_tmux::pane::{CreatePane, HostConfig, PaneHost, Panes as Host, Snapshot};
use qd_tmux::server::{ServerConfig, ServerHandle, TmuxServer, scrubbed_env};
use qd_tmux::{PaneRef, SessionKey};

pub(crate) use self::adopted::{AdoptedPane, address};
pub(crate) use self::join::{Left, Printed, Rejoin};
use self::own::OwnPane;
use crate::Home;
use crate::problems::tmux as problem;
use crate::redraw::redraw;

/// The variable that tells a program in which of its session's runs it is, counted from 1.
pub(crate) const RUN: &str = "QD_RUN";
/// Output kept for a pane while no daemon is there, in bytes.
const SPOOL: u64 = 8 * 1024 * 1024;
/// Lines of history asked of tmux when our own are lost.
const HISTORY: u32 = 10_000;

/// The owners of the tmux connection and of the inits' socket. Not `Clone`.
#[derive(Debug)]
pub(crate) struct PaneOwners {
    server: TmuxServer,
    host: PaneHost,
}

/// The address of those owners.
#[derive(Clone, Debug)]
pub(crate) struct Panes {
    /// Where the files of panes are.
    folder: PathBuf,
    server: ServerHandle,
    host: Host,
    /// The way to the servers of others.
    foreign: Foreign,
}

/// What a pane is to run.
pub(crate) struct OpenPane {
    pub(crate) id: SessionId,
    pub(crate) title: String,
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) size: Size,
}

/// What a pane tells its owner.
#[derive(Debug)]
pub(crate) enum PaneEvent {
    /// The program printed. Told again and again until it is [taken](Pane::taken).
    Output(Bytes),
    /// So many of the bytes offered were written; or the pane takes none any more.
    Wrote(std::io::Result<usize>),
    /// The terminal was looked at: so many bytes of input wait for the program to read them.
    Looked(Option<u64>),
    /// The program ended and all that it printed was told.
    Ended(Exit),
    /// Its init does not answer any more, and how the program ended was not told.
    LinkLost,
    /// Somebody else took the stream of a pane that is there still.
    TapLost,
}

/// One pane. Not `Clone`: the session's owner holds it.
#[derive(Debug)]
pub(crate) enum Pane {
    /// We made it, and our init is in it.
    Own(Box<OwnPane>),
    /// It is in the person's own tmux. Dropping it lets go of it.
    Adopted(Box<AdoptedPane>),
}

impl PaneOwners {
    /// Makes the owners for a home. Nothing of tmux is started before it is needed.
    ///
    /// # Errors
    /// When a socket cannot be made.
    pub(crate) fn open(
        home: &Home,
        program: PathBuf,
        owner: &str,
        env: &[(OsString, OsString)],
    ) -> Result<(Self, Panes), Problem> {
        let config =
            ServerConfig::new(home.run(), owner, program.clone(), scrubbed_env(env.to_vec()));
        let server = TmuxServer::new(config.clone()).map_err(|error| problem(&error))?;
        let folder = home.root().join("panes");
        let host = PaneHost::new(
            HostConfig {
                runtime_dir: home.run().to_path_buf(),
                pane_dir: folder.clone(),
                qd: program,
                owner: owner.to_owned(),
                spool_cap: SPOOL,
            },
            server.handle(),
        )
        .map_err(|error| problem(&error))?;
        let foreign = Foreign::new(&config, host.panes());
        let panes = Panes { folder, server: server.handle(), host: host.panes(), foreign };
        Ok((Self { server, host }, panes))
    }

    /// Closes both; tmux and every program go on.
    pub(crate) async fn close(self) {
        self.host.close().await;
        self.server.close().await;
    }
}

impl Panes {
    /// Makes sure that tmux is there and ours; gives its version.
    ///
    /// # Errors
    /// When it is missing, too old, somebody else's, or does not answer.
    pub(crate) async fn version(&self) -> Result<String, Problem> {
        self.server.ensure().await.map(|info| info.version).map_err(|error| problem(&error))
    }

    /// The address of the tmux server, for those who watch its clients.
    pub(crate) fn server(&self) -> &ServerHandle {
        &self.server
    }

    /// Makes a pane and starts its program. Dropping the future takes back what was made.
    ///
    /// # Errors
    /// When the program cannot be started, or tmux refuses.
    pub(crate) async fn open(&self, open: OpenPane) -> Result<Pane, Problem> {
        let created = self
            .host
            .create(CreatePane {
                key: key(&open.id)?,
                title: open.title,
                argv: open.argv.iter().map(OsString::from).collect(),
                cwd: open.cwd,
                inherit_env: false,
                env: open.env.iter().map(|(k, v)| (k.into(), v.into())).collect(),
                // Our own server is none of the program's business: a `tmux` that it starts is to
                // find the person's server, not ours.
                env_remove: vec!["TMUX".into(), "TMUX_PANE".into()],
                size: (open.size.cols, open.size.rows),
            })
            .await;
        let (link, tap) = created.map_err(|error| problem(&error))?;
        Ok(Pane::Own(Box::new(OwnPane::new(link, Some(tap), None))))
    }

    /// Takes the stream of a pane anew; what tmux shows now comes with it, in place of all that
    /// was printed and not told.
    ///
    /// # Errors
    /// When the pane is gone.
    pub(crate) async fn retap(
        &self,
        id: &SessionId,
        pane: Pane,
    ) -> Result<(Pane, Vec<u8>, Size), Problem> {
        match pane {
            Pane::Own(mut pane) => {
                let (drawing, size) = pane.retap().await?;
                pane.spool_taken().await;
                Ok((Pane::Own(pane), drawing, size))
            }
            Pane::Adopted(pane) => self.adopt_again(id, *pane).await,
        }
    }

    /// Gives a pane a size.
    ///
    /// # Errors
    /// When the pane is gone or tmux does not answer.
    pub(crate) async fn resize(&self, target: PaneRef, size: Size) -> Result<(), Problem> {
        let size = (size.cols, size.rows);
        self.host.resize(target, size).await.map_err(|error| problem(&error))
    }

    /// Ends the tmux server and with it every session of this home.
    ///
    /// # Errors
    /// When the server is not ours, or it cannot be found out.
    pub(crate) async fn end_all(&self) -> Result<(), Problem> {
        self.server.kill_server().await.map_err(|error| problem(&error))
    }
}

impl Pane {
    /// Its tmux id.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Own(pane) => pane.name(),
            Self::Adopted(pane) => pane.name(),
        }
    }

    /// Whether what runs in it is not ours.
    pub(crate) fn is_adopted(&self) -> bool {
        matches!(self, Self::Adopted(_))
    }

    /// The process that all of its processes are below, where that is ours.
    pub(crate) fn root(&self) -> Option<u32> {
        match self {
            Self::Own(pane) => Some(pane.root()),
            Self::Adopted(_) => None,
        }
    }

    /// Its full address on our tmux server, where it is there.
    pub(crate) fn target(&self) -> Option<PaneRef> {
        match self {
            Self::Own(pane) => Some(pane.target()),
            Self::Adopted(_) => None,
        }
    }

    /// How many bytes of input it may be given now.
    pub(crate) fn allowance(&self) -> usize {
        match self {
            Self::Own(pane) => pane.allowance(),
            Self::Adopted(pane) => pane.allowance(),
        }
    }

    /// Waits for what happens next. `input` is written when there is room for it; with `looks`
    /// the terminal is looked at in a moment, because it was full. Cancel-safe.
    pub(crate) async fn next(&mut self, input: Option<&[u8]>, looks: bool) -> PaneEvent {
        match self {
            Self::Own(pane) => pane.next(input, looks).await,
            Self::Adopted(pane) => pane.next(input, looks).await,
        }
    }

    /// So many bytes of the output that was told last are safe with us now.
    pub(crate) fn taken(&mut self, bytes: usize) {
        match self {
            Self::Own(pane) => pane.taken(bytes),
            Self::Adopted(pane) => pane.taken(bytes),
        }
    }

    /// Asks the init to end the program and all that it started. What is not ours is not ended.
    pub(crate) async fn end(&self, grace: Duration) {
        if let Self::Own(pane) = self {
            pane.end(grace).await;
        }
    }

    /// What was printed while no daemon was there is safe with us now.
    pub(crate) async fn spool_taken(&self) {
        if let Self::Own(pane) = self {
            pane.spool_taken().await;
        }
    }

    /// Lets the pane go after its program has ended.
    ///
    /// # Errors
    /// When it does not go.
    pub(crate) async fn leave(self) -> Result<(), Problem> {
        match self {
            Self::Own(pane) => pane.leave().await,
            Self::Adopted(_) => Ok(()),
        }
    }

    /// Closes the pane under a program that does not end; lets go of one that is not ours.
    ///
    /// # Errors
    /// When it does not go.
    pub(crate) async fn kill(self) -> Result<(), Problem> {
        match self {
            Self::Own(pane) => pane.kill().await,
            Self::Adopted(_) => Ok(()),
        }
    }

    /// What it showed when it was taken, for one that had a screen before it was ours; once.
    pub(crate) fn take_drawing(&mut self) -> Option<Drawing> {
        match self {
            Self::Own(_) => None,
            Self::Adopted(pane) => pane.take_drawing(),
        }
    }
}

/// Bytes that draw a screen, and its size.
pub(crate) type Drawing = (Vec<u8>, Size);

fn drawing(shot: &Snapshot) -> Drawing {
    (redraw(shot), Size::clamped(u32::from(shot.size.0), u32::from(shot.size.1)))
}

/// The socket of the tmux server of a home, for those who attach without a daemon.
pub(crate) fn tmux_socket(run: &Path) -> PathBuf {
    run.join("tmux")
}

fn key(id: &SessionId) -> Result<SessionKey, Problem> {
    SessionKey::new(id.as_str()).ok_or_else(|| crate::problems::internal("an id is no key"))
}
