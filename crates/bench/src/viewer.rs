//! A viewer of a terminal: the WebSocket as a browser opens it, over TCP with a token.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine as _;
use qd_api::{ClientFrame, ServerFrame, TERMINAL_PROTOCOL, TOKEN_PROTOCOL_PREFIX};
use tokio_tungstenite::tungstenite::client::{ClientRequestBuilder, client_with_config};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, WebSocket};

use crate::daemon::Daemon;
use crate::fault::{Result, fault};

/// Bytes after which a viewer acknowledges.
const ACK_EVERY: u64 = 64 * 1024;

/// How long a viewer waits for the next frame.
const PATIENCE: Duration = Duration::from_secs(60);

/// One viewer.
#[derive(Debug)]
pub struct Viewer {
    socket: WebSocket<TcpStream>,
    /// The number of the next byte.
    pub next: u64,
    /// When the last frame had come, before it was read.
    pub heard: Instant,
    acked: u64,
}

/// What a viewer was told.
#[derive(Debug)]
pub enum Told {
    /// Output: the bytes after the eight of their number.
    Output(Bytes),
    /// A whole screen.
    Snapshot {
        /// What draws it.
        data: Vec<u8>,
        /// Its columns and rows.
        size: (u16, u16),
    },
    /// A screen follows, because of this.
    Resync(String),
    /// Nothing was missed: output goes on.
    Resumed,
    /// Something else.
    Other,
}

/// How a viewer came back after the daemon was away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// By the number of its next byte, without a gap.
    Resumed,
    /// With a new drawing.
    Drawn,
}

impl Viewer {
    /// Opens the WebSocket.
    ///
    /// # Errors
    /// When it is refused.
    pub fn connect(daemon: &Daemon, id: &str) -> Result<Self> {
        let (address, token) = daemon.address()?;
        let stream = TcpStream::connect(&address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let uri = format!("ws://{address}/api/v1/sessions/{id}/terminal").parse()?;
        let request = ClientRequestBuilder::new(uri)
            .with_sub_protocol(TERMINAL_PROTOCOL)
            .with_sub_protocol(format!("{TOKEN_PROTOCOL_PREFIX}{token}"));
        let config = WebSocketConfig::default().read_buffer_size(256 * 1024);
        let (socket, _) = client_with_config(request, stream, Some(config))
            .map_err(|error| format!("the WebSocket is refused: {error}"))?;
        Ok(Self { socket, next: 0, heard: Instant::now(), acked: 0 })
    }

    /// Opens the WebSocket and attaches; gives the snapshot too.
    ///
    /// # Errors
    /// When either is refused.
    pub fn attach(daemon: &Daemon, id: &str, scrollback: u32) -> Result<(Self, Vec<u8>)> {
        let mut viewer = Self::connect(daemon, id)?;
        let snapshot = viewer.ask_snapshot(scrollback)?;
        Ok((viewer, snapshot))
    }

    /// Sends the attach frame and waits for the snapshot.
    ///
    /// # Errors
    /// When none comes.
    pub fn ask_snapshot(&mut self, scrollback: u32) -> Result<Vec<u8>> {
        let (cols, rows) = (120, 40);
        self.tell(&ClientFrame::Attach {
            from: None,
            cols,
            rows,
            scrollback: Some(scrollback),
            read_only: false,
        })?;
        loop {
            if let Told::Snapshot { data, .. } = self.hear()? {
                return Ok(data);
            }
        }
    }

    /// Types bytes.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn type_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.socket.send(Message::Binary(Bytes::copy_from_slice(bytes)))?)
    }

    /// Waits for the next frame, and acknowledges what has come so far when it is enough.
    ///
    /// # Errors
    /// When nothing comes for too long, or the connection ends.
    pub fn hear(&mut self) -> Result<Told> {
        let message = match self.socket.read() {
            Ok(message) => message,
            Err(Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                return fault("nothing was heard from the daemon for too long");
            }
            Err(error) => return fault(format!("the WebSocket broke: {error}")),
        };
        self.heard = Instant::now();
        match message {
            Message::Binary(frame) => self.output(&frame),
            Message::Text(text) => self.read(text.as_str()),
            Message::Close(frame) => fault(format!("the daemon closed the WebSocket: {frame:?}")),
            _ => Ok(Told::Other),
        }
    }

