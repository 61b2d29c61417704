//! Making a pane: all of it, or nothing of it is left.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::host::{Arrival, Panes, Request};
use super::link::{ANSWER, Pane, PaneEvent, Parts};
use super::tap::Tap;
use crate::control::{Command, CommandList, format_literal, shell_word_in_format};
use crate::spec::{PaneSpec, Text, beside};
use crate::wire::{ProgramState, ToPane, VERSION};
use crate::{Error, PaneId, PaneRef, Result, SessionKey, SessionRef, WindowRef};

/// How long the init may take to announce itself on a busy host.
const ARRIVAL: Duration = Duration::from_secs(30);

/// What to make.
#[derive(Debug, Clone)]
pub struct CreatePane {
    /// Whose pane.
    pub key: SessionKey,
    /// The name of the window, for people who look with tmux.
    pub title: String,
    /// The program and its arguments; no shell is between.
    pub argv: Vec<OsString>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// Whether it gets the tmux server's environment; else only what describes
    /// the terminal, and `env`.
    pub inherit_env: bool,
    /// Variables to set.
    pub env: Vec<(OsString, OsString)>,
    /// Variables to remove.
    pub env_remove: Vec<OsString>,
    /// Columns and rows.
    pub size: (u16, u16),
}

impl Panes {
    /// Makes a pane and starts its program. No byte of its output is missed: the
    /// program starts when the stream is in our hands.
    ///
    /// Dropping the future, at any moment, takes back what was made.
    ///
    /// # Errors
    /// [`Error::SpawnFailed`] when the program or its directory is not there;
    /// [`Error::Refused`] when the session exists already;
    /// [`Error::InitFailed`]; and those of a lost connection.
    pub async fn create(&self, create: CreatePane) -> Result<(Pane, Tap)> {
        check(&create)?;
        let info = self.server.ensure().await?;
        let nonce = nonce()?;
        let key = create.key.clone();
        let spec_path = self.config.spec(&key);
        let permit = self.requests.clone().reserve_owned().await;
        let permit = permit.map_err(|_| Error::NotConnected)?;
        self.spec(&create, &nonce).write_new(&spec_path)?;
        // From here on, whatever happens is taken back.
        let guard = Rollback { permit: Some(permit), key: key.clone(), nonce: nonce.clone() };

        let (reply, arrival) = oneshot::channel();
        let expect = Request::Expect { key: key.clone(), nonce: nonce.clone(), reply };
        self.requests.send(expect).await.map_err(|_| Error::NotConnected)?;
        let commands = self.new_session(&create, &nonce);
        let outputs = self.server.command_in(info.generation, commands).await?;
        let said = outputs.last().map(|o| String::from_utf8_lossy(o).into_owned());
        let address = said.as_deref().and_then(|said| {
            let mut words = said.trim_end().split(' ');
            Some(PaneRef {
                generation: info.generation,
                session: SessionRef::parse(words.next()?)?,
                window: WindowRef::parse(words.next()?)?,
                pane: PaneId::parse(words.next()?)?,
            })
        });
        let address = address.ok_or_else(|| Error::BadAnswer {
            command: "new-session".into(),
            output: said.unwrap_or_default(),
        })?;
        let Arrival { conn, pid, tty } = self.arrival(arrival, address, &key).await?;
        let parts =
            Parts { conn, key, nonce, address, init_pid: pid, tty, state: ProgramState::Waiting };
        let mut pane = Pane::new(self.clone(), parts);
        let pipe = pipe_command(self, &pane.key, address.pane)?;
        self.server.command_in(info.generation, pipe).await?;
        let tap = pane.next_tap().await?;
        pane.send(ToPane::Start).await?;
        started(&mut pane, &create).await?;
        guard.defuse();
        Ok((pane, tap))
    }

    fn spec(&self, create: &CreatePane, nonce: &str) -> PaneSpec {
        PaneSpec {
            version: VERSION,
            session: create.key.clone(),
            nonce: nonce.to_owned(),
            argv: create.argv.iter().map(Text::from).collect(),
            cwd: Text::from(&create.cwd),
            inherit_env: create.inherit_env,
            env: create.env.iter().map(|(k, v)| (Text::from(k), Text::from(v))).collect(),
            env_remove: create.env_remove.iter().map(Text::from).collect(),
            daemon_sock: Text::from(&self.config.daemon_sock()),
            pane_sock: Text::from(&self.config.pane_sock(&create.key)),
            spool: Text::from(&self.config.spool(&create.key)),
            spool_cap: self.config.spool_cap,
        }
    }

    fn new_session(&self, create: &CreatePane, nonce: &str) -> CommandList {
        let name = create.key.tmux_name();
        // `=`: this very name, not one that begins so. `:`: the session of it.
        let target = format!("={name}:");
        let (cols, rows) = (create.size.0.to_string(), create.size.1.to_string());
        let mark = |option: &str, value: &str| {
            Command::new("set-option").args(["-t", &target, option, value])
        };
        // In `/`: the program's directory is set by the init, which takes any
        // path; tmux would expand this one as a format.
        let create = Command::new("new-session")
            .args(["-d", "-s", &name, "-n"])
            .bytes(&format_literal(create.title.as_bytes()))
            .args(["-x", &cols, "-y", &rows, "-c", "/", "--"])
            .arg(&self.config.qd)
            .args(["internal", "init"])
            .arg(self.config.spec(&create.key));
        CommandList::new(create)
            .then(mark("@qd-nonce", nonce))
            .then(mark("@qd-owner", &self.config.owner))
            .then(mark("@qd-session", &name[3..]))
            .then(Command::new("set-option").args(["-w", "-t", &target, "window-size", "manual"]))
            .then(Command::new("resize-window").args(["-t", &target, "-x", &cols, "-y", &rows]))
            .then(
                Command::new("display-message")
                    .args(["-p", "-t", &target])
                    .arg("#{session_id} #{window_id} #{pane_id}"),
            )
    }

