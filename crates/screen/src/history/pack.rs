//! One row as bytes.
//!
//! A row is its length, then a flag (1: the line goes on), then how many cells were written, then
//! its cells up to the last that is not a default blank. Text is UTF-8, one character a cell of
//! the width it naturally has. What is not so is announced by a byte that text does not contain:
//! a change of style, a run of one character, or a cell with several characters.

use crate::{
    cell::{Cell, Glyph},
    pool::Pool,
    row::Row,
    width,
};

/// Followed by the number of a style: it holds until the next one or the end of the row.
const STYLE: u8 = 1;
/// Followed by a count and an ASCII character.
const RUN: u8 = 2;
/// Followed by 1 or 2 columns, a length, and text.
const CLUSTER: u8 = 3;
/// Least cells that are written as a run.
const LEAST_RUN: usize = 5;

/// Appends a row. `number` gives the number of a style by its handle.
pub(super) fn write(
    to: &mut Vec<u8>,
    row: &Row,
    pool: &Pool,
    mut number: impl FnMut(u32) -> usize,
) {
    let at = to.len();
    // Most rows take one or two bytes to say how long they are: two are always written.
    to.extend([0, 0, u8::from(row.wrapped)]);
    varint(to, usize::from(row.used));
    let cells = &row.cells[..usize::from(row.visible_len())];
    let mut style = 0;
    let mut x = 0;
    while let Some(&cell) = cells.get(x) {
        x += 1;
        if cell.style != style && !cell.is_right() {
            style = cell.style;
            to.push(STYLE);
            varint(to, number(style));
        }
        if let Some(byte) = cell.as_ascii() {
            let same = cells[x..].iter().take_while(|&&next| next == cell).count();
            if same + 1 >= LEAST_RUN {
                to.push(RUN);
                varint(to, same + 1);
                to.push(byte);
                x += same;
            } else {
                to.push(byte);
            }
            continue;
        }
        match cell.glyph() {
            Glyph::Char(c) => {
                let natural = width::columns(c) == Some(if cell.is_wide() { 2 } else { 1 });
                let mut buffer = [0; 4];
                let text = c.encode_utf8(&mut buffer);
                if natural {
                    to.extend_from_slice(text.as_bytes());
                } else {
                    cluster(to, cell, text);
                }
            }
            Glyph::Cluster(handle) => cluster(to, cell, pool.cluster(handle)),
            Glyph::Right => {}
        }
    }
    let len = to.len() - at - 2;
    to[at] = (len & 0xff) as u8;
    to[at + 1] = (len >> 8) as u8;
}

/// Clears the flag of the row that `packed` starts with.
pub(super) fn end_line(packed: &mut [u8]) {
    if let Some(flag) = packed.get_mut(2) {
        *flag = 0;
    }
}

fn cluster(to: &mut Vec<u8>, cell: Cell, text: &str) {
    to.push(CLUSTER);
    to.push(if cell.is_wide() { 2 } else { 1 });
    varint(to, text.len());
    to.extend_from_slice(text.as_bytes());
}

fn varint(to: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        to.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Reads rows one after another.
pub(super) struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    pub fn position(&self) -> usize {
        self.at
    }

    pub fn seek(&mut self, position: usize) {
        self.at = position;
    }

    /// Skips a row and says where it started.
    pub fn skip_row(&mut self) -> Option<usize> {
        let start = self.at;
        let len = self.row_len()?;
        self.at += len;
        Some(start)
    }

    /// The next row. `handle` gives the handle of a style by its number.
    pub fn row(
        &mut self,
        pool: &mut Pool,
        mut handle: impl FnMut(usize, &mut Pool) -> u32,
    ) -> Option<Row> {
        let len = self.row_len()?;
        let end = (self.at + len).min(self.data.len());
        let wrapped = self.byte() == 1;
        let used = self.varint() as u16;
        let mut row = Row { cells: Vec::with_capacity(usize::from(used)), used, wrapped };
        let mut style = 0;
        while self.at < end {
            let first = self.byte();
            match first {
                STYLE => style = handle(self.varint(), pool),
                RUN => {
                    let count = self.varint();
                    let cell = Cell::ascii(self.byte(), style);
                    row.cells.extend(std::iter::repeat_n(cell, count));
                }
                CLUSTER => {
                    let wide = self.byte() == 2;
                    let len = self.varint();
                    let text = self.text(len);
                    let handle = pool.cluster_handle(text);
                    push(&mut row, Cell::cluster(handle, wide, style), style);
                }
                0..0x80 => {
                    let run = &self.data[self.at - 1..end];
                    // What is below a blank announces something; text goes on until then.
                    let more = run[1..].iter().take_while(|byte| (b' '..0x80).contains(*byte));
                    let run = &run[..1 + more.count()];
                    row.cells.extend(run.iter().map(|&byte| Cell::ascii(byte, style)));
                    self.at += run.len() - 1;
                }
                _ => {
                    self.at -= 1;
                    let len = if first < 0xe0 { 2 } else { 3 + usize::from(first >= 0xf0) };
                    let c = self.text(len).chars().next().unwrap_or(' ');
                    let wide = width::columns(c) == Some(2);
                    push(&mut row, Cell::char(c, wide, style), style);
                }
            }
        }
        self.at = end;
        Some(row)
    }

    fn row_len(&mut self) -> Option<usize> {
        let head = self.data.get(self.at..self.at + 2)?;
        self.at += 2;
        Some(usize::from(head[0]) | usize::from(head[1]) << 8)
    }

    fn byte(&mut self) -> u8 {
        let byte = self.data.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn varint(&mut self) -> usize {
        let mut value = 0;
        for shift in (0..).step_by(7).take(5) {
            let byte = self.byte();
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    fn text(&mut self, len: usize) -> &'a str {
        let text = self.data.get(self.at..self.at + len).unwrap_or(&[]);
        self.at += len;
        std::str::from_utf8(text).unwrap_or(" ")
    }
}

fn push(row: &mut Row, cell: Cell, style: u32) {
    row.cells.push(cell);
    if cell.is_wide() {
        row.cells.push(Cell::right(style));
    }
}
