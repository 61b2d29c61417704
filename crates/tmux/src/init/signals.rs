//! Signals of the init.
//!
//! HUP, TERM and CHLD come as bytes on one pipe. The signals of job control are
//! blocked rather than ignored: a blocked SIGTTOU lets a process in the
//! background set the foreground group, which is what the init is; `exec` clears
//! the mask for the program. (A handler would not do: the kernel
//! then fails the call, as the init's own group has no parent in its session.)

use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::{SigSet, Signal};
use rustix::fd::{AsFd, BorrowedFd};

/// What has come since the last look.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Pending {
    pub hang_up: bool,
    pub terminate: bool,
}

/// The pipes by which signals come.
#[derive(Debug)]
pub(crate) struct Signals {
    child: UnixStream,
    hang_up: UnixStream,
    terminate: UnixStream,
}

impl Signals {
    pub(crate) fn install() -> std::io::Result<Self> {
        block_job_control();
        let pipe = |signal: i32| {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            write.set_nonblocking(true)?;
            signal_hook::low_level::pipe::register(signal, write)?;
            Ok::<_, std::io::Error>(read)
        };
        Ok(Self {
            child: pipe(signal_hook::consts::SIGCHLD)?,
            hang_up: pipe(signal_hook::consts::SIGHUP)?,
            terminate: pipe(signal_hook::consts::SIGTERM)?,
        })
    }

    pub(crate) fn fds(&self) -> [BorrowedFd<'_>; 3] {
        [self.child.as_fd(), self.hang_up.as_fd(), self.terminate.as_fd()]
    }

    pub(crate) fn take(&mut self) -> Pending {
        drain(&mut self.child);
        Pending { hang_up: drain(&mut self.hang_up), terminate: drain(&mut self.terminate) }
    }
}

fn drain(pipe: &mut UnixStream) -> bool {
    let mut any = false;
    let mut buffer = [0; 64];
    while let Ok(1..) = pipe.read(&mut buffer) {
        any = true;
    }
    any
}

/// Gives the program that is executed next a clean start: no signal blocked, none
/// ignored.
///
/// Blocked they are by the init; ignored, by whoever started the daemon (`nohup`,
/// a shell without job control): tmux resets some of them, and SIGTTIN and
/// SIGTTOU not. To be handled is as good as the default here, since `exec` drops
/// every handler, and setting a handler is safe where setting a default is not.
pub(crate) fn reset_for_exec() {
    use signal_hook::consts::signal::*;
    let never_read = Arc::new(AtomicBool::new(false));
    for signal in [
        SIGHUP, SIGINT, SIGQUIT, SIGTRAP, SIGABRT, SIGBUS, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
        SIGTERM, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGXCPU, SIGXFSZ, SIGVTALRM,
        SIGPROF, SIGWINCH, SIGIO, SIGSYS,
    ] {
        drop(signal_hook::flag::register(signal, Arc::clone(&never_read)));
    }
    let _ = SigSet::empty().thread_set_mask();
}

/// Makes what is typed at a terminal pass this process by.
pub(crate) fn block_job_control() {
    let mut set = SigSet::empty();
    for signal in [
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTSTP,
        Signal::SIGTTIN,
        Signal::SIGTTOU,
        Signal::SIGPIPE,
    ] {
        set.add(signal);
    }
    // It cannot fail with a valid set.
    let _ = set.thread_block();
}