    /// Waits for the init, or for the end of its pane.
    async fn arrival(
        &self,
        mut arrival: oneshot::Receiver<Arrival>,
        address: PaneRef,
        key: &SessionKey,
    ) -> Result<Arrival> {
        let mut notices = self.server.notices();
        let waiting = async {
            loop {
                // Any notice is a reason to look: sessions that end are told by
                // several, and a missed one must not matter.
                let look = tokio::time::timeout(Duration::from_secs(1), notices.recv());
                tokio::select! {
                    arrived = &mut arrival => return arrived.map_err(|_| Error::NotConnected),
                    _ = look => {}
                }
                let ask = Command::new("display-message").args([
                    "-p",
                    "-t",
                    &address.pane.to_string(),
                    "#{pane_id}",
                ]);
                let answer = self.server.command_in(address.generation, ask).await;
                let there = match answer {
                    // Without such a pane it answers, with nothing.
                    Ok(outputs) => outputs.first().is_some_and(|o| o.starts_with(b"%")),
                    Err(Error::Refused { .. }) => false,
                    Err(e) => return Err(e),
                };
                if !there {
                    // It may have come in between.
                    return arrival
                        .try_recv()
                        .map_err(|_| Error::InitFailed { why: self.why(key) });
                }
            }
        };
        tokio::time::timeout(ARRIVAL, waiting)
            .await
            .map_err(|_| Error::TimedOut { what: "the pane's init", after: ARRIVAL })?
    }

    /// What an init left as its last word, where it could say something.
    fn why(&self, key: &SessionKey) -> String {
        let path = beside(&self.config.spec(key), "error");
        std::fs::read_to_string(path).unwrap_or_else(|_| "its pane closed without a word".into())
    }
}

/// The command that hands the pane's stream to its init.
pub(crate) fn pipe_command(panes: &Panes, key: &SessionKey, pane: PaneId) -> Result<Command> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut shell = b"exec ".to_vec();
    shell.extend(shell_word_in_format(panes.config.qd.as_os_str().as_bytes())?);
    shell.extend_from_slice(b" internal tap ");
    shell.extend(shell_word_in_format(panes.config.spec(key).as_os_str().as_bytes())?);
    // Never `-o`: on a tapped pane it closes the tap and opens none.
    Ok(Command::new("pipe-pane").args(["-I", "-O", "-t", &pane.to_string()]).bytes(&shell))
}

async fn started(pane: &mut Pane, create: &CreatePane) -> Result<()> {
    let event = tokio::time::timeout(ANSWER, pane.events.recv())
        .await
        .map_err(|_| Error::TimedOut { what: "the start of the program", after: ANSWER })?;
    match event {
        Some(PaneEvent::Started { .. }) => Ok(()),
        Some(PaneEvent::SpawnFailed { errno, message }) => Err(Error::SpawnFailed {
            program: create
                .argv
                .first()
                .map(|p| p.to_string_lossy().into_owned())
                .unwrap_or_default(),
            errno,
            message,
        }),
        Some(PaneEvent::LinkLost) | None => Err(Error::LinkLost),
        // It was quicker than the word of its start.
        Some(event) => {
            pane.early = Some(event);
            Ok(())
        }
    }
}

fn check(create: &CreatePane) -> Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    let bad = |what, why| Err(Error::BadArgument { what, why });
    if create.argv.first().is_none_or(|p| p.is_empty()) {
        return bad("the program", "it is empty");
    }
    let nul = |s: &OsString| s.as_bytes().contains(&0);
    if create.argv.iter().any(nul) || create.cwd.as_os_str().as_bytes().contains(&0) {
        return bad("the command", "it has a NUL byte");
    }
    let bad_name = |k: &OsString| k.is_empty() || nul(k) || k.as_bytes().contains(&b'=');
    if create.env.iter().any(|(k, v)| bad_name(k) || nul(v)) {
        return bad("the environment", "a name is empty or has `=`, or a NUL byte is in it");
    }
    if create.size.0 == 0 || create.size.1 == 0 || create.size.0 > 10_000 || create.size.1 > 10_000
    {
        return bad("the size", "each side must be 1 to 10000 cells");
    }
    Ok(())
}

/// 128 bits that nobody can guess.
pub(crate) fn nonce() -> Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut f| f.read_exact(&mut bytes))
        .map_err(Error::io("read /dev/urandom"))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Takes a creation back when dropped. Its place in the host's queue is reserved,
/// so that this cannot fail for want of room.
struct Rollback {
    permit: Option<mpsc::OwnedPermit<Request>>,
    key: SessionKey,
    nonce: String,
}

impl Rollback {
    fn defuse(mut self) {
        self.permit = None;
    }
}

impl Drop for Rollback {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.send(Request::Rollback { key: self.key.clone(), nonce: self.nonce.clone() });
        }
    }
}
