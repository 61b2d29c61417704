//! Control sequences.

use super::{Flags, Term};
use crate::params::Params;

impl Term {
    /// Does what a control sequence says. One whose parameters make no sense does nothing.
    pub fn control_sequence(&mut self, intermediates: &[u8], params: &Params<'_>, last: u8) {
        match intermediates {
            b"" => {
                self.plain_sequence(params, last);
            }
            b"?" if last == b'h' || last == b'l' => {
                for index in 0..params.list().len() {
                    self.private_mode(params.number(index), last == b'h');
                }
            }
            b">" => self.greater_sequence(params, last),
            b"<" | b"=" if last == b'u' => {
                self.keyboard(intermediates[0], params.number(0), params.number(1));
            }
            b" " if last == b'q' => {
                if let Some(style) = params.get(0, 0, 0) {
                    self.set_cursor_style(style);
                }
            }
            _ => {}
        }
    }

    /// REP.
    pub fn repeat(&mut self, params: &Params<'_>) {
        let (Some(count), Some((byte, _))) = (params.count(0), self.last) else { return };
        for _ in 0..count.min(self.cols.saturating_sub(self.x)) {
            self.write_ascii(&[byte]);
        }
    }

    fn plain_sequence(&mut self, params: &Params<'_>, last: u8) -> Option<()> {
        match last {
            b'@' => self.edit_row(params.count(0)?, true),
            b'P' => self.edit_row(params.count(0)?, false),
            b'A' => self.move_up(params.count(0)?),
            b'B' => self.move_down(params.count(0)?),
            b'C' => self.move_right(params.count(0)?),
            b'D' => self.move_left(params.count(0)?),
            b'E' => {
                let count = params.count(0)?;
                self.x = 0;
                self.move_down(count);
            }
            b'F' => {
                let count = params.count(0)?;
                self.x = 0;
                self.move_up(count);
            }
            b'G' | b'`' => self.move_to(Some(params.count(0)? - 1), None, true),
            b'd' => self.move_to(None, Some(params.count(0)? - 1), true),
            b'H' | b'f' => {
                let (y, x) = (params.count(0)? - 1, params.count(1)? - 1);
                self.move_to(Some(x), Some(y), true);
            }
            b'J' => match params.get(0, 0, 0)? {
                0 => self.erase_screen_after(),
                1 => self.erase_screen_before(),
                2 => self.erase_screen(),
                3 if params.get(1, 0, 0)? == 0 => self.erase_history(),
                _ => {}
            },
            b'K' => match params.get(0, 0, 0)? {
                0 => self.erase_line_after(),
                1 => self.erase_line_before(),
                2 => self.erase_line(),
                _ => {}
            },
            b'L' => self.insert_lines(params.count(0)?),
            b'M' => self.delete_lines(params.count(0)?),
            b'S' | b'T' => {
                let count = params.count(0)?.min(self.bottom - self.top + 1);
                let blank = self.blank();
                for _ in 0..count {
                    if last == b'S' {
                        self.scroll_up(false, blank)
                    } else {
                        self.scroll_down(blank)
                    }
                }
            }
            b'X' => self.erase_cells(params.count(0)?),
            b'Z' => self.back_tab(params.count(0)?),
            b'g' => match params.get(0, 0, 0)? {
                0 => self.set_tab(false),
                3 => self.tabs.fill(false),
                _ => {}
            },
            b'h' | b'l' => {
                for index in 0..params.list().len() {
                    self.public_mode(params.number(index), last == b'h');
                }
            }
            b'm' => self.select_graphics(params),
            b'r' => {
                let rows = i32::from(self.rows);
                let (top, bottom) = (params.get(0, 1, 1)?, params.get(1, 1, rows)?);
                self.set_region(top.min(rows) - 1, bottom.min(rows) - 1);
            }
            b's' => self.save_cursor(),
            b'u' => self.restore_cursor(),
            b't' => self.window_operation(params),
            _ => {}
        }
        Some(())
    }

    fn greater_sequence(&mut self, params: &Params<'_>, last: u8) {
        let first = params.get(0, 0, 0).unwrap_or(-1);
        let second = params.get(1, 0, 0).unwrap_or(-1);
        match (last, first, second) {
            (b'u', ..) => self.keyboard(b'>', first, second),
            (b'm', 0, _) | (b'm', 4, 0) | (b'n', 4, _) => {
                self.flags.set(Flags::EXTENDED_KEYS, false);
            }
            (b'm', 4, 1 | 2) => self.flags.set(Flags::EXTENDED_KEYS, true),
            _ => {}
        }
    }

    /// ICH and DCH.
    fn edit_row(&mut self, count: u16, insert: bool) {
        if self.x >= self.cols {
            return;
        }
        let (blank, x, y, cols) = (self.blank(), self.x, self.y, self.cols);
        let row = self.row_mut(y);
        if insert {
            row.insert(x, count, cols, blank);
        } else {
            row.delete(x, count, cols, blank);
        }
    }

    /// DECSTBM. The cursor goes to the very first cell, also with DECOM. A region of one row is
    /// refused.
    fn set_region(&mut self, top: i32, bottom: i32) {
        if top >= bottom {
            return;
        }
        self.top = top as u16;
        self.bottom = bottom as u16;
        (self.x, self.y) = (0, 0);
    }

    /// Of the window operations only the title stack does something here.
    fn window_operation(&mut self, params: &Params<'_>) {
        let mut index = 0;
        loop {
            match params.number(index) {
                -1 => return,
                3 | 4 | 8 => index += 2,
                9 | 10 => index += 1,
                operation @ (22 | 23) => {
                    index += 1;
                    match (operation, params.number(index)) {
                        (_, -1) => return,
                        (22, 0 | 2) => self.push_title(),
                        (23, 0 | 2) => self.pop_title(),
                        _ => {}
                    }
                }
                _ => {}
            }
            index += 1;
        }
    }

    fn push_title(&mut self) {
        if self.titles.len() == super::MAX_TITLES {
            self.titles.remove(0);
        }
        self.titles.push(self.title.clone());
    }

    fn pop_title(&mut self) {
        if let Some(title) = self.titles.pop() {
            self.set_title(title);
        }
    }
}
