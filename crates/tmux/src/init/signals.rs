//! Signals of the init.
//!
//! HUP, TERM and CHLD come as bytes on one pipe. The signals of job control are
//! blocked rather than ignored: a blocked SIGTTOU lets a process in the
//! background set the foreground group, which is what the init is; `exec` clears
//! the mask for the program. (A handler would not do: the kernel
//! then fails the call, as the init's own group has no parent in its session.)

use std::io::Read as _;
use std::os::unix::net::UnixStream;

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

/// Clears the mask.
pub(crate) fn unblock_all() {
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
