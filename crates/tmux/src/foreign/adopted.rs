//! A foreign pane whose stream is in our hands.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Foreign, ForeignPane, Look, device};
use crate::pane::{InputGate, Tap, TapRead};
use crate::wire::Exit;
use crate::{Error, Result};

/// How often the terminal is looked at while nothing happens.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often at most because it printed: a window that is resized has its program draw.
const LOOK_LEAST: Duration = Duration::from_millis(100);
/// How soon a terminal that does not read is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// How often it is asked whether the server has seen that a stream was let go of.
const SEEN_TRIES: u32 = 20;
/// For how long it is believed that its server does not keep dead panes.
const BELIEVED: Duration = Duration::from_secs(1);
/// Most bytes that are typed by one `send-keys`; tmux takes 16 KiB of words.
const KEYS: usize = 2000;
/// For how long nothing comes from a pane that has ended before nothing more does.
const QUIET: Duration = Duration::from_millis(200);

/// What happens in the pane.
#[derive(Debug)]
pub enum AdoptedEvent {
    /// It printed. Told again and again until it is [taken](Adopted::taken).
    Output(Bytes),
    /// So many of the bytes offered were taken; or it takes none any more.
    Wrote(io::Result<usize>),
    /// The terminal was looked at: so many bytes of input wait for the program to read them.
    Looked(Option<u64>),
    /// It has another size: take it again, with what it shows now.
    Resized,
    /// Its stream was cut, and it lives: somebody else piped it.
    Cut,
    /// It has ended; how its program did, where tmux says.
    Ended(Option<Exit>),
    /// Its stream was cut, and it cannot be asked for.
    Lost(Error),
}

/// A pane of another server, and its stream. Not `Clone`. Dropping it lets go of the pane, which
/// goes on as if nobody had been there.
#[derive(Debug)]
pub struct Adopted {
    /// Which pane.
    pub pane: ForeignPane,
    foreign: Foreign,
    tap: Option<Tap>,
    gate: InputGate,
    /// The terminal's device; none when it is out of reach.
    device: Option<PathBuf>,
    /// The pane's size by its server, and the device's when that was asked.
    size: (u16, u16),
    seen: Option<(u16, u16)>,
    looked: Instant,
    /// The device is not as it was when the server was last asked.
    doubts: bool,
    /// Whether dead panes are kept there, and when that was seen.
    stays: bool,
    stays_at: Instant,
    /// It has ended, and this is how; and when what it printed last has come.
    over: Option<(Option<Exit>, Instant)>,
    /// A question or keys on their way; one at a time, so that keys keep their order.
    job: JoinSet<Job>,
}

#[derive(Debug)]
enum Job {
    Looked(Result<Look>),
    Typed(usize, Result<()>),
}

/// How input gets there.
enum Way {
    Tap,
    Keys,
    /// It is not known yet.
    Ask,
    /// It has ended.
    None,
}

impl Adopted {
    pub(super) fn new(
        foreign: Foreign,
        pane: ForeignPane,
        tap: Tap,
        device: PathBuf,
        size: (u16, u16),
        stays: bool,
    ) -> Self {
        let seen = device::size(&device);
        let now = Instant::now();
        Self {
            pane,
            foreign,
            tap: Some(tap),
            gate: InputGate::new(),
            device: seen.is_some().then_some(device),
            size,
            seen,
            looked: now,
            doubts: false,
            stays,
            stays_at: now,
            over: None,
            job: JoinSet::new(),
        }
    }

    /// Lets go of it, and waits a moment for its server to have seen that.
    pub async fn let_go(self) {
        let Self { pane, foreign, tap, job, .. } = self;
        drop((tap, job));
        for _ in 0..SEEN_TRIES {
            match foreign.look(&pane).await {
                Ok(Look::Here { piped: true, .. }) => tokio::time::sleep(LOOK_AGAIN).await,
                _ => return,
            }
        }
    }

    /// How many bytes of input it may be given now.
    #[must_use]
    pub fn allowance(&self) -> usize {
        self.gate.allowance()
    }

    /// Takes so many of the bytes that were given last out of the stream. They are given again
    /// and again until then.
    pub fn taken(&mut self, bytes: usize) {
        if let Some(tap) = &mut self.tap {
            tap.reader.taken(bytes);
        }
    }

