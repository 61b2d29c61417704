//! The stream of a pane, both ways.

use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::SendFlags;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::watch;

/// Most bytes that are given at once.
const CHUNK: usize = 64 << 10;
/// Least room for a read. What was given shares its block of memory with what comes next, so
/// that many small outputs do not hold a block each.
const ROOM: usize = 16 << 10;
/// A read of so many bytes may well have left more behind: tmux writes a few KiB at a time.
const BURST: usize = 2 << 10;

/// Both directions. They may go to different tasks of the one owner.
#[derive(Debug)]
pub struct Tap {
    /// What the pane prints.
    pub reader: TapReader,
    /// What it is to read.
    pub writer: TapWriter,
}

/// What a pane prints, exactly. Who reads it has it: a byte is given once, to one.
///
/// ```compile_fail,E0599
/// fn two(reader: qd_tmux::pane::TapReader) -> [qd_tmux::pane::TapReader; 2] {
///     [reader.clone(), reader]
/// }
/// ```
/// ```
/// fn one(reader: qd_tmux::pane::TapReader) -> [qd_tmux::pane::TapReader; 1] {
///     [reader]
/// }
/// ```
#[derive(Debug)]
pub struct TapReader {
    // The receiving half of a pipe takes any descriptor, and watches it for reading only. Watched
    // for writing too, each key that tmux takes would wake the daemon to say that there is room.
    socket: pipe::Receiver,
    /// The mark, once the program has ended and not before: until then nothing
    /// is searched or held back.
    mark: watch::Receiver<Option<Mark>>,
    buffer: BytesMut,
    found: bool,
    closed: bool,
}

/// What a pane is to read, as if typed: past copy mode, key tables and quoting.
#[derive(Debug, Clone)]
pub struct TapWriter {
    socket: Arc<OwnedFd>,
}

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TapRead {
    /// Bytes, never empty.
    Bytes(Bytes),
    /// Everything that the program printed before its end has been given. What
    /// its children still print may follow.
    Drained,
    /// The stream is over: the pane is gone, or somebody else piped it. With a
    /// living pane: tap again.
    Closed,
}

/// The text that the init prints after the end of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark(Vec<u8>);

impl Mark {
    /// The same for the whole life of a pane, so that one that an earlier daemon
    /// asked for is known as well.
    pub(crate) fn of(nonce: &str) -> Self {
        let digest = Sha256::digest(format!("end of output {nonce}").as_bytes());
        let mut text = b"\x1b]7507;".to_vec();
        for byte in digest.iter().take(12) {
            text.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
        text.extend_from_slice(b"\x1b\\");
        Self(text)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    fn find(&self, bytes: &[u8]) -> Option<usize> {
        bytes.windows(self.0.len()).position(|w| w == self.0)
    }

    /// How many bytes at the end may be the beginning of a mark.
    fn begun(&self, bytes: &[u8]) -> usize {
        let most = bytes.len().min(self.0.len() - 1);
        (1..=most).rev().find(|n| bytes.ends_with(&self.0[..*n])).unwrap_or(0)
    }

    /// Takes every mark out.
    pub(crate) fn strip(&self, bytes: &mut Vec<u8>) {
        while let Some(at) = self.find(bytes) {
            bytes.drain(at..at + self.0.len());
        }
    }
}

impl Tap {
    pub(crate) fn new(fd: OwnedFd, mark: watch::Receiver<Option<Mark>>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&fd, true)?;
        // Nothing is shut down when one half is dropped: the init has a duplicate, and tmux would
        // close the pipe for that as well.
        let writer = TapWriter { socket: Arc::new(fd.try_clone()?) };
        let reader = TapReader {
            socket: pipe::Receiver::from_owned_fd_unchecked(fd)?,
            mark,
            buffer: BytesMut::new(),
            found: false,
            closed: false,
        };
        Ok(Self { reader, writer })
    }
}

impl TapReader {
    /// Waits for what comes next. Cancel-safe. Read always: tmux keeps without
    /// bound what a slow reader leaves.
    pub async fn read(&mut self) -> TapRead {
        loop {
            if let Some(ready) = self.ready() {
                return ready;
            }
            self.make_room();
            match self.socket.read_buf(&mut self.buffer).await {
                Ok(BURST..) => self.take_burst(),
                Ok(1..) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => self.closed = true,
            }
        }
    }

