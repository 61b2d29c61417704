//! The program of the pane: its start, its stops, its end.

use std::io::{PipeReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::fd::{AsFd, BorrowedFd};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::exec::ExecError;
use crate::process;
use crate::wire::{Exit, ProgramState};

/// Least time between two continuations of a program that keeps stopping.
const CONTINUE_PAUSE: Duration = Duration::from_millis(50);

/// The program and what the init knows of it.
#[derive(Debug)]
pub(crate) struct Program {
    pub state: ProgramState,
    pid: Option<Pid>,
    /// Open until the program is executed, or an error comes.
    errors: Option<PipeReader>,
    said: Vec<u8>,
    stopped: bool,
    last_continue: Option<Instant>,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self {
            state: ProgramState::Waiting,
            pid: None,
            errors: None,
            said: Vec::new(),
            stopped: false,
            last_continue: None,
        }
    }

    /// Starts it in a process group of its own, in the foreground.
    pub(crate) fn start(&mut self, spec: &Path) {
        if self.state != ProgramState::Waiting {
            return;
        }
        if let Err(e) = self.try_start(spec) {
            self.state = ProgramState::SpawnFailed {
                errno: e.raw_os_error().unwrap_or(0),
                message: format!("the first process: {e}"),
            };
        }
    }

    fn try_start(&mut self, spec: &Path) -> std::io::Result<()> {
        let (gate_out, mut gate) = std::io::pipe()?;
        let (errors, errors_in) = std::io::pipe()?;
        rustix::io::ioctl_fionbio(&errors, true)?;
        let child = process::blocking(own_path())
            .arg0("qd")
            .args(["internal", "exec"])
            .arg(spec)
            .stdin(Stdio::from(gate_out))
            .stdout(Stdio::from(errors_in))
            .process_group(0)
            .spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let Some(pid) = pid else { return Err(std::io::Error::other("no process id")) };
        // Waited for by number below; the handle itself waits for nothing.
        drop(child);
        self.pid = Some(pid);
        self.errors = Some(errors);
        self.state = ProgramState::Running { pid: pid.as_raw_nonzero().get().unsigned_abs() };
        rustix::termios::tcsetpgrp(std::io::stdin().as_fd(), pid)?;
        // It waits for this byte: only a foreground process may set up a terminal.
        gate.write_all(b"x")
    }

    /// Where an error of the start shows, while it may.
    pub(crate) fn errors_fd(&self) -> Option<BorrowedFd<'_>> {
        self.errors.as_ref().map(|e| e.as_fd())
    }

    /// Looks whether it was executed. True when that is now known (see `state`).
    pub(crate) fn read_errors(&mut self) -> bool {
        let Some(errors) = &mut self.errors else { return false };
        let mut buffer = [0; 4096];
        loop {
            match errors.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) if self.said.len() < 16 << 10 => self.said.extend_from_slice(&buffer[..n]),
                Ok(_) => break,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return false,
                Err(_) => break,
            }
        }
        self.errors = None;
        if let Ok(ExecError { errno, message }) = serde_json::from_slice(&self.said) {
            self.state = ProgramState::SpawnFailed { errno, message };
        }
        true
    }

    /// Reaps all that ended; true when the program is among them.
    pub(crate) fn reap(&mut self) -> bool {
        let mut ended = false;
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
        loop {
            match rustix::process::wait(options) {
                Ok(Some((pid, status))) if Some(pid) == self.pid => {
                    ended |= self.changed(status);
                }
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) | Err(_) => return ended,
            }
        }
    }

    fn changed(&mut self, status: WaitStatus) -> bool {
        if status.stopped() {
            self.stopped = true;
            return false;
        }
        if !status.exited() && !status.signaled() {
            return false;
        }
        self.pid = None;
        self.stopped = false;
        // An error of the start is told by itself, and was written before the end.
        self.read_errors();
        if matches!(self.state, ProgramState::Running { .. }) {
            let (code, signal) = (status.exit_status(), status.terminating_signal());
            let exit = Exit { code, signal, lost: false };
            self.state = ProgramState::Exited(exit);
        }
        true
    }

    /// Continues a stopped program: nobody is there to type `fg`. Gives the time
    /// to wait first, if one that stops again and again has to.
    pub(crate) fn unstop(&mut self, now: Instant) -> Option<Duration> {
        let pid = self.pid.filter(|_| self.stopped)?;
        if let Some(last) = self.last_continue {
            let wait = CONTINUE_PAUSE.saturating_sub(now.duration_since(last));
            if !wait.is_zero() {
                return Some(wait);
            }
        }
        self.stopped = false;
        self.last_continue = Some(now);
        // It may have stopped because it was not in the foreground (a child of its
        // that was has died).
        let stdin = std::io::stdin();
        if !rustix::termios::tcgetpgrp(stdin.as_fd()).is_ok_and(group_lives) {
            let _ = rustix::termios::tcsetpgrp(stdin.as_fd(), pid);
        }
        let _ = rustix::process::kill_process_group(pid, Signal::CONT);
        None
    }
}

fn group_lives(group: Pid) -> bool {
    rustix::process::test_kill_process_group(group).is_ok()
}

/// This very program, even after its file was replaced.
fn own_path() -> std::path::PathBuf {
    if cfg!(target_os = "linux") {
        return "/proc/self/exe".into();
    }
    std::env::current_exe().unwrap_or_else(|_| "qd".into())
}