    /// Acknowledges all that has come.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn ack(&mut self) -> Result<()> {
        self.acked = self.next;
        self.tell(&ClientFrame::Ack { seq: self.next })
    }

    /// Collects output until it ends with a marker. A resync in between is a fault: then something
    /// was missed.
    ///
    /// # Errors
    /// As [`Self::hear`], and when there was a resync.
    pub fn collect(&mut self, into: &mut Vec<u8>, marker: &[u8]) -> Result<Instant> {
        loop {
            match self.hear()? {
                Told::Output(data) => {
                    into.extend_from_slice(&data);
                    if into.ends_with(marker) {
                        return Ok(Instant::now());
                    }
                }
                Told::Resync(reason) => {
                    return fault(format!("output was skipped: resync, {reason}"));
                }
                Told::Snapshot { .. } | Told::Resumed | Told::Other => {}
            }
        }
    }

    /// Takes what comes for a while.
    ///
    /// # Errors
    /// As [`Self::hear`].
    pub fn hear_for(&mut self, time: Duration) -> Result<()> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            self.hear()?;
        }
        Ok(())
    }

    /// Reads what the daemon had still sent before it went, connects to the new one, and asks for
    /// the next byte. Output has to go on from there, or from a new drawing.
    ///
    /// # Errors
    /// When it does neither.
    pub fn come_back(mut self, daemon: &Daemon, id: &str) -> Result<Back> {
        while self.hear().is_ok() {}
        let next = self.next;
        let mut viewer = Self::connect(daemon, id)?;
        (viewer.next, viewer.acked) = (next, next);
        let (cols, rows) = (120, 40);
        viewer.tell(&ClientFrame::Attach {
            from: Some(next),
            cols,
            rows,
            scrollback: Some(100),
            read_only: false,
        })?;
        let mut back = None;
        loop {
            match (viewer.hear()?, back) {
                (Told::Resumed, None) => back = Some(Back::Resumed),
                (Told::Snapshot { .. }, None) => back = Some(Back::Drawn),
                (Told::Output(_), Some(back)) => return Ok(back),
                _ => {}
            }
        }
    }

    fn output(&mut self, frame: &Bytes) -> Result<Told> {
        let Some((seq, _)) = frame.split_first_chunk::<8>() else {
            return fault("a binary frame without a number");
        };
        let data = frame.slice(8..);
        let seq = u64::from_be_bytes(*seq);
        if seq != self.next {
            return fault(format!("a gap: {} was to come, {seq} came", self.next));
        }
        self.next = seq + data.len() as u64;
        if self.next - self.acked >= ACK_EVERY {
            self.ack()?;
        }
        Ok(Told::Output(data))
    }

    fn read(&mut self, text: &str) -> Result<Told> {
        Ok(match serde_json::from_str(text)? {
            ServerFrame::Snapshot { seq, cols, rows, data } => {
                self.next = seq;
                self.acked = seq;
                let data = base64::engine::general_purpose::STANDARD.decode(data)?;
                Told::Snapshot { data, size: (cols, rows) }
            }
            ServerFrame::Resume { seq, .. } => {
                if seq != self.next {
                    return fault(format!("resumed at {seq} instead of {}", self.next));
                }
                Told::Resumed
            }
            ServerFrame::Resync { reason } => Told::Resync(reason),
            ServerFrame::Error { code, message } => return fault(format!("{code}: {message}")),
            _ => Told::Other,
        })
    }

    fn tell(&mut self, frame: &ClientFrame) -> Result<()> {
        Ok(self.socket.send(Message::text(serde_json::to_string(frame)?))?)
    }
}
