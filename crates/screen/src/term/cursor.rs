//! Moving the cursor.

use super::{Flags, Term};

impl Term {
    /// Moves to a column and a row; `None` leaves one as it is. With `origin`, rows count from the
    /// scroll region where DECOM is on.
    pub fn move_to(&mut self, x: Option<u16>, y: Option<u16>, origin: bool) {
        if let Some(x) = x {
            self.x = x.min(self.cols - 1);
        }
        if let Some(mut y) = y {
            if origin && self.flags.has(Flags::ORIGIN) {
                // A row past the region means its last one.
                y = if y > self.bottom - self.top { self.bottom } else { y + self.top };
            }
            self.y = y.min(self.rows - 1);
        }
    }

    pub fn move_up(&mut self, count: u16) {
        let room = if self.y < self.top { self.y } else { self.y - self.top };
        self.leave_edge();
        self.y -= count.min(room);
    }

    pub fn move_down(&mut self, count: u16) {
        let room = if self.y > self.bottom { self.rows - 1 - self.y } else { self.bottom - self.y };
        self.leave_edge();
        self.y += count.min(room);
    }

    pub fn move_right(&mut self, count: u16) {
        self.leave_edge();
        self.x += count.min(self.cols - 1 - self.x);
    }

    pub fn move_left(&mut self, count: u16) {
        self.x -= count.min(self.x);
    }

    /// BS: left, and from the start of a wrapped line to the end of the row before.
    pub fn backspace(&mut self) {
        if self.x > 0 {
            self.x -= 1;
        } else if self.y > 0 && self.row(self.y - 1).wrapped {
            self.y -= 1;
            self.x = self.cols - 1;
        }
    }

    pub fn tab(&mut self) {
        while self.x < self.cols - 1 {
            self.x += 1;
            if self.tabs[usize::from(self.x)] {
                break;
            }
        }
    }

    pub fn back_tab(&mut self, count: u16) {
        let mut x = self.x.min(self.cols - 1);
        for _ in 0..count.min(x) {
            x = x.saturating_sub(1);
            while x > 0 && !self.tabs[usize::from(x)] {
                x -= 1;
            }
        }
        self.x = x;
    }

    /// Sets or removes the tab stop at the cursor.
    pub fn set_tab(&mut self, on: bool) {
        if let Some(tab) = self.tabs.get_mut(usize::from(self.x)) {
            *tab = on;
        }
    }

    /// DECSC.
    pub fn save_cursor(&mut self) {
        self.saved.pen = self.pen.clone();
        self.saved.x = self.x.min(self.cols - 1);
        self.saved.y = self.y;
        self.saved.origin = self.flags.has(Flags::ORIGIN);
    }

    /// DECRC.
    pub fn restore_cursor(&mut self) {
        self.pen = self.saved.pen.clone();
        self.flags.set(Flags::ORIGIN, self.saved.origin);
        self.move_to(Some(self.saved.x), Some(self.saved.y), false);
    }

    fn leave_edge(&mut self) {
        self.x = self.x.min(self.cols - 1);
    }
}
