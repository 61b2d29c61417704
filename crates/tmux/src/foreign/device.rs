//! What the device of a terminal tells. It is never held open: that would keep the pane from
//! ending.

use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Columns and rows; none when the terminal is gone, or out of reach.
pub(super) fn size(device: &Path) -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(open(device)?).ok()?;
    Some((size.ws_col, size.ws_row))
}

/// Bytes that wait for the program to read them.
pub(super) fn unread(device: &Path) -> Option<u64> {
    rustix::io::ioctl_fionread(open(device)?).ok()
}

fn open(device: &Path) -> Option<rustix::fd::OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(device, flags, Mode::empty()).ok()
}
