//! Writing characters.

use super::{Flags, Term, pen::line_drawing};
use crate::{
    cell::{Cell, Glyph},
    width,
};

/// Most bytes of text in one cell, as in tmux: what does not fit is dropped.
const MAX_CLUSTER: usize = 21;
const JOINER: char = '\u{200d}';

impl Term {
    /// Writes printable ASCII.
    pub fn write_ascii(&mut self, mut run: &[u8]) {
        self.joiner = false;
        let simple = self.flags.has(Flags::WRAP)
            && !self.flags.has(Flags::INSERT)
            && !self.pen.charsets.drawing();
        if !simple {
            let drawing = self.pen.charsets.drawing();
            for &byte in run {
                let c = if drawing { line_drawing(byte) } else { char::from(byte) };
                let x = self.write_cell(|style| Cell::char(c, false, style), 1);
                self.last = x.map(|x| (byte, x));
            }
            return;
        }
        let style = self.pen.handle(&mut self.pool);
        while !run.is_empty() {
            if self.x >= self.cols {
                self.wrap();
            }
            let (x, y) = (self.x, self.y);
            let count = run.len().min(usize::from(self.cols - x));
            let row = self.row_mut(y);
            unhook(row, x);
            row.put_ascii(x, &run[..count], style);
            row.mend(x + count as u16);
            self.x = x + count as u16;
            self.last = Some((run[count - 1], self.x - 1));
            run = &run[count..];
        }
    }

    /// Writes any other character.
    pub fn write_char(&mut self, c: char) {
        self.last = None;
        let Some(columns) = width::columns(c) else { return };
        if c == JOINER {
            self.joiner = true;
            return;
        }
        if std::mem::take(&mut self.joiner) {
            return self.combine(&[JOINER, c]);
        }
        if columns == 0 {
            return self.combine(&[c]);
        }
        self.write_cell(|style| Cell::char(c, columns == 2, style), columns.into());
    }

    /// Goes on in the next row. The line goes on with it, if it has come up to here at all.
    fn wrap(&mut self) {
        let reached = self.row(self.y).used >= self.x;
        self.line_feed(reached, Cell::BLANK);
        self.x = 0;
    }

    /// Writes one cell of one or two columns at the cursor, and says where.
    fn write_cell(&mut self, cell: impl FnOnce(u32) -> Cell, columns: u16) -> Option<u16> {
        let cols = self.cols;
        let wrap = self.flags.has(Flags::WRAP);
        let fits = columns <= cols && self.x <= cols - columns;
        if !wrap && columns > 1 && !fits && self.x != cols {
            return None;
        }
        if self.flags.has(Flags::INSERT) {
            let (x, y) = (self.x, self.y);
            self.row_mut(y).insert(x, columns, cols, Cell::BLANK);
        }
        if wrap && !fits {
            if columns > cols {
                return None;
            }
            self.wrap();
        }
        if columns > cols || self.x > cols - columns {
            return None;
        }
        let style = self.pen.handle(&mut self.pool);
        let (x, y) = (self.x, self.y);
        let row = self.row_mut(y);
        unhook(row, x);
        row.put(x, cell(style));
        if columns == 2 {
            row.put(x + 1, Cell::right(style));
        }
        row.mend(x + columns);
        // Without autowrap the cursor stays on the last column, and what comes replaces it.
        let end = if wrap { cols } else { cols - 1 };
        self.x = (x + columns).min(end);
        Some(x)
    }

    /// Adds characters to the cell before the cursor: all or, if there is no room, none.
    fn combine(&mut self, added: &[char]) {
        let Some(mut x) = self.x.checked_sub(1) else { return };
        let row = &self.grid[usize::from(self.y)];
        if row.get(x).is_right() && x > 0 {
            x -= 1;
        }
        let cell = row.get(x);
        let mut text = match cell.glyph() {
            Glyph::Char(first) => String::from(first),
            Glyph::Cluster(handle) => self.pool.cluster(handle).to_owned(),
            Glyph::Right => return,
        };
        text.extend(added);
        if text.len() > MAX_CLUSTER {
            return;
        }
        let handle = self.pool.cluster_handle(&text);
        let y = self.y;
        self.row_mut(y).put(x, Cell::cluster(handle, cell.is_wide(), cell.style));
    }
}

/// Blanks the left half of a wide character whose right half, at `x`, is about to be overwritten.
fn unhook(row: &mut crate::row::Row, x: u16) {
    if x > 0 && row.get(x).is_right() {
        row.cells[usize::from(x) - 1] = Cell::BLANK;
    }
}
