//! The tape of a session whose program runs: all that its terminal would be made of again, on
//! disk before anybody is told of it. When the daemon is killed, the next one plays it.
//!
//! It begins with the screen and the last output as they were, and goes on with each piece of
//! output and each new size. When that has become long, a new one begins. Nothing is synced: what
//! was written outlives the process, and with the machine the program is gone too.

mod format;
mod play;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use qd_core::Size;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use self::format::{FIRST, Kind, Record, write_head};
pub(super) use self::play::{Played, load};
use super::terminal::{RING_BYTES, Terminal};
use crate::panes::Left;

/// How soon one that could not be written is tried again.
const AGAIN: Duration = Duration::from_secs(60);
/// Bytes of records after which a new one begins, as a multiple of the drawing that it begins
/// with: a drawing of a long history takes its time.
const LENGTHS: u64 = 4;

/// The tape of one session. Not `Clone`: the session's owner holds it.
#[derive(Debug)]
pub(super) struct Tape {
    folder: PathBuf,
    /// The run of the program that it is of.
    run: Option<u64>,
    /// The spool that was taken in last, or is being: a new tape knows of it, too.
    spool: Option<SpoolMark>,
    reel: Option<Reel>,
    /// When to begin one, after one could not be written.
    again: Option<Instant>,
    /// That it could not be written has been said.
    said: bool,
}

/// A file that is written.
#[derive(Debug)]
pub(super) struct Reel {
    file: File,
    /// Its length, in bytes.
    end: u64,
    /// The length with which a new one begins.
    most: u64,
}

/// What a tape begins with; the drawing and then the last output follow it.
#[derive(Debug, Deserialize, Serialize)]
struct Base {
    cols: u16,
    rows: u16,
    /// The number of the first byte of the last output.
    start: u64,
    /// The number below which nobody is resumed.
    redrawn: Option<u64>,
    run: Option<u64>,
    /// How far a spool was taken in.
    spool: Option<SpoolMark>,
    /// Bytes of the drawing.
    drawing: usize,
}

/// A spool, and from where in it on comes what follows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct SpoolMark {
    id: String,
    from: u64,
}

