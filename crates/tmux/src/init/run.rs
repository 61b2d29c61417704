//! The init's loop: one poll over all that can happen, one state.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd as _, OwnedFd};

use super::ending::Ending;
use super::origin::Origin;
use super::peers::Peer;
use super::program::Program;
use super::signals::Signals;
use super::spool::Spool;
use super::terminal;
use crate::spec::{PaneSpec, beside, write_private};
use crate::wire::{FromPane, ProgramState, ToPane, VERSION};

/// Connections that have not said yet who they are.
const MAX_STRANGERS: usize = 8;

/// Runs the pane of this spec until it is told to leave or its terminal hangs
/// up. Gives the exit code: the program's own, or 128 and its signal.
#[must_use]
pub fn run_init(spec_path: &Path) -> u8 {
    let mut init = match Init::new(spec_path) {
        Ok(init) => init,
        Err(why) => {
            // The pane is gone in a moment, and what is printed there with it.
            leave_word(spec_path, "error", why.as_bytes());
            eprintln!("{why}");
            return 1;
        }
    };
    while !init.over {
        init.turn();
    }
    init.leave()
}

struct Init {
    spec: PaneSpec,
    spec_path: PathBuf,
    tty: String,
    signals: Signals,
    listener: UnixListener,
    strangers: Vec<Peer>,
    daemon: Option<Peer>,
    tap: Option<OwnedFd>,
    server: Origin,
    spool: Spool,
    program: Program,
    ending: Option<Ending>,
    hung_up: bool,
    terminated: bool,
    told_to_leave: bool,
    over: bool,
}

impl Init {
    fn new(spec_path: &Path) -> Result<Self, String> {
        let spec = PaneSpec::read(spec_path).map_err(|e| e.to_string())?;
        let signals = Signals::install().map_err(|e| format!("signals: {e}"))?;
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|e| format!("subreaper: {e}"))?;
        let sock = spec.pane_sock.path();
        drop(std::fs::remove_file(sock));
        let listener = UnixListener::bind(sock)
            .and_then(|l| l.set_nonblocking(true).map(|()| l))
            .map_err(|e| format!("listen on {}: {e}", sock.display()))?;
        std::fs::set_permissions(sock, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .map_err(|e| format!("mode of {}: {e}", sock.display()))?;
        let tty = rustix::termios::ttyname(std::io::stdin().as_fd(), Vec::new())
            .map(|name| name.to_string_lossy().into_owned())
            .map_err(|e| format!("the terminal: {e}"))?;
        let mut daemon = UnixStream::connect(spec.daemon_sock.path())
            .and_then(Peer::new)
            .map_err(|e| format!("reach the daemon: {e}"))?;
        daemon.send(
            &FromPane::Hello {
                version: VERSION,
                session: spec.session.clone(),
                nonce: spec.nonce.clone(),
                pid: std::process::id(),
                tty: tty.clone(),
            },
            None,
        );
        Ok(Self {
            spool: Spool::new(spec.spool.path(), spec.spool_cap),
            spec,
            spec_path: spec_path.to_owned(),
            tty,
            signals,
            listener,
            strangers: Vec::new(),
            daemon: Some(daemon),
            tap: None,
            server: Origin::of_this_pane(),
            program: Program::new(),
            ending: None,
            hung_up: false,
            terminated: false,
            told_to_leave: false,
            over: false,
        })
    }

    fn turn(&mut self) {
        let mut timeout = self.program.unstop(Instant::now());
        if let Some(ending) = &self.ending {
            timeout = Some(timeout.map_or(ending.wait(), |t| t.min(ending.wait())));
        }
        self.wait(timeout);

        let signals = self.signals.take();
        if self.program.reap() {
            // The kernel hangs up the program in the moment in which it hangs up us.
            let fresh = self.ending.is_none();
            let told = self.terminated || (signals.terminate && fresh);
            let gone = self.hung_up || ((signals.hang_up || self.terminal_gone()) && fresh);
            // A pane that a person closes ends its program; a server that dies takes it away.
            self.program_ended(told || (gone && self.server.is_gone()));
        }
        if self.program.read_errors()
            && let ProgramState::Running { pid } = self.program.state
        {
            self.tell(&FromPane::Started { pid });
        }
        if signals.hang_up || self.terminal_gone() {
            self.hang_up();
        } else if signals.terminate {
            self.terminated = true;
            self.end(Ending::hung_up(Instant::now()));
        }
        self.accept();
        self.hear_strangers();
        self.hear_daemon();
        self.drain();
        self.step_ending();
    }