    /// Takes what is there by now, so that a flood comes in few pieces.
    fn take_burst(&mut self) {
        while self.buffer.len() < CHUNK {
            self.make_room();
            match self.socket.try_read_buf(&mut self.buffer) {
                Ok(1..) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
                Ok(0) | Err(_) => {
                    self.closed = true;
                    return;
                }
            }
        }
    }

    fn make_room(&mut self) {
        if self.buffer.capacity() - self.buffer.len() < ROOM {
            self.buffer.reserve(CHUNK);
        }
    }

    /// What can be given of what was read.
    fn ready(&mut self) -> Option<TapRead> {
        if self.found {
            self.found = false;
            return Some(TapRead::Drained);
        }
        let mark = self.mark.borrow().clone();
        let give = match mark {
            None => self.buffer.len(),
            Some(mark) => match mark.find(&self.buffer) {
                Some(at) => {
                    let before = self.buffer.split_to(at).freeze();
                    drop(self.buffer.split_to(mark.0.len()));
                    if before.is_empty() {
                        return Some(TapRead::Drained);
                    }
                    self.found = true;
                    return Some(TapRead::Bytes(before));
                }
                None if self.closed => self.buffer.len(),
                None => self.buffer.len() - mark.begun(&self.buffer),
            },
        };
        if give > 0 {
            return Some(TapRead::Bytes(self.buffer.split_to(give).freeze()));
        }
        self.closed.then_some(TapRead::Closed)
    }
}

impl TapWriter {
    /// Writes what is taken now; gives how many bytes. Cancel-safe. See
    /// [`super::InputGate`] for how much should be.
    ///
    /// # Errors
    /// When the pane is gone, or its stream was cut.
    pub async fn write(&self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            match self.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.room().await?,
                written => return written,
            }
        }
    }

    /// Writes what is taken at once; gives how many bytes. [`io::ErrorKind::WouldBlock`] when there
    /// is no room: see [`TapWriter::room`].
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            match rustix::net::send(&self.socket, bytes, flags) {
                Err(Errno::INTR) => {}
                sent => return Ok(sent?),
            }
        }
    }

    /// Waits for room: a duplicate is watched for as long as this lasts.
    pub(crate) async fn room(&self) -> io::Result<()> {
        let watched = pipe::Sender::from_owned_fd_unchecked(self.socket.try_clone()?)?;
        watched.writable().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::os::unix::net::UnixStream as StdStream;

    fn tap() -> (StdStream, watch::Sender<Option<Mark>>, TapReader) {
        let (far, near) = StdStream::pair().unwrap();
        let (mark, receiver) = watch::channel(None);
        (far, mark, Tap::new(near.into(), receiver).unwrap().reader)
    }

    #[tokio::test]
    async fn the_mark_is_taken_out_wherever_it_is_cut() {
        use std::io::Write as _;
        let mark = Mark::of("n");
        let whole = [b"tail\x1b", &mark.0[..], b"after"].concat();
        for cut in 0..=whole.len() {
            let (mut far, sender, mut reader) = tap();
            sender.send(Some(mark.clone())).unwrap();
            let mut got = Vec::new();
            far.write_all(&whole[..cut]).unwrap();
            let mut rest = Some(&whole[cut..]);
            let mut drained_at = None;
            loop {
                let wait = std::time::Duration::from_millis(if rest.is_some() { 1 } else { 5000 });
                match tokio::time::timeout(wait, reader.read()).await {
                    Err(_) => {
                        far.write_all(rest.take().unwrap()).unwrap();
                        far.shutdown(std::net::Shutdown::Write).unwrap();
                    }
                    Ok(TapRead::Bytes(b)) => got.extend_from_slice(&b),
                    Ok(TapRead::Drained) => drained_at = Some(got.len()),
                    Ok(TapRead::Closed) => break,
                }
            }
            assert_eq!((got, drained_at), (b"tail\x1bafter".to_vec(), Some(5)), "cut at {cut}");
        }
    }

    #[tokio::test]
    async fn nothing_is_held_back_while_the_program_lives() {
        use std::io::Write as _;
        let (mut far, _sender, mut reader) = tap();
        let text = &Mark::of("n").0[..5];
        far.write_all(text).unwrap();
        assert_eq!(reader.read().await, TapRead::Bytes(Bytes::copy_from_slice(text)));
    }
}
