//! The alternate screen.

use std::collections::VecDeque;

use super::{Term, blank_rows};
use crate::row::Row;

/// The primary screen while it is covered, at the size it had then. Like tmux we leave it alone
/// when the terminal is resized, and fit it when it comes back.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pub grid: VecDeque<Row>,
    pub cols: u16,
    pub rows: u16,
}

impl Term {
    /// Modes 47, 1047 and (with `cursor`) 1049.
    pub fn enter_alternate(&mut self, cursor: bool) {
        if self.primary.is_some() {
            return;
        }
        if cursor {
            self.alternate_cursor = Some((self.x, self.y));
        }
        self.alternate_pen = self.pen.style;
        // tmux clears the screen for the alternate one, and with that ends the line before it.
        self.history.end_last_line();
        let grid = std::mem::replace(&mut self.grid, blank_rows(self.rows));
        self.primary = Some(Primary { grid, cols: self.cols, rows: self.rows });
    }

    /// Back from the alternate screen. The cursor comes back with 1049 even if we never left.
    pub fn leave_alternate(&mut self, cursor: bool) {
        let size = (self.cols, self.rows);
        if let Some(primary) = &self.primary {
            let before = (primary.cols, primary.rows);
            self.resize(before.0, before.1);
        }
        if cursor && let Some((x, y)) = self.alternate_cursor {
            (self.x, self.y) = (x, y);
            self.pen.set(self.alternate_pen);
        }
        if let Some(primary) = self.primary.take() {
            self.grid = primary.grid;
            self.keyboard.alternate.clear();
            self.resize(size.0, size.1);
        }
        self.x = self.x.min(self.cols - 1);
        self.y = self.y.min(self.rows - 1);
    }
}