    fn wait(&self, timeout: Option<Duration>) {
        let mut fds = Vec::with_capacity(16);
        for fd in self.signals.fds() {
            fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
        }
        fds.push(PollFd::new(&self.listener, PollFlags::IN));
        let stdin = std::io::stdin();
        if !self.hung_up {
            // Asks for nothing: only that the terminal is gone is ever reported.
            fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::empty()));
        }
        if let Some(fd) = self.program.errors_fd() {
            fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
        }
        for peer in self.strangers.iter().chain(&self.daemon) {
            let out = if peer.wants_write() { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::from_borrowed_fd(peer.fd(), PollFlags::IN | out));
        }
        if self.daemon.is_none()
            && let Some(tap) = &self.tap
        {
            fds.push(PollFd::new(tap, PollFlags::IN));
        }
        let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
        // An error or an interruption is a turn with nothing new.
        let _ = poll(&mut fds, timeout.as_ref());
    }

    fn terminal_gone(&self) -> bool {
        !self.hung_up && terminal::is_gone()
    }

    fn program_ended(&mut self, lost: bool) {
        if let ProgramState::Exited(exit) = &mut self.program.state {
            exit.lost = lost;
        }
        let message = match &self.program.state {
            ProgramState::Exited(exit) => FromPane::Exited(*exit),
            ProgramState::SpawnFailed { errno, message } => {
                FromPane::SpawnFailed { errno: *errno, message: message.clone() }
            }
            _ => return,
        };
        self.write_status();
        self.tell(&message);
    }

    /// Leaves word of the end for a daemon that finds neither pane nor init.
    fn write_status(&self) {
        if let Ok(text) = serde_json::to_vec(&self.program.state) {
            leave_word(&self.spec_path, "status", &text);
        }
    }

    fn hang_up(&mut self) {
        if !self.hung_up {
            self.hung_up = true;
            self.end(Ending::hung_up(Instant::now()));
        }
    }

    fn end(&mut self, ending: Ending) {
        match &mut self.ending {
            Some(running) => running.hurry(ending),
            None => self.ending = Some(ending),
        }
    }

    fn step_ending(&mut self) {
        let Some(ending) = &mut self.ending else { return };
        let me = rustix::process::getpid().as_raw_nonzero().get();
        let Some(left) = ending.step(Instant::now(), me) else { return };
        self.ending = None;
        // The last of them may have ended within this very step.
        if self.program.reap() {
            self.program_ended(self.hung_up || self.terminated);
        }
        self.tell(&FromPane::Ended { left });
        // Without a terminal, or a program, there is nothing to keep.
        self.over =
            self.hung_up || self.told_to_leave || (self.terminated && self.daemon.is_none());
    }

    fn accept(&mut self) {
        while let Some(peer) = Peer::accept(&self.listener) {
            // Those who say nothing must not keep the daemon out.
            if self.strangers.len() >= MAX_STRANGERS {
                self.strangers.remove(0);
            }
            self.strangers.push(peer);
        }
    }

    fn hear_strangers(&mut self) {
        let mut strangers = std::mem::take(&mut self.strangers);
        strangers.retain_mut(|peer| {
            match peer.receive().into_iter().next() {
                Some((ToPane::Tap { nonce }, Some(fd))) if nonce == self.spec.nonce => {
                    self.new_tap(fd);
                    false
                }
                Some((ToPane::Hello { version: VERSION, nonce }, _))
                    if nonce == self.spec.nonce =>
                {
                    // Hand the connection over: the daemon sends no more before it
                    // is welcome.
                    if let Ok(fd) = peer.fd().try_clone_to_owned()
                        && let Ok(peer) = Peer::new(UnixStream::from(fd))
                    {
                        self.new_daemon(peer);
                    }
                    false
                }
                Some(_) => false,
                None => !peer.is_dead(),
            }
        });
        strangers.append(&mut self.strangers);
        self.strangers = strangers;
    }

    /// tmux opened a stream: the first, or one anew after somebody cut ours.
    fn new_tap(&mut self, fd: OwnedFd) {
        if let (Some(daemon), Ok(copy)) = (&mut self.daemon, fd.try_clone()) {
            daemon.send(&FromPane::Tap, Some(copy));
        }
        self.tap = Some(fd);
    }

    /// A daemon came back. An earlier one, if it still holds on, is let go: only
    /// one may read the stream.
    fn new_daemon(&mut self, mut peer: Peer) {
        let (spool_bytes, dropped_bytes) = self.spool.counts();
        let tap = self.tap.as_ref().and_then(|t| t.try_clone().ok());
        peer.send(
            &FromPane::Welcome {
                version: VERSION,
                session: self.spec.session.clone(),
                pid: std::process::id(),
                tty: self.tty.clone(),
                state: self.program.state.clone(),
                spool_bytes,
                dropped_bytes,
                tap: tap.is_some(),
            },
            None,
        );
        if let Some(tap) = tap {
            peer.send(&FromPane::Tap, Some(tap));
        }
        self.daemon = Some(peer);
    }

    fn hear_daemon(&mut self) {
        let Some(daemon) = &mut self.daemon else { return };
        daemon.flush();
        for (message, _) in daemon.receive() {
            self.obey(message);
        }
        if self.daemon.as_ref().is_some_and(Peer::is_dead) {
            self.daemon = None;
        }
    }

    fn obey(&mut self, message: ToPane) {
        match message {
            ToPane::Start => {
                self.program.start(&self.spec_path);
                if matches!(self.program.state, ProgramState::SpawnFailed { .. }) {
                    self.program_ended(false);
                }
            }
            ToPane::End { grace_ms } => {
                self.end(Ending::asked(Instant::now(), Duration::from_millis(grace_ms)));
            }
            ToPane::Leave => {
                if !matches!(self.program.state, ProgramState::Running { .. }) {
                    self.told_to_leave = true;
                    self.end(Ending::left_behind(Instant::now()));
                }
            }
            ToPane::InputQueue => {
                let bytes = rustix::io::ioctl_fionread(std::io::stdin().as_fd()).unwrap_or(0);
                self.tell(&FromPane::InputQueue { bytes });
            }
            ToPane::Mark { text } => {
                let ok = terminal::write(text.as_bytes());
                self.tell(&FromPane::Marked { ok });
            }
            ToPane::SpoolTaken => self.spool.taken(),
            ToPane::Hello { .. } | ToPane::Tap { .. } | ToPane::Unknown => {}
        }
    }

    fn tell(&mut self, message: &FromPane) {
        if let Some(daemon) = &mut self.daemon {
            daemon.send(message, None);
        }
    }

    /// While no daemon reads the stream, it goes to the spool. A bounded part a
    /// turn, so that everything else is heard in between.
    fn drain(&mut self) {
        if self.daemon.is_some() {
            return;
        }
        let mut buffer = vec![0; 64 << 10];
        for _ in 0..16 {
            let Some(tap) = &self.tap else { return };
            match rustix::net::recv(tap, &mut buffer[..], rustix::net::RecvFlags::DONTWAIT) {
                Ok((0, _)) => self.tap = None,
                Ok((n, _)) => self.spool.add(&buffer[..n]),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return,
                Err(_) => self.tap = None,
            }
        }
    }

    fn leave(&mut self) -> u8 {
        while self.daemon.is_none() && self.tap.is_some() && self.hung_up {
            // What tmux still had when it went.
            let before = self.spool.counts();
            self.drain();
            if self.spool.counts() == before {
                break;
            }
        }
        if !self.told_to_leave {
            self.write_status();
        }
        drop(std::fs::remove_file(self.spec.pane_sock.path()));
        match self.program.state {
            ProgramState::Exited(exit) => {
                let code = exit.code.or(exit.signal.map(|s| 128 + s)).unwrap_or(1);
                u8::try_from(code & 0xff).unwrap_or(1)
            }
            ProgramState::SpawnFailed { .. } => 127,
            _ => 129,
        }
    }
}

/// Writes a file beside the spec, unless that was taken away: then nobody is to
/// read it, nor to remove it.
fn leave_word(spec_path: &Path, extension: &str, text: &[u8]) {
    let path = beside(spec_path, extension);
    let temporary = beside(spec_path, "new");
    if write_private(&temporary, text).is_ok() {
        drop(std::fs::rename(&temporary, &path));
    }
    if !spec_path.exists() {
        drop(std::fs::remove_file(&temporary));
        drop(std::fs::remove_file(&path));
    }
}
