//! The bytes of a tape: a head that says how long it is known to be, and records, each with a sum.
//!
//! A record is written whole and the head after it. So what lies beyond the head's length is one
//! record at most, cut short or not; anything else is no tape of ours.

use std::fs::File;
use std::io::{self, BufReader, IoSlice, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;

const MAGIC: [u8; 8] = *b"qd-tape1";
/// Where the first record is.
pub(super) const FIRST: u64 = 24;
/// Bytes of a record before its data.
const RECORD: usize = 24;
/// More than any record has.
const MOST: u32 = 64 << 20;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the tape begins with.
    Base = 1,
    /// From the stream.
    Output = 2,
    /// From a spool.
    Printed = 3,
    /// A spool begins.
    Spool = 4,
    /// A size, columns and rows.
    Resized = 5,
}

/// One record, to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'d> {
    pub(super) kind: Kind,
    /// The number of the next byte before it.
    pub(super) seq: u64,
    pub(super) data: &'d [u8],
}

/// One record that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) kind: Kind,
    pub(super) seq: u64,
    pub(super) data: Vec<u8>,
    /// The head does not speak of it yet.
    pub(super) unsettled: bool,
}

/// A tape that is read.
pub(super) struct Reader {
    file: BufReader<File>,
    /// The length of the file, that which the head tells, and how far it was read.
    length: u64,
    told: u64,
    at: u64,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        let all = [Self::Base, Self::Output, Self::Printed, Self::Spool, Self::Resized];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

impl Record<'_> {
    /// Writes it where the file stands; gives its length in bytes.
    pub(super) fn write(self, file: &mut File) -> io::Result<u64> {
        let length = u32::try_from(self.data.len()).ok().filter(|length| *length <= MOST);
        let length = length.ok_or(io::ErrorKind::InvalidInput)?;
        let mut before = [0; RECORD];
        before[0] = self.kind as u8;
        before[4..8].copy_from_slice(&length.to_le_bytes());
        before[8..16].copy_from_slice(&self.seq.to_le_bytes());
        let sum = sum([&before[..16], self.data]);
        before[16..].copy_from_slice(&sum.to_le_bytes());
        let all = RECORD + self.data.len();
        let written = file.write_vectored(&[IoSlice::new(&before), IoSlice::new(self.data)])?;
        if written < all {
            // A disk without room says so at the rest.
            file.write_all(before.get(written..).unwrap_or_default())?;
            file.write_all(&self.data[written.saturating_sub(RECORD)..])?;
        }
        Ok(all as u64)
    }
}

/// Writes down how long the tape is.
pub(super) fn write_head(file: &File, end: u64) -> io::Result<()> {
    let mut head = [0; FIRST as usize];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&end.to_le_bytes());
    let sum = sum([&head[..16], &[]]);
    head[16..].copy_from_slice(&sum.to_le_bytes());
    file.write_all_at(&head, 0)
}

impl Reader {
    /// # Errors
    /// As the system says; when it is no tape, or shorter than its head says.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut file = BufReader::with_capacity(128 << 10, file);
        let mut head = [0; FIRST as usize];
        file.read_exact(&mut head)?;
        let told = number(&head[8..16]);
        if head[..8] != MAGIC || number(&head[16..]) != sum([&head[..16], &[]]) || told > length {
            return Err(bad("its head is not right"));
        }
        Ok(Self { file, length, told, at: FIRST })
    }

    /// The next record; none at the end.
    ///
    /// # Errors
    /// When it is not what was written.
    pub(super) fn next(&mut self) -> io::Result<Option<Read>> {
        let unsettled = self.at == self.told;
        if self.at > self.told {
            // What was read last was the one beyond.
            return if self.at == self.length { Ok(None) } else { Err(bad("more than was told")) };
        }
        let left = self.length - self.at;
        let cut = || if unsettled { Ok(None) } else { Err(bad("it ends in a record")) };
        if left < RECORD as u64 {
            return cut();
        }
        let mut before = [0; RECORD];
        self.file.read_exact(&mut before)?;
        let length = u32::from_le_bytes([before[4], before[5], before[6], before[7]]);
        if left - (RECORD as u64) < u64::from(length) {
            return cut();
        }
        let kind = Kind::of(before[0]).filter(|_| length <= MOST);
        let kind = kind.ok_or_else(|| bad("a record of no kind"))?;
        let mut data = vec![0; length as usize];
        self.file.read_exact(&mut data)?;
        if number(&before[16..]) != sum([&before[..16], &data]) {
            return Err(bad("a record is damaged"));
        }
        self.at += RECORD as u64 + u64::from(length);
        if self.at > self.told && !unsettled {
            return Err(bad("its head is not at the end of a record"));
        }
        Ok(Some(Read { kind, seq: number(&before[8..16]), data, unsettled }))
    }

    /// The file, cut to what was read of it, and its length.
    pub(super) fn finish(self) -> io::Result<(File, u64)> {
        let file = self.file.into_inner();
        file.set_len(self.at)?;
        Ok((file, self.at))
    }
}

pub(super) fn bad(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// Tells bytes from others that came about by accident.
fn sum(parts: [&[u8]; 2]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = FACTOR;
    let mut add = |word: u64| sum = (sum.rotate_left(29) ^ word).wrapping_mul(FACTOR);
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        for word in words {
            add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        add(u64::from_le_bytes(last));
        add(part.len() as u64);
    }
    sum ^ (sum >> 32)
}
