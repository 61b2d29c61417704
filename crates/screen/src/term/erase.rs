//! Erasing.

use super::{Flags, SavedCursor, Term};
use crate::cell::Cell;

impl Term {
    /// EL 0.
    pub fn erase_line_after(&mut self) {
        if self.x == 0 {
            return self.erase_line();
        }
        if self.x < self.cols {
            self.erase_cells(self.cols - self.x);
        }
    }

    /// EL 1.
    pub fn erase_line_before(&mut self) {
        if self.x >= self.cols - 1 {
            return self.erase_line();
        }
        let (blank, x, y, cols) = (self.blank(), self.x, self.y, self.cols);
        self.row_mut(y).erase(0, x + 1, cols, blank);
    }

    /// EL 2.
    pub fn erase_line(&mut self) {
        let blank = self.blank();
        if self.row(self.y).cells.is_empty() && blank == Cell::BLANK {
            return;
        }
        self.reset_rows(self.y, 1, blank);
    }

    /// ECH.
    pub fn erase_cells(&mut self, count: u16) {
        if self.x >= self.cols {
            return;
        }
        let (blank, x, y, cols) = (self.blank(), self.x, self.y, self.cols);
        if x == 0 && count >= cols {
            self.reset_rows(y, 1, blank);
        } else {
            self.row_mut(y).erase(x, count, cols, blank);
        }
    }

    /// ED 0. From the very start it is a clear of the screen, with what that means for history.
    pub fn erase_screen_after(&mut self) {
        if self.x == 0 && self.y == 0 && self.primary.is_none() {
            return self.erase_screen();
        }
        let blank = self.blank();
        if self.x == 0 {
            self.reset_rows(self.y, 1, blank);
        } else if self.x < self.cols {
            self.erase_cells(self.cols - self.x);
        }
        if self.y + 1 < self.rows {
            self.reset_rows(self.y + 1, self.rows - self.y - 1, blank);
        }
    }

    /// ED 1.
    pub fn erase_screen_before(&mut self) {
        let blank = self.blank();
        if self.y > 0 {
            self.reset_rows(0, self.y, blank);
        }
        let (x, y, cols) = (self.x, self.y, self.cols);
        if x >= cols - 1 {
            self.reset_rows(y, 1, blank);
        } else {
            self.row_mut(y).erase(0, x + 1, cols, blank);
        }
    }

    /// ED 2. On the primary screen the rows down to the last one written go into the history.
    pub fn erase_screen(&mut self) {
        let blank = self.blank();
        let rows = self.rows;
        if self.primary.is_none() && self.history.limit() > 0 {
            let used = self.grid.iter().rposition(|row| row.used > 0).map_or(0, |y| y + 1);
            for y in 0..used {
                self.history.push(&self.grid[y], &self.pool);
            }
            self.cleared = used.min(self.history.len());
            self.scrolled = if used > 0 { 0 } else { self.scrolled };
        }
        self.reset_rows(0, rows, blank);
    }

    /// ED 3. The history is ours and stays; only what a clear of the screen put there just before
    /// is taken out again, so that a program that repaints with ED 2 and ED 3 does not fill the
    /// history with copies of one screen.
    pub fn erase_history(&mut self) {
        if self.cleared > 0 {
            self.history.drop_newest(std::mem::take(&mut self.cleared));
            self.history.end_last_line();
        }
        self.scrolled = 0;
    }

    /// DECALN.
    pub fn alignment_test(&mut self) {
        let (cols, rows) = (self.cols, self.rows);
        for y in 0..rows {
            for x in 0..cols {
                self.row_mut(y).put(x, Cell::ascii(b'E', 0));
            }
        }
        (self.x, self.y) = (0, 0);
        (self.top, self.bottom) = (0, rows - 1);
    }

    /// RIS. Like tmux it does not leave the alternate screen, and forgets all of the saved cursor
    /// but DECOM.
    pub fn reset(&mut self) {
        self.pen = Default::default();
        self.saved = SavedCursor { origin: self.saved.origin, ..Default::default() };
        self.palette = Default::default();
        self.reset_tabs();
        (self.top, self.bottom) = (0, self.rows - 1);
        self.flags = Flags::INITIAL;
        self.mouse = Default::default();
        self.keyboard = Default::default();
        self.erase_screen();
        (self.x, self.y) = (0, 0);
    }
}
