//! Playing a tape: the terminal as it was when the last word was written.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use bytes::Bytes;
use qd_core::Size;

use super::format::{Kind, Read, Reader, bad};
use super::{Base, Reel, SpoolMark, file};
use crate::panes::Left;
use crate::session::terminal::{Terminal, drawn};

/// What a tape held.
#[derive(Debug)]
pub(in crate::session) struct Played {
    pub(in crate::session) terminal: Terminal,
    /// The run of the program that it is of.
    pub(in crate::session) run: Option<u64>,
    /// Where the stream of the pane stood.
    pub(in crate::session) left: Left,
    /// To go on with it.
    pub(in crate::session) reel: Reel,
}

/// Plays the tape in a folder; none when there is none, or it is not what was written. Takes its
/// time.
pub(in crate::session) fn load(folder: &Path) -> Option<Played> {
    match play(folder) {
        Ok(played) => Some(played),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "a tape cannot be used");
            None
        }
    }
}

fn play(folder: &Path) -> io::Result<Played> {
    let mut reader = Reader::new(OpenOptions::new().read(true).write(true).open(file(folder))?)?;
    let first = reader.next()?.filter(|read| read.kind == Kind::Base && !read.unsettled);
    let first = first.ok_or_else(|| bad("it does not begin with a screen"))?;
    let (base, mut terminal) = set_up(&first)?;
    let spool = base.spool.clone().map(|mark| (mark.id, mark.from));
    let mut left = Left { spool, ..Left::default() };
    while let Some(read) = reader.next()? {
        if read.seq != terminal.ring().end() {
            return Err(bad("a record is not the next"));
        }
        apply(read, &mut terminal, &mut left)?;
    }
    // What the program asked for then was heard then.
    drop(terminal.screen_mut().take_events());
    let (file, end) = reader.finish()?;
    let reel = Reel::new(file, end, first.data.len() as u64, base.drawing as u64)?;
    Ok(Played { terminal, run: base.run, left, reel })
}

fn set_up(first: &Read) -> io::Result<(Base, Terminal)> {
    let line = first.data.iter().position(|byte| *byte == b'\n');
    let (head, rest) = first.data.split_at(line.ok_or_else(|| bad("its screen has no head"))?);
    let base: Base = serde_json::from_slice(head)?;
    let parts = rest[1..].split_at_checked(base.drawing);
    let (drawing, output) = parts.ok_or_else(|| bad("its screen is not all there"))?;
    let size = Size::clamped(u32::from(base.cols), u32::from(base.rows));
    let mut terminal = Terminal::new(size, first.seq);
    terminal.replace(drawn(size, drawing), size, first.seq, "lost");
    terminal.refill(base.start, output, base.redrawn);
    Ok((base, terminal))
}

fn apply(read: Read, terminal: &mut Terminal, left: &mut Left) -> io::Result<()> {
    let length = read.data.len() as u64;
    match read.kind {
        Kind::Base => return Err(bad("it begins twice")),
        Kind::Output => {
            let data = Bytes::from(read.data);
            terminal.output(&data);
            if read.unsettled {
                left.unsure = data;
            }
        }
        Kind::Printed => {
            terminal.output(&Bytes::from(read.data));
            if let Some((_, had)) = &mut left.spool {
                *had += length;
            }
        }
        Kind::Spool => {
            let mark: SpoolMark = serde_json::from_slice(&read.data)?;
            left.spool = Some((mark.id, mark.from));
        }
        Kind::Resized => {
            let Ok([a, b, c, d]) = <[u8; 4]>::try_from(read.data) else {
                return Err(bad("a size has four bytes"));
            };
            let (cols, rows) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
            terminal.resized(Size::clamped(cols.into(), rows.into()), None);
        }
    }
    Ok(())
}
