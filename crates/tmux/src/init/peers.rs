//! Who talks to the init: the daemon (one at a time) and tap helpers.

use std::collections::VecDeque;
use std::os::unix::net::{UnixListener, UnixStream};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use serde::Serialize;

use crate::fdpass;
use crate::wire::{self, Lines, ToPane};

/// The most a daemon may leave unread, in bytes. Messages are small; one that
/// reads nothing at all is taken for dead.
const MAX_UNSENT: usize = 256 << 10;

/// One connection.
#[derive(Debug)]
pub(crate) struct Peer {
    socket: UnixStream,
    lines: Lines,
    fds: VecDeque<OwnedFd>,
    unsent: VecDeque<(Vec<u8>, Option<OwnedFd>)>,
    unsent_bytes: usize,
    dead: bool,
}

impl Peer {
    pub(crate) fn new(socket: UnixStream) -> std::io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            lines: Lines::default(),
            fds: VecDeque::new(),
            unsent: VecDeque::new(),
            unsent_bytes: 0,
            dead: false,
        })
    }

    /// Accepts one that runs as our own user.
    pub(crate) fn accept(listener: &UnixListener) -> Option<Self> {
        let (socket, _) = listener.accept().ok()?;
        let peer = rustix::net::sockopt::socket_peercred(&socket).ok()?;
        if peer.uid != rustix::process::geteuid() {
            return None;
        }
        Self::new(socket).ok()
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    pub(crate) fn wants_write(&self) -> bool {
        !self.unsent.is_empty()
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead
    }

    pub(crate) fn send<T: Serialize>(&mut self, message: &T, fd: Option<OwnedFd>) {
        let line = wire::line(message);
        self.unsent_bytes += line.len();
        self.dead |= self.unsent_bytes > MAX_UNSENT;
        self.unsent.push_back((line, fd));
        self.flush();
    }

    pub(crate) fn flush(&mut self) {
        while let Some((line, fd)) = self.unsent.front_mut() {
            match fdpass::send(&self.socket, line, fd.as_ref().map(|f| f.as_fd())) {
                Ok(n) => {
                    self.unsent_bytes -= n;
                    // It went with the first byte.
                    *fd = None;
                    line.drain(..n);
                    if line.is_empty() {
                        self.unsent.pop_front();
                    }
                }
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    self.dead = true;
                    return;
                }
            }
        }
    }

    /// Reads what is there. A message that is none ends the connection.
    pub(crate) fn receive(&mut self) -> Vec<(ToPane, Option<OwnedFd>)> {
        let mut buffer = [0; 4096];
        let mut fds = Vec::new();
        loop {
            match fdpass::receive(&self.socket, &mut buffer, &mut fds) {
                Ok(0) => {
                    self.dead = true;
                    break;
                }
                Ok(n) => {
                    self.fds.extend(fds.drain(..));
                    if !self.lines.feed(&buffer[..n]) || self.fds.len() > 4 {
                        self.dead = true;
                        break;
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.dead = true;
                    break;
                }
            }
        }
        let mut messages = Vec::new();
        while let Some(message) = self.lines.next::<ToPane>() {
            match message {
                Ok(message) => {
                    let fd = matches!(message, ToPane::Tap { .. })
                        .then(|| self.fds.pop_front())
                        .flatten();
                    messages.push((message, fd));
                }
                Err(_) => self.dead = true,
            }
        }
        messages
    }
}