impl Tape {
    /// No tape yet; it will be in this folder.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, run: None, spool: None, reel: None, again: None, said: false }
    }

    /// Whether there is one that is written.
    pub(super) fn is_there(&self) -> bool {
        self.reel.is_some()
    }

    /// Goes on with one that was played.
    pub(super) fn go_on(&mut self, reel: Reel, run: Option<u64>, left: &Left) {
        self.run = run;
        self.spool = left.spool.clone().map(|(id, from)| SpoolMark { id, from });
        self.reel = Some(reel);
    }

    /// Begins anew with what the terminal is now.
    pub(super) fn begin(&mut self, terminal: &Terminal, run: Option<u64>) {
        self.run = run;
        self.again = None;
        match write_new(&self.folder, terminal, run, self.spool.clone()) {
            Ok(reel) => {
                self.reel = Some(reel);
                self.said = false;
            }
            Err(error) => self.failed(&error),
        }
    }

    /// The program printed; to be [settled](Self::settle) once that is out of its stream.
    pub(super) fn output(&mut self, seq: u64, data: &[u8]) {
        self.write(Kind::Output, seq, data);
    }

    /// All that was written is as it says.
    pub(super) fn settle(&mut self) {
        let Some(reel) = &self.reel else { return };
        if let Err(error) = write_head(&reel.file, reel.end) {
            self.failed(&error);
        }
    }

    /// The next that is printed is from this spool, from there in it on.
    pub(super) fn spool(&mut self, seq: u64, id: &str, from: u64) {
        // A number and a string: this cannot fail.
        let mark = SpoolMark { id: id.to_owned(), from };
        self.write(Kind::Spool, seq, &serde_json::to_vec(&mark).unwrap_or_default());
        self.settle();
        self.spool = Some(mark);
    }

    /// It was printed while no daemon was there.
    pub(super) fn printed(&mut self, seq: u64, data: &[u8]) {
        self.write(Kind::Printed, seq, data);
        self.settle();
        if let Some(spool) = &mut self.spool {
            spool.from += data.len() as u64;
        }
    }

    /// The terminal gets this size.
    pub(super) fn resized(&mut self, seq: u64, size: Size) {
        let [a, b] = size.cols.to_le_bytes();
        let [c, d] = size.rows.to_le_bytes();
        self.write(Kind::Resized, seq, &[a, b, c, d]);
        self.settle();
    }

    /// Begins anew when this one is long, or when it is time to try again.
    pub(super) fn turn(&mut self, terminal: &Terminal, now: Instant) {
        let long = self.reel.as_ref().is_some_and(|reel| reel.end >= reel.most);
        if long || self.again.is_some_and(|at| at <= now) {
            self.begin(terminal, self.run);
        }
    }

    /// It is not needed any more, or does not tell the truth.
    pub(super) fn drop_it(&mut self) {
        self.again = None;
        self.spool = None;
        let cut = self.reel.take().is_some_and(|reel| reel.file.set_len(0).is_ok());
        if let Err(error) = std::fs::remove_file(file(&self.folder))
            && error.kind() != io::ErrorKind::NotFound
            && !cut
        {
            tracing::error!(folder = %self.folder.display(), %error, "a tape stays that is not true");
        }
    }

    fn write(&mut self, kind: Kind, seq: u64, data: &[u8]) {
        let Some(reel) = &mut self.reel else { return };
        match (Record { kind, seq, data }).write(&mut reel.file) {
            Ok(bytes) => reel.end += bytes,
            Err(error) => self.failed(&error),
        }
    }

    /// Without a tape the session goes on: after a crash its viewers get a fresh screen.
    fn failed(&mut self, error: &io::Error) {
        if !self.said {
            let folder = self.folder.display();
            tracing::warn!(%folder, %error, "the tape of a session cannot be written");
            self.said = true;
        }
        self.drop_it();
        self.again = Some(Instant::now() + AGAIN);
    }
}

impl Reel {
    fn new(mut file: File, end: u64, base: u64, drawing: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(end))?;
        let most = FIRST + base + (drawing * LENGTHS).max(RING_BYTES as u64);
        Ok(Self { file, end, most })
    }
}

/// Writes a tape that holds what the terminal is, whole or not at all.
fn write_new(
    folder: &Path,
    terminal: &Terminal,
    run: Option<u64>,
    spool: Option<SpoolMark>,
) -> io::Result<Reel> {
    let (ring, size) = (terminal.ring(), terminal.size());
    let drawing = terminal.screen().snapshot(usize::MAX);
    let base = Base {
        cols: size.cols,
        rows: size.rows,
        start: ring.start(),
        redrawn: terminal.redrawn(),
        run,
        spool,
        drawing: drawing.len(),
    };
    let mut data = serde_json::to_vec(&base)?;
    data.push(b'\n');
    data.extend_from_slice(&drawing);
    if let Ok((first, second)) = ring.read(ring.start(), usize::MAX) {
        data.extend_from_slice(first);
        data.extend_from_slice(second);
    }
    crate::home::make_folder(folder)?;
    let half = folder.join("tape.half");
    let written = (|| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true).mode(0o600);
        let mut new = options.open(&half)?;
        new.seek(SeekFrom::Start(FIRST))?;
        let record = Record { kind: Kind::Base, seq: ring.end(), data: &data };
        let end = FIRST + record.write(&mut new)?;
        write_head(&new, end)?;
        std::fs::rename(&half, file(folder))?;
        Reel::new(new, end, data.len() as u64, drawing.len() as u64)
    })();
    if written.is_err() {
        drop(std::fs::remove_file(&half));
    }
    written
}

fn file(folder: &Path) -> PathBuf {
    folder.join("tape")
}
