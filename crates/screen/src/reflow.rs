//! Wrapping lines anew for another width.

use std::collections::VecDeque;

use crate::row::Row;

/// Takes rows of the old width one by one and gives rows of the new one, with the result of
/// tmux's `grid_reflow`: lines that were wrapped are joined, and cut again where they are too
/// long.
pub(crate) struct Reflow {
    cols: u16,
    out: VecDeque<Row>,
    /// Rows that have left through `take`.
    taken: usize,
    /// The row under construction, and the columns that its used cells take.
    row: Row,
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
    pub fn new(cols: u16) -> Self {
        Self {
            cols,
            out: VecDeque::new(),
            taken: 0,
            row: Row::default(),
            open: false,
            cursor: Cursor::Ahead,
        }
    }

    /// Adds a row; `cursor` is the column of the cursor if it is in this row.
    pub fn push(&mut self, mut row: Row, cursor: Option<u16>) {
        if self.cols < 2 {
            Self::narrow(&mut row);
        }
        if let Some(x) = cursor
            && x >= row.used
        {
            self.cursor = Cursor::EndOfLine;
        }
        if !self.open && row.used <= self.cols && (!row.wrapped || row.used == self.cols) {
            // Nothing to join and nothing to cut: the erased cells after the text stay.
            if let Some(x) = cursor
                && x < row.used
            {
                self.cursor = Cursor::At(x, self.position());
            }
            self.open = row.wrapped;
            row.truncate(self.cols);
            self.emit(row);
            return;
        }
        let mut at = 0;
        while at < row.used {
            let cell = row.get(at);
            let width = cell.columns().max(1);
            if self.row.used + width > self.cols {
                self.wrap();
            }
            for part in at..(at + width).min(row.used) {
                if cursor == Some(part) {
                    self.cursor = Cursor::At(self.row.used, self.position());
                }
                self.row.put(self.row.used, row.get(part));
            }
            at += width;
        }
        self.open = row.wrapped;
        if !row.wrapped || self.row.used == self.cols {
            let row = std::mem::take(&mut self.row);
            self.emit(Row { wrapped: self.open, ..row });
        }
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

    /// The remaining rows, and the cursor counted from the first of them.
    pub fn finish(mut self) -> (VecDeque<Row>, Option<(u16, usize)>) {
        if self.open && self.row.used > 0 {
            let row = std::mem::take(&mut self.row);
            self.emit(row);
        }
        let last = self.position().saturating_sub(1);
        let cursor = match self.cursor {
            Cursor::EndOfLine => self.out.back().map(|row| (row.used, last - self.taken)),
            Cursor::At(x, y) => y.checked_sub(self.taken).map(|y| (x, y)),
            _ => None,
        };
        (self.out, cursor)
    }

    fn position(&self) -> usize {
        self.taken + self.out.len()
    }

    fn wrap(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.emit(Row { wrapped: true, ..row });
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
