//! Moving rows.

use super::Term;
use crate::cell::Cell;

impl Term {
    /// Down one row; at the end of the scroll region the region scrolls. `wrapping` says that a
    /// line goes on there.
    pub fn line_feed(&mut self, wrapping: bool, blank: Cell) {
        if wrapping {
            let y = self.y;
            self.row_mut(y).wrapped = true;
        }
        if self.y == self.bottom {
            self.scroll_up(wrapping, blank);
        } else if self.y < self.rows - 1 {
            self.y += 1;
        }
    }

    /// RI: up one row; at the start of the scroll region the region scrolls down.
    pub fn reverse_line_feed(&mut self) {
        if self.y == self.top {
            let blank = self.blank();
            self.scroll_down(blank);
        } else if self.y > 0 {
            self.y -= 1;
        }
    }

    /// Scrolls the region up by a row. On the primary screen that row goes into the history,
    /// whatever the region is.
    pub fn scroll_up(&mut self, wrapping: bool, blank: Cell) {
        let (top, bottom) = (self.top, self.bottom);
        if self.primary.is_some() {
            if top == bottom {
                self.reset_rows(top, 1, blank);
            } else {
                let wrapped = self.row(bottom).wrapped;
                self.move_rows(top, top + 1, bottom - top, blank);
                self.row_mut(bottom - 1).wrapped = wrapped;
            }
        } else {
            let Some(mut row) = self.grid.remove(usize::from(top)) else { return };
            if top > 0 {
                // It leaves from between others: nothing goes on in it or after it.
                row.wrapped = false;
                self.history.end_last_line();
            }
            self.history.push(&row, &self.pool);
            self.scrolled = (self.scrolled + 1).min(self.history.len());
            self.cleared = 0;
            row.reset(self.cols, blank);
            self.grid.insert(usize::from(bottom), row);
        }
        if top > 0 {
            self.end_line_before(top);
        }
        if !wrapping {
            self.end_line_before(bottom);
        }
    }

    /// Scrolls the region down by a row.
    pub fn scroll_down(&mut self, blank: Cell) {
        let (top, bottom) = (self.top, self.bottom);
        if top == bottom {
            self.reset_rows(top, 1, blank);
        } else {
            self.move_rows(top + 1, top, bottom - top, blank);
        }
        self.row_mut(bottom).wrapped = false;
    }

    /// IL.
    pub fn insert_lines(&mut self, count: u16) {
        let end = self.region_end();
        let count = count.min(end - self.y);
        let blank = self.blank();
        let (y, moved) = (self.y, end - self.y - count);
        if moved == 0 {
            self.reset_rows(y, count, blank);
        } else {
            self.move_rows(y + count, y, moved, blank);
            self.reset_rows(y + moved, count.saturating_sub(moved), blank);
        }
        self.row_mut(end - 1).wrapped = false;
    }

    /// DL.
    pub fn delete_lines(&mut self, count: u16) {
        let end = self.region_end();
        let count = count.min(end - self.y);
        let blank = self.blank();
        let (y, moved) = (self.y, end - self.y - count);
        self.move_rows(y, y + count, moved, blank);
        self.reset_rows(end - count, count, blank);
        self.row_mut(end - 1).wrapped = false;
    }

    /// Moves `count` rows from `from` to `to`; what they leave behind becomes blank.
    pub fn move_rows(&mut self, to: u16, from: u16, count: u16, blank: Cell) {
        if count == 0 || to == from {
            return;
        }
        self.end_line_before(to);
        if to < from {
            for i in 0..count {
                self.grid.swap(usize::from(to + i), usize::from(from + i));
            }
        } else {
            for i in (0..count).rev() {
                self.grid.swap(usize::from(to + i), usize::from(from + i));
            }
        }
        let cols = self.cols;
        for y in (from..from + count).filter(|y| !(to..to + count).contains(y)) {
            self.row_mut(y).reset(cols, blank);
        }
        if from < to || from >= to + count {
            self.end_line_before(from);
        }
    }

    /// Empties rows.
    pub fn reset_rows(&mut self, y: u16, count: u16, blank: Cell) {
        if count == 0 {
            return;
        }
        let cols = self.cols;
        for y in y..y + count {
            self.row_mut(y).reset(cols, blank);
        }
        self.end_line_before(y);
    }

    /// The row before `y` does not go on in `y` any more.
    pub fn end_line_before(&mut self, y: u16) {
        if y > 0 {
            self.row_mut(y - 1).wrapped = false;
        } else if self.primary.is_none() {
            self.history.end_last_line();
        }
    }

    /// One past the last row that IL and DL move.
    fn region_end(&self) -> u16 {
        let inside = (self.top..=self.bottom).contains(&self.y);
        if inside { self.bottom + 1 } else { self.rows }
    }
}
