//! `tmux attach` in a pseudo-terminal: how a person attaches natively.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::fault::{Result, fault};

/// A program on a pseudo-terminal of 120x40.
#[derive(Debug)]
pub struct Pty {
    master: File,
    child: Child,
}

impl Pty {
    /// Starts a program on a new pseudo-terminal.
    ///
    /// # Errors
    /// When there is none, or the program cannot be started.
    pub fn spawn(mut command: Command) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size)?;
        let name = ptsname(&master, vec![])?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = File::from(open(name, flags, Mode::empty())?);
        command.stdin(Stdio::from(slave.try_clone()?)).stdout(Stdio::from(slave.try_clone()?));
        let child = command.stderr(Stdio::from(slave)).spawn()?;
        Ok(Self { master: File::from(master), child })
    }

    /// Reads until nothing has come for a while, and gives what came.
    ///
    /// # Errors
    /// When the other end is gone.
    pub fn settle(&mut self, quiet: Duration) -> Result<Vec<u8>> {
        let mut seen = vec![];
        while self.ready(quiet)? {
            self.read(&mut seen)?;
        }
        Ok(seen)
    }

    /// Types a byte and waits until it comes back; how long that took.
    ///
    /// # Errors
    /// When it does not.
    pub fn echo(&mut self, byte: u8) -> Result<Duration> {
        let mut seen = vec![];
        let start = Instant::now();
        self.master.write_all(&[byte])?;
        while !seen.contains(&byte) {
            if !self.ready(Duration::from_secs(10))? {
                return fault("no echo from tmux attach within 10 s");
            }
            self.read(&mut seen)?;
        }
        Ok(start.elapsed())
    }

    fn ready(&self, limit: Duration) -> Result<bool> {
        let mut fds = [PollFd::from_borrowed_fd(self.master.as_fd(), PollFlags::IN)];
        Ok(poll(&mut fds, Some(&Timespec::try_from(limit)?))? > 0)
    }

    fn read(&mut self, into: &mut Vec<u8>) -> Result<()> {
        let mut buffer = [0; 16 * 1024];
        let count = self.master.read(&mut buffer)?;
        into.extend_from_slice(&buffer[..count]);
        Ok(())
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        crate::process::end(&mut self.child);
    }
}
