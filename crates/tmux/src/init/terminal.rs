//! The pane's terminal, as the init uses it.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd as _;

/// How long a mark may take to be written to a terminal that is held.
const WRITE: Duration = Duration::from_secs(2);

/// Whether it was hung up, also when the signal for that did not come.
pub(crate) fn is_gone() -> bool {
    let stdin = std::io::stdin();
    let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok_and(|n| n > 0)
        && fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// Writes to the terminal, which may be held (Ctrl-S) by who looked at it.
pub(crate) fn write(mut bytes: &[u8]) -> bool {
    let terminal = std::io::stdout();
    // Both: "on" alone does not undo a Ctrl-S, only an "off" of its own kind.
    for action in [rustix::termios::Action::OOff, rustix::termios::Action::OOn] {
        let _ = rustix::termios::tcflow(terminal.as_fd(), action);
    }
    let deadline = Instant::now() + WRITE;
    while !bytes.is_empty() {
        let Ok(left) = Timespec::try_from(deadline.saturating_duration_since(Instant::now()))
        else {
            return false;
        };
        let mut fds = [PollFd::from_borrowed_fd(terminal.as_fd(), PollFlags::OUT)];
        match poll(&mut fds, Some(&left)) {
            Ok(0) => return false,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
        match rustix::io::write(terminal.as_fd(), bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => return false,
        }
    }
    true
}
