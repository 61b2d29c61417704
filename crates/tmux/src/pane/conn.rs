//! A connection to an init: messages and the descriptors that ride on them.

use std::collections::VecDeque;
use std::time::Duration;

use rustix::fd::OwnedFd;
use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::UnixStream;

use crate::fdpass;
use crate::wire::{self, FromPane, Lines, ToPane};
use crate::{Error, Result};

/// How long an init may leave a message unread.
const SEND: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Conn {
    socket: UnixStream,
    lines: Lines,
    fds: VecDeque<OwnedFd>,
}

impl Conn {
    /// Takes a connection of our own user; others are refused.
    pub(crate) fn new(socket: UnixStream) -> Result<Self> {
        let peer = socket.peer_cred().map_err(Error::io("who connects"))?;
        if peer.uid() != rustix::process::geteuid().as_raw() {
            return Err(Error::Protocol { what: "a connection of another user".into() });
        }
        Ok(Self { socket, lines: Lines::default(), fds: VecDeque::new() })
    }

    /// The next message, with its descriptor. Cancel-safe. `None` at the end.
    pub(crate) async fn receive(&mut self) -> Result<Option<(FromPane, Option<OwnedFd>)>> {
        loop {
            if let Some(message) = self.lines.next::<FromPane>() {
                let message = message.map_err(|what| Error::Protocol { what })?;
                let carries = matches!(message, FromPane::Tap | FromPane::Hand { .. });
                let fd = carries.then(|| self.fds.pop_front()).flatten();
                return Ok(Some((message, fd)));
            }
            let mut buffer = [0; 4096];
            let mut fds = Vec::new();
            let read = self
                .socket
                .async_io(Interest::READABLE, || {
                    fdpass::receive(&self.socket, &mut buffer, &mut fds).map_err(Into::into)
                })
                .await;
            self.fds.extend(fds);
            match read {
                Ok(0) | Err(_) => return Ok(None),
                Ok(n) if self.lines.feed(&buffer[..n]) && self.fds.len() <= 4 => {}
                Ok(_) => return Err(Error::Protocol { what: "too much at once".into() }),
            }
        }
    }

    /// Sends a message, whole. Not cancel-safe; bounded in time.
    pub(crate) async fn send(&mut self, message: &ToPane) -> Result<()> {
        let line = wire::line(message);
        match tokio::time::timeout(SEND, self.socket.write_all(&line)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Error::LinkLost),
        }
    }
}
