//! Wrapping lines anew for another width.

use std::collections::VecDeque;

use crate::{cell::Cell, row::Row};

/// Takes rows of the old width one by one and gives rows of the new one, with the result of
/// tmux's `grid_reflow`: lines that were wrapped are joined, and cut again where they are too
/// long.
pub(crate) struct Reflow {
    cols: u16,
    out: VecDeque<Row>,
    /// Rows that have left through `take`.
    taken: usize,
    /// The row under construction.
    row: Row,
    /// Number of the old row that it starts with, and of how many others it holds the end.
    starter: usize,
    joined: usize,
    /// Old rows pushed so far.
    pushed: usize,
    scrolled: usize,
    /// Whether the last row pushed goes on in the next.
    open: bool,
    cursor: Cursor,
}

enum Cursor {
    /// Its row has not come yet.
    Ahead,
    /// After everything written in the line under construction.
    EndOfLine,
    /// Found, counted from the first row that came out.
    At(u16, usize),
}

impl Reflow {
    /// `scrolled` is how many rows of the history would come back to a larger screen; it is carried
    /// along as tmux does with its `hscrolled`.
    pub fn new(cols: u16, scrolled: usize) -> Self {
        Self {
            cols,
            out: VecDeque::new(),
            taken: 0,
            row: Row::default(),
            starter: 0,
            joined: 0,
            pushed: 0,
            scrolled,
            open: false,
            cursor: Cursor::Ahead,
        }
    }

    /// Adds a row; `cursor` is the column of the cursor if it is in this row.
    pub fn push(&mut self, mut row: Row, cursor: Option<u16>) {
        if self.cols < 2 {
            narrow(&mut row);
        }
        if cursor.is_some_and(|x| x >= row.used) {
            self.cursor = Cursor::EndOfLine;
        }
        if !self.open && row.used <= self.cols && (!row.wrapped || row.used == self.cols) {
            // Nothing to join and nothing to cut: the erased cells after the text stay.
            if let Some(x) = cursor.filter(|&x| x < row.used) {
                self.cursor = Cursor::At(x, self.position());
            }
            self.open = row.wrapped;
            row.truncate(self.cols);
            self.emit(row);
        } else {
            self.append(&row, cursor);
        }
        self.pushed += 1;
    }

    /// Adds the cells of a row to the one under construction, and to as many more as it takes.
    fn append(&mut self, row: &Row, cursor: Option<u16>) {
        let mut at = 0;
        while at < row.used {
            let width = row.get(at).columns().max(1);
            if self.row.used + width > self.cols {
                self.finish_row(true);
            }
            if self.row.used == 0 && (at == 0 || self.starter != self.pushed) {
                self.starter = self.pushed;
                self.split(row, at);
            }
            for part in at..(at + width).min(row.used) {
                if cursor == Some(part) {
                    self.cursor = Cursor::At(self.row.used, self.position());
                }
                self.row.put(self.row.used, row.get(part));
            }
            at += width;
        }
        if row.used > 0 && self.starter != self.pushed {
            self.joined += 1;
        }
        self.open = row.wrapped;
        if !row.wrapped || self.row.used == self.cols {
            self.finish_row(row.wrapped);
        }
    }

    /// What is left of an old row from `at` on starts a new row: if it has to be cut, the history
    /// grows.
    fn split(&mut self, row: &Row, at: u16) {
        if self.pushed > self.scrolled {
            return;
        }
        let mut width = 0;
        for x in at..row.used {
            let columns = row.get(x).columns();
            if width + columns > self.cols {
                self.scrolled += 1;
                width = 0;
            }
            width += columns;
        }
    }

    fn finish_row(&mut self, wrapped: bool) {
        let joined = std::mem::take(&mut self.joined);
        let to = self.position();
        if joined > 0 && self.scrolled > to {
            self.scrolled = self.scrolled.saturating_sub(joined).max(to);
        }
        let row = std::mem::take(&mut self.row);
        self.emit(Row { wrapped, ..row });
    }

    /// How many finished rows wait.
    pub fn ready(&self) -> usize {
        self.out.len()
    }

    /// The oldest finished row.
    pub fn take(&mut self) -> Option<Row> {
        let row = self.out.pop_front();
        self.taken += usize::from(row.is_some());
        row
    }

    /// The remaining rows, the cursor counted from the first of them, and what `scrolled` has
    /// become.
    pub fn finish(mut self) -> (VecDeque<Row>, Option<(u16, usize)>, usize) {
        if self.row.used > 0 {
            self.finish_row(false);
        }
        let last = self.position().saturating_sub(1);
        let cursor = match self.cursor {
            Cursor::EndOfLine => self.out.back().map(|row| (row.used, last - self.taken)),
            Cursor::At(x, y) => y.checked_sub(self.taken).map(|y| (x, y)),
            _ => None,
        };
        (self.out, cursor, self.scrolled)
    }

    fn position(&self) -> usize {
        self.taken + self.out.len()
    }

    fn emit(&mut self, row: Row) {
        if let Cursor::EndOfLine = self.cursor
            && !row.wrapped
        {
            self.cursor = Cursor::At(row.used, self.position());
        }
        self.out.push_back(row);
    }
}

/// Blanks wide characters, for a terminal of one column.
fn narrow(row: &mut Row) {
    for cell in &mut row.cells {
        if cell.is_wide() || cell.is_right() {
            *cell = Cell::BLANK;
        }
    }
}
