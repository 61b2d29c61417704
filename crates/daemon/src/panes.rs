//! Panes as the session owners see them, and the one place that knows tmux.

mod join;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use qd_core::{Exit, Problem, SessionId, Size};
use qd_tmux::pane::{
    CreatePane, HostConfig, InputGate, PaneEvent as Told, PaneHost, Panes as Host, Tap, TapRead,
};
use qd_tmux::server::{ServerConfig, ServerHandle, TmuxServer, scrubbed_env};
use qd_tmux::{PaneRef, SessionKey};
use tokio::time::Instant;

pub(crate) use self::join::{Left, Printed, Rejoin};
use crate::Home;
use crate::problems::tmux as problem;
use crate::redraw::redraw;

/// The variable that tells a program in which of its session's runs it is, counted from 1.
pub(crate) const RUN: &str = "QD_RUN";
/// Output kept for a pane while no daemon is there, in bytes.
const SPOOL: u64 = 8 * 1024 * 1024;
/// Lines of history asked of tmux when our own are lost.
const HISTORY: u32 = 10_000;
/// How long the end of a stream may be ahead of the news that its pane is gone.
const NEWS_AFTER_END: Duration = Duration::from_secs(2);
/// How soon a terminal that does not read is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

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

/// One pane and its stream. Not `Clone`: the session's owner holds it.
#[derive(Debug)]
pub(crate) struct Pane {
    // The stream is dropped first: once the link is gone the init reads it.
    tap: Option<Tap>,
    link: qd_tmux::pane::Pane,
    gate: InputGate,
    exit: Option<Exit>,
    drained: bool,
    /// When the stream ended.
    cut: Option<Instant>,
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
        let server = TmuxServer::new(config).map_err(|error| problem(&error))?;
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
        let panes = Panes { folder, server: server.handle(), host: host.panes() };
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
        Ok(Pane::new(link, Some(tap), None))
    }

    /// Takes the stream of a pane anew; what tmux shows now comes with it, in place of all that
    /// was printed and not told.
    ///
    /// # Errors
    /// When the pane is gone.
    pub(crate) async fn retap(&self, mut pane: Pane) -> Result<(Pane, Vec<u8>, Size), Problem> {
        let (drawing, size) = pane.retap().await?;
        pane.spool_taken().await;
        Ok((pane, drawing, size))
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
    fn new(link: qd_tmux::pane::Pane, tap: Option<Tap>, exit: Option<Exit>) -> Self {
        Self { link, tap, gate: InputGate::new(), exit, drained: false, cut: None }
    }

    /// Its tmux id.
    pub(crate) fn name(&self) -> String {
        self.link.address.pane.to_string()
    }

    /// The process that all of its processes are below.
    pub(crate) fn root(&self) -> u32 {
        self.link.init_pid
    }

    /// Its full address.
    pub(crate) fn target(&self) -> PaneRef {
        self.link.address
    }

    /// How many bytes of input it may be given now.
    pub(crate) fn allowance(&self) -> usize {
        self.gate.allowance()
    }

    /// Waits for what happens next. `input` is written when there is room for it; with `looks`
    /// the terminal is looked at in a moment, because it was full. Cancel-safe.
    pub(crate) async fn next(&mut self, input: Option<&[u8]>, looks: bool) -> PaneEvent {
        loop {
            if self.drained
                && let Some(exit) = self.exit
            {
                return PaneEvent::Ended(exit);
            }
            let Some(tap) = &mut self.tap else { return self.without_stream().await };
            let writes = input.filter(|bytes| !bytes.is_empty());
            tokio::select! {
                told = self.link.next_event() => match told {
                    Some(Told::Exited(exit)) => {
                        self.exit = Some(seen(exit));
                    }
                    Some(Told::NotMarked) => self.drained = true,
                    Some(Told::LinkLost) | None => return self.lost(),
                    Some(_) => {}
                },
                read = tap.reader.read() => match read {
                    TapRead::Bytes(bytes) => return PaneEvent::Output(bytes),
                    TapRead::Drained => self.drained = true,
                    TapRead::Closed => {
                        self.tap = None;
                        self.cut = Some(Instant::now());
                    }
                },
                wrote = tap.writer.write(writes.unwrap_or_default()), if writes.is_some() => {
                    if let Ok(bytes) = &wrote {
                        self.gate.wrote(*bytes);
                    }
                    return PaneEvent::Wrote(wrote);
                }
                () = tokio::time::sleep(LOOK_AGAIN), if looks => {
                    let unread = self.link.input_queue().await.ok();
                    if let Some(bytes) = unread {
                        self.gate.observed(bytes);
                    }
                    return PaneEvent::Looked(unread);
                }
            }
        }
    }

    /// The link is over.
    fn lost(&self) -> PaneEvent {
        self.exit.map_or(PaneEvent::LinkLost, PaneEvent::Ended)
    }

    /// The stream is over: is the pane gone too? The time that the news of that may take counts
    /// from its end, however often this is called.
    async fn without_stream(&mut self) -> PaneEvent {
        let until = *self.cut.get_or_insert_with(Instant::now) + NEWS_AFTER_END;
        let news = tokio::time::timeout_at(until, async {
            loop {
                match self.link.next_event().await {
                    Some(Told::Exited(exit)) => {
                        self.exit = Some(seen(exit));
                    }
                    Some(Told::LinkLost) | None => return,
                    Some(_) => {}
                }
            }
        });
        match news.await {
            Ok(()) => self.lost(),
            Err(_) => self.exit.map_or(PaneEvent::TapLost, PaneEvent::Ended),
        }
    }

    /// So many bytes of the output that was told last are safe with us now.
    pub(crate) fn taken(&mut self, bytes: usize) {
        if let Some(tap) = &mut self.tap {
            tap.reader.taken(bytes);
        }
    }

    /// Asks the init to end the program and all that it started.
    pub(crate) async fn end(&self, grace: Duration) {
        if let Err(error) = self.link.end(grace).await {
            tracing::debug!(%error, "the init is gone already");
        }
    }

    /// What was printed while no daemon was there is safe with us now.
    pub(crate) async fn spool_taken(&self) {
        if let Err(error) = self.link.spool_taken().await {
            tracing::debug!(%error, "the init is gone already");
        }
    }

    /// Lets the pane go after its program has ended.
    ///
    /// # Errors
    /// When it does not go.
    pub(crate) async fn leave(self) -> Result<(), Problem> {
        let Self { link, tap, .. } = self;
        drop(tap);
        link.leave().await.map_err(|error| problem(&error))
    }

    /// Closes the pane under a program that does not end.
    ///
    /// # Errors
    /// When it does not go.
    pub(crate) async fn kill(self) -> Result<(), Problem> {
        let Self { link, tap, .. } = self;
        drop(tap);
        link.kill().await.map_err(|error| problem(&error))
    }

    async fn retap(&mut self) -> Result<(Vec<u8>, Size), Problem> {
        self.tap = None;
        let (tap, snapshot) = self.link.retap(HISTORY).await.map_err(|error| problem(&error))?;
        self.tap = Some(tap);
        self.cut = None;
        let size = Size::clamped(u32::from(snapshot.size.0), u32::from(snapshot.size.1));
        Ok((redraw(&snapshot), size))
    }
}

/// How a program ended as far as that is its own end: what went with its terminal is lost, and
/// how is not known.
fn seen(exit: qd_tmux::wire::Exit) -> Exit {
    if exit.lost {
        return Exit { code: None, signal: None };
    }
    Exit { code: exit.code, signal: exit.signal }
}

/// The socket of the tmux server of a home, for those who attach without a daemon.
pub(crate) fn tmux_socket(run: &Path) -> PathBuf {
    run.join("tmux")
}

fn key(id: &SessionId) -> Result<SessionKey, Problem> {
    SessionKey::new(id.as_str()).ok_or_else(|| crate::problems::internal("an id is no key"))
}
