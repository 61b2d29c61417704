//! A daemon comes back to a pane that lived on without one.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, UNIX_EPOCH};

use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;

use super::close::GONE;
use super::conn::Conn;
use super::host::Panes;
use super::link::{Pane, Parts};
use super::list::ListedPane;
use super::tap::{Mark, Tap};
use crate::spec::{PaneSpec, beside};
use crate::wire::{FromPane, ProgramState, ToPane, VERSION};
use crate::{Error, Result, SessionKey};

/// How long an init may take to welcome us.
const WELCOME: Duration = Duration::from_secs(10);

/// What came of it.
#[derive(Debug)]
pub enum Reconnect {
    /// The pane is ours again.
    Here(Box<Reconnected>),
    /// The init has gone, and tmux has no such pane any more.
    Gone(Gone),
    /// The pane and its init are there, and nobody answers at the socket: something
    /// took the socket's file away.
    Unreachable(ListedPane),
}

/// A pane as it is now, and what it printed meanwhile.
#[derive(Debug)]
pub struct Reconnected {
    /// The pane.
    pub pane: Pane,
    /// Its stream, from the end of the spool on. `None` when it was cut: tap
    /// again, and take the snapshot in place of the bytes.
    pub tap: Option<Tap>,
    /// How far the program is.
    pub state: ProgramState,
    /// Bytes that were let go, before those of the spool.
    pub dropped_bytes: u64,
    /// What was printed meanwhile. Once it is safe, call [`Pane::spool_taken`];
    /// until then the next daemon gets it again.
    pub spool: Vec<u8>,
    /// Which spool this is: another one after it was taken. `None` when there is
    /// none, or the file system does not tell.
    pub spool_id: Option<String>,
    /// Columns and rows of its window.
    pub size: (u16, u16),
}

/// What is left of a pane without an init.
#[derive(Debug)]
pub struct Gone {
    /// How far the program was, when that was written down.
    pub state: Option<ProgramState>,
    /// What it printed while no daemon was there.
    pub spool: Vec<u8>,
    /// As that of [`Reconnected`].
    pub spool_id: Option<String>,
}

impl Panes {
    /// Connects to the init of this session's pane.
    ///
    /// # Errors
    /// [`Error::Io`] without a spec file; when tmux cannot be asked what it has; when
    /// the init does not answer. A pane that cannot be asked is not gone.
    pub async fn reconnect(&self, key: &SessionKey) -> Result<Reconnect> {
        let spec_path = self.config.spec(key);
        let spec = PaneSpec::read(&spec_path)?;
        let mark = Mark::of(&spec.nonce);
        let sock = spec.pane_sock.path();
        let socket = match UnixStream::connect(sock).await {
            Ok(socket) => socket,
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused
                ) =>
            {
                if let Some(pane) = self.find(key, &spec.nonce).await? {
                    if is_alive(pane.pid) {
                        return Ok(Reconnect::Unreachable(pane));
                    }
                    // What the init left holds the terminal. It gets a hang-up, as it would have.
                    self.kill_listed(&pane).await?;
                }
                return Ok(Reconnect::Gone(self.gone(key, &mark).await));
            }
            Err(e) => return Err(Error::io(format!("connect to {}", sock.display()))(e)),
        };
        let pane = self.find(key, &spec.nonce).await?;
        let mut conn = Conn::new(socket)?;
        conn.send(&ToPane::Hello { version: VERSION, nonce: spec.nonce.clone() }).await?;
        let (message, _) = tokio::time::timeout(WELCOME, conn.receive())
            .await
            .map_err(|_| Error::TimedOut { what: "the pane's init", after: WELCOME })??
            .ok_or(Error::LinkLost)?;
        let FromPane::Welcome { version, session, pid, tty, state, dropped_bytes, tap, .. } =
            message
        else {
            return Err(Error::Protocol { what: format!("{message:?} for a welcome") });
        };
        if version != VERSION || session != *key {
            return Err(Error::Protocol { what: format!("a welcome of {session}, v{version}") });
        }
        let Some(ListedPane { address, size, .. }) = pane else {
            // The init lives and its pane does not: it is ending its tree.
            let end = async { while let Ok(Some(_)) = conn.receive().await {} };
            tokio::time::timeout(GONE, end)
                .await
                .map_err(|_| Error::TimedOut { what: "the end of the pane's init", after: GONE })?;
            return Ok(Reconnect::Gone(self.gone(key, &mark).await));
        };
        // From the welcome on the init adds nothing to it.
        let (mut spool, spool_id) = self.read_spool(key).await?;
        if matches!(state, ProgramState::Exited(_)) {
            mark.strip(&mut spool);
        }
        let parts = Parts {
            conn,
            key: key.clone(),
            nonce: spec.nonce,
            address,
            init_pid: pid,
            tty,
            state: state.clone(),
        };
        let mut pane = Pane::new(self.clone(), parts);
        let tap = if tap { Some(pane.next_tap().await?) } else { None };
        let here = Reconnected { pane, tap, state, dropped_bytes, spool, spool_id, size };
        Ok(Reconnect::Here(Box::new(here)))
    }

    /// Whether a pane of this session has a spec file.
    #[must_use]
    pub fn knows(&self, key: &SessionKey) -> bool {
        self.config.spec(key).exists()
    }

    /// The keys of all panes that have a spec file.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn known(&self) -> Result<Vec<SessionKey>> {
        let dir = &self.config.pane_dir;
        let entries =
            std::fs::read_dir(dir).map_err(Error::io(format!("read {}", dir.display())))?;
        Ok(entries
            .flatten()
            .filter_map(|e| SessionKey::new(e.file_name().to_str()?.strip_suffix(".json")?))
            .collect())
    }

    async fn find(&self, key: &SessionKey, nonce: &str) -> Result<Option<ListedPane>> {
        let ours = |pane: &ListedPane| pane.nonce == nonce && pane.session.as_ref() == Some(key);
        Ok(self.list().await?.into_iter().find(ours))
    }

    /// What the init left.
    async fn gone(&self, key: &SessionKey, mark: &Mark) -> Gone {
        let status = tokio::fs::read(beside(&self.config.spec(key), "status")).await.ok();
        let (mut spool, spool_id) = self.read_spool(key).await.unwrap_or_default();
        mark.strip(&mut spool);
        Gone { state: status.and_then(|s| serde_json::from_slice(&s).ok()), spool, spool_id }
    }

    /// What is in the spool, and which one it is.
    async fn read_spool(&self, key: &SessionKey) -> Result<(Vec<u8>, Option<String>)> {
        let path = self.config.spool(key);
        let mut all = Vec::new();
        let mut id = None;
        for path in [crate::init::older_spool(&path), path] {
            let read = async {
                let mut file = tokio::fs::File::open(&path).await?;
                if all.is_empty() {
                    id = identity(&file.metadata().await?);
                }
                file.read_to_end(&mut all).await
            };
            match read.await {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(format!("read {}", path.display()))(e));
                }
                _ => {}
            }
        }
        Ok((all, id))
    }
}

/// Tells a file from the one that takes its place later: a number may be given again, at another
/// time.
fn identity(file: &Metadata) -> Option<String> {
    let born = file.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", file.ino(), born.as_nanos()))
}

fn is_alive(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}
