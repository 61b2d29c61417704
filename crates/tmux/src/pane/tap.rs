//! The stream of a pane, both ways.

use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;

use bytes::Bytes;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use sha2::{Digest as _, Sha256};
use tokio::io::Interest;
use tokio::net::unix::pipe;
use tokio::sync::watch;

/// Most bytes that are given at once.
const CHUNK: usize = 64 << 10;

/// Both directions. They may go to different tasks of the one owner.
#[derive(Debug)]
pub struct Tap {
    /// What the pane prints.
    pub reader: TapReader,
    /// What it is to read.
    pub writer: TapWriter,
}

/// What a pane prints, exactly. It is looked at with [`TapReader::read`] and stays in the stream
/// until [`TapReader::taken`]: should this process be killed in between, the init finds it there.
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
        let reader = TapReader { socket: pipe::Receiver::from_owned_fd_unchecked(fd)?, mark };
        Ok(Self { reader, writer })
    }
}

impl TapReader {
    /// Waits for what comes next. Cancel-safe. Bytes are given again and again
    /// until they are [taken](Self::taken). Read always: tmux keeps without
    /// bound what a slow reader leaves.
    pub async fn read(&mut self) -> TapRead {
        loop {
            let Ok(ready) = self.socket.ready(Interest::READABLE).await else {
                return TapRead::Closed;
            };
            let mut seen = None;
            let looked = self.socket.try_io(|| {
                let mark = self.mark.borrow();
                let look = look(&self.socket, mark.as_ref(), ready.is_read_closed());
                // With all seen, what is more will be told; that waits for a refusal.
                let is_all = look.is_all;
                seen = Some(look);
                if is_all { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
            });
            drop(looked);
            let Some(look) = seen else { continue };
            if look.mark > 0 {
                self.taken(look.mark);
            }
            if let Some(read) = look.read {
                return read;
            }
        }
    }

    /// Takes so many of the bytes that were given last out of the stream, at once. They are to be
    /// safe by now: nobody else is given them.
    pub fn taken(&mut self, mut bytes: usize) {
        let mut room = [MaybeUninit::uninit(); CHUNK];
        while bytes > 0 {
            let room = &mut room[..bytes.min(CHUNK)];
            match receive(&self.socket, room, RecvFlags::empty()) {
                Err(Errno::INTR) => {}
                Ok([]) | Err(_) => return,
                Ok(taken) => bytes -= taken.len(),
            }
        }
    }

    /// What waits in the stream now, up to the most that is given at once.
    #[must_use]
    pub fn waiting(&self) -> Bytes {
        let mut room = [MaybeUninit::uninit(); CHUNK];
        receive(&self.socket, &mut room, RecvFlags::PEEK)
            .map_or_else(|_| Bytes::new(), Bytes::copy_from_slice)
    }
}

/// One look at the stream.
struct Look {
    /// What is to be told, if anything is.
    read: Option<TapRead>,
    /// Bytes of the mark, at the front of the stream.
    mark: usize,
    /// There is no more than was seen: that there is will be told.
    is_all: bool,
}

/// Looks at the front of the stream; `over`: nothing more will come.
fn look(socket: &pipe::Receiver, mark: Option<&Mark>, over: bool) -> Look {
    let tell = |read, is_all| Look { read, mark: 0, is_all };
    let mut room = [MaybeUninit::uninit(); CHUNK];
    let seen = match receive(socket, &mut room, RecvFlags::PEEK) {
        Ok([]) => return tell(Some(TapRead::Closed), false),
        Ok(seen) => seen,
        Err(Errno::AGAIN) => return tell(None, true),
        Err(Errno::INTR) => return tell(None, false),
        Err(_) => return tell(Some(TapRead::Closed), false),
    };
    let is_all = seen.len() < CHUNK;
    let give = |bytes, is_all| tell(Some(TapRead::Bytes(Bytes::copy_from_slice(bytes))), is_all);
    let Some(mark) = mark else { return give(seen, is_all) };
    match mark.find(seen) {
        Some(0) => Look { read: Some(TapRead::Drained), mark: mark.0.len(), is_all: false },
        Some(at) => give(&seen[..at], false),
        None if over => give(seen, is_all),
        // What may be its beginning waits for the rest.
        None => match seen.len() - mark.begun(seen) {
            0 => tell(None, true),
            most => give(&seen[..most], is_all && most == seen.len()),
        },
    }
}

fn receive<'r>(
    socket: &pipe::Receiver,
    room: &'r mut [MaybeUninit<u8>],
    flags: RecvFlags,
) -> Result<&'r [u8], Errno> {
    let ((received, _), _) = rustix::net::recv(socket, room, flags | RecvFlags::DONTWAIT)?;
    Ok(received)
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
                    Ok(TapRead::Bytes(b)) => {
                        reader.taken(b.len());
                        got.extend_from_slice(&b);
                    }
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

    #[tokio::test]
    async fn what_was_not_taken_is_there_for_who_comes_next() {
        use std::io::{Read as _, Write as _};
        let (mut far, near) = StdStream::pair().unwrap();
        let mut next = near.try_clone().unwrap();
        let mut reader = Tap::new(near.into(), watch::channel(None).1).unwrap().reader;
        far.write_all(b"one two").unwrap();
        assert_eq!(reader.read().await, TapRead::Bytes(Bytes::from_static(b"one two")));
        reader.taken(3);
        assert_eq!(reader.waiting(), &b" two"[..]);
        far.write_all(b" three").unwrap();
        assert_eq!(reader.read().await, TapRead::Bytes(Bytes::from_static(b" two three")));
        reader.taken(4);
        drop(reader);
        drop(far);
        let mut rest = String::new();
        next.set_nonblocking(false).unwrap();
        next.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, " three");
    }

    #[tokio::test]
    async fn a_flood_comes_whole_and_its_end_is_told() {
        use std::io::Write as _;
        let (mut far, _sender, mut reader) = tap();
        let all: Vec<u8> = (0..3_000_000_u32).map(|n| (n / 7) as u8).collect();
        let sent = all.clone();
        let writer = std::thread::spawn(move || {
            for part in sent.chunks(4099) {
                far.write_all(part).unwrap();
            }
        });
        let mut got = Vec::new();
        while let TapRead::Bytes(bytes) = reader.read().await {
            got.extend_from_slice(&bytes);
            reader.taken(bytes.len());
        }
        writer.join().unwrap();
        assert!(got == all, "{} of {} bytes", got.len(), all.len());
    }
}