    /// Waits for what happens next. `input` is written when there is room for it; with `looks`
    /// the terminal is looked at in a moment, because it was full. Cancel-safe.
    pub async fn next(&mut self, input: Option<&[u8]>, looks: bool) -> AdoptedEvent {
        let input = input.filter(|bytes| !bytes.is_empty());
        loop {
            let mut room = false;
            if self.looked.elapsed() >= LOOK_EVERY {
                self.look_at_device();
            }
            if self.doubts && self.job.is_empty() {
                self.ask();
            }
            if let Some(bytes) = input.filter(|_| self.job.is_empty() && self.tap.is_some()) {
                match self.way() {
                    Way::Tap => match self.write(bytes) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => room = true,
                        wrote => return AdoptedEvent::Wrote(wrote),
                    },
                    Way::Keys => self.type_keys(bytes),
                    Way::Ask => self.ask(),
                    Way::None => {}
                }
            }
            let look_at = self.looked + LOOK_EVERY;
            let over_at = self.over.map(|(_, at)| at);
            let Some(tap) = &mut self.tap else {
                if self.job.is_empty() {
                    self.ask();
                }
                match self.job.join_next().await {
                    Some(Ok(Job::Looked(look))) => return without_stream(look),
                    Some(Ok(Job::Typed(bytes, typed))) => return wrote(bytes, typed),
                    _ => continue,
                }
            };
            tokio::select! {
                read = tap.reader.read() => match read {
                    TapRead::Bytes(bytes) => {
                        if let Some((_, at)) = &mut self.over {
                            *at = Instant::now() + QUIET;
                        }
                        if self.looked.elapsed() >= LOOK_LEAST {
                            self.look_at_device();
                        }
                        return AdoptedEvent::Output(bytes);
                    }
                    TapRead::Drained => {}
                    TapRead::Closed => self.tap = None,
                },
                Some(done) = self.job.join_next() => match done {
                    Ok(Job::Looked(Err(error))) if input.is_some() => {
                        return AdoptedEvent::Wrote(Err(io::Error::other(error)));
                    }
                    Ok(Job::Looked(look)) => {
                        if self.heard(look) {
                            return AdoptedEvent::Resized;
                        }
                    }
                    Ok(Job::Typed(bytes, typed)) => {
                        if typed.is_ok() {
                            self.gate.wrote(bytes);
                        }
                        return wrote(bytes, typed);
                    }
                    Err(_) => {}
                },
                _ = tap.writer.room(), if room => {}
                () = tokio::time::sleep(LOOK_AGAIN), if looks => {
                    let unread = self.device.as_deref().and_then(device::unread);
                    // Where it cannot be seen, it is taken to read.
                    self.gate.observed(unread.unwrap_or(0));
                    return AdoptedEvent::Looked(Some(unread.unwrap_or(0)));
                }
                () = tokio::time::sleep_until(over_at.unwrap_or(look_at)) => {
                    if let Some((exit, _)) = self.over {
                        return AdoptedEvent::Ended(exit);
                    }
                    self.look_at_device();
                }
            }
        }
    }

    /// A byte in the tap of a dead pane that is kept ends the whole server.
    fn way(&self) -> Way {
        if self.over.is_some() {
            return Way::None;
        }
        let Some(device) = &self.device else { return Way::Keys };
        if self.stays {
            Way::Keys
        } else if self.stays_at.elapsed() < BELIEVED && device::size(device).is_some() {
            Way::Tap
        } else {
            Way::Ask
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tap) = &self.tap else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let written = tap.writer.try_write(bytes)?;
        self.gate.wrote(written);
        Ok(written)
    }

    /// Has the server type; bytes as they are, whatever they mean as keys.
    fn type_keys(&mut self, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(KEYS)];
        let mut words: Vec<String> =
            ["send-keys", "-H", "-t"].iter().map(ToString::to_string).collect();
        words.push(self.pane.pane.to_string());
        words.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
        let (foreign, socket, count) =
            (self.foreign.clone(), self.pane.socket.clone(), bytes.len());
        self.job.spawn(async move {
            let typed = match foreign.ask(&socket, words).await {
                Ok((_, None)) => Ok(()),
                Ok((_, Some(message))) => {
                    Err(Error::Refused { command: "send-keys".into(), message })
                }
                Err(error) => Err(error),
            };
            Job::Typed(count, typed)
        });
    }

    fn ask(&mut self) {
        self.doubts = false;
        let (foreign, pane) = (self.foreign.clone(), self.pane.clone());
        self.job.spawn(async move { Job::Looked(foreign.look(&pane).await) });
    }

    /// Has the server asked when the device is not as it was when it last was.
    fn look_at_device(&mut self) {
        self.looked = Instant::now();
        if self.over.is_some() {
            return;
        }
        let now = self.device.as_deref().and_then(device::size);
        self.doubts = now.is_none() || now != self.seen;
    }

    /// What the server says of a pane whose stream is ours; whether it has another size.
    fn heard(&mut self, look: Result<Look>) -> bool {
        self.looked = Instant::now();
        match look {
            Ok(Look::Here { size, stays, .. }) => {
                (self.stays, self.stays_at) = (stays, Instant::now());
                self.seen = self.device.as_deref().and_then(device::size);
                if self.seen.is_none() {
                    // It lives where its device cannot be seen.
                    self.device = None;
                }
                return size != self.size;
            }
            // Its last words may be under way.
            Ok(Look::Dead(exit)) => self.over = Some((Some(exit), Instant::now() + QUIET)),
            Ok(Look::Gone) => self.over = Some((None, Instant::now() + QUIET)),
            // Its stream tells when it is over.
            Err(_) => {}
        }
        false
    }
}

/// What became of a pane whose stream is over.
fn without_stream(look: Result<Look>) -> AdoptedEvent {
    match look {
        Ok(Look::Here { .. }) => AdoptedEvent::Cut,
        Ok(Look::Dead(exit)) => AdoptedEvent::Ended(Some(exit)),
        Ok(Look::Gone) => AdoptedEvent::Ended(None),
        Err(error) => AdoptedEvent::Lost(error),
    }
}

fn wrote(bytes: usize, typed: Result<()>) -> AdoptedEvent {
    AdoptedEvent::Wrote(typed.map(|()| bytes).map_err(io::Error::other))
}
