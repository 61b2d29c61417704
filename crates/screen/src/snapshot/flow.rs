//! Rows one below the other, with lines that wrap by themselves.

use super::ink::Ink;
use crate::{cell::Cell, cell::Glyph, pool::Pool, row::Row, style::Style};

/// A wide blank: written in the last column it wraps without touching anything there.
const WIDE_BLANK: &str = "\u{3000}";
const JOINER: char = '\u{200d}';

/// Draws rows from the top of an empty screen; those that do not fit scroll away.
pub(super) struct Flow {
    cols: u16,
    before: Option<Before>,
}

/// How the row before was left.
struct Before {
    wrapped: bool,
    /// Where the cursor is; equal to the number of columns if the next character wraps.
    x: u16,
}

impl Flow {
    pub fn new(cols: u16) -> Self {
        Self { cols, before: None }
    }

    pub fn row(&mut self, ink: &mut Ink, row: &Row, pool: &Pool) {
        let mut stained = false;
        match self.before.take() {
            None => {}
            Some(before) if before.wrapped && row.used > 0 => {
                let full = before.x == self.cols || self.cols == 1;
                if full || (before.x == self.cols - 1 && row.get(0).is_wide()) {
                    ink.handle_style(row.get(0).style, pool);
                    stained = ink.has_background();
                } else {
                    ink.style(Style::default(), pool);
                    ink.csi(self.cols, 'G');
                    ink.raw(WIDE_BLANK.as_bytes());
                    ink.raw(b"\r");
                }
            }
            Some(_) => {
                if ink.has_background() {
                    ink.style(Style::default(), pool);
                }
                ink.raw(b"\r\n");
            }
        }
        let used = row.used.min(self.cols);
        let cells = row.cells.get(..usize::from(used)).unwrap_or(&row.cells);
        let mut x = 0;
        while x < used {
            let run = ink.ascii(cells.get(usize::from(x)..).unwrap_or_default(), pool);
            if run > 0 {
                x += run as u16;
                continue;
            }
            let cell = row.get(x);
            ink.cell(cell, pool);
            // Terminals disagree about how wide these are: say where the next cell is.
            let after = x + cell.columns();
            if after < used && is_joined(cell, pool) {
                ink.csi(after + 1, 'G');
            }
            x += 1;
        }
        let mut x = used;
        if used < self.cols {
            let end = row.visible_len().min(self.cols);
            if stained {
                // Some terminals fill a row that scrolls in with the background in force.
                ink.style(Style::default(), pool);
                ink.raw(b"\x1b[K");
            }
            x = tail(ink, row, used..end, self.cols, pool);
        }
        self.before = Some(Before { wrapped: row.wrapped, x });
    }
}

/// Cells that were erased in some background but never written.
fn tail(ink: &mut Ink, row: &Row, cells: std::ops::Range<u16>, cols: u16, pool: &Pool) -> u16 {
    let mut x = cells.start;
    while x < cells.end {
        let style = row.get(x).style;
        let run = (x..cells.end).take_while(|&x| row.get(x).style == style).count() as u16;
        if style != Cell::BLANK.style {
            ink.handle_style(style, pool);
            if x + run == cols {
                ink.raw(b"\x1b[K");
                return x;
            }
            ink.csi(run, 'X');
        }
        ink.csi(run, 'C');
        x += run;
    }
    x
}

fn is_joined(cell: Cell, pool: &Pool) -> bool {
    match cell.glyph() {
        Glyph::Cluster(handle) => pool.cluster(handle).contains(JOINER),
        _ => false,
    }
}
