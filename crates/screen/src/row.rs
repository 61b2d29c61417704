//! One row of the grid.

use crate::cell::Cell;

/// Cells of a row from column 0 on. What is not there is blank.
///
/// `used` is what tmux calls `cellused`: one past the last cell that was *written*. Erasing does
/// not lower it, save for a whole row, and decides about reflow and about how many rows a clear
/// of the screen moves into the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub cells: Vec<Cell>,
    pub used: u16,
    /// The text goes on in the next row.
    pub wrapped: bool,
}

impl Row {
    /// The cell at `x`, blank if it was never touched.
    #[inline]
    pub fn get(&self, x: u16) -> Cell {
        self.cells.get(usize::from(x)).copied().unwrap_or(Cell::BLANK)
    }

    /// Writes a cell.
    pub fn put(&mut self, x: u16, cell: Cell) {
        self.reach(x + 1);
        self.cells[usize::from(x)] = cell;
        self.used = self.used.max(x + 1);
    }

    /// Writes narrow ASCII cells from `x` on.
    pub fn put_ascii(&mut self, x: u16, bytes: &[u8], style: u32) {
        let end = x + bytes.len() as u16;
        let at = usize::from(x);
        let cells = bytes.iter().map(|&byte| Cell::ascii(byte, style));
        if at >= self.cells.len() {
            self.reach(x);
            self.cells.extend(cells);
        } else {
            self.reach(end);
            for (to, cell) in self.cells[at..].iter_mut().zip(cells) {
                *to = cell;
            }
        }
        self.used = self.used.max(end);
    }

    /// Erases `count` cells from `x` on, but never past `cols`.
    pub fn erase(&mut self, x: u16, count: u16, cols: u16, blank: Cell) {
        let end = x.saturating_add(count).min(cols);
        if blank == Cell::BLANK {
            let len = self.cells.len();
            let (from, to) = (usize::from(x).min(len), usize::from(end).min(len));
            self.cells[from..to].fill(blank);
        } else if x < end {
            self.reach(end);
            self.cells[usize::from(x)..usize::from(end)].fill(blank);
        }
        self.mend(x);
        self.mend(end);
    }

    /// Empties the row.
    pub fn reset(&mut self, cols: u16, blank: Cell) {
        self.cells.clear();
        self.used = 0;
        self.wrapped = false;
        if blank != Cell::BLANK {
            self.cells.resize(usize::from(cols), blank);
        }
    }

    /// Shifts the cells from `x` on to the right by `count`; blanks come in, the end falls out.
    pub fn insert(&mut self, x: u16, count: u16, cols: u16, blank: Cell) {
        if x >= cols {
            return;
        }
        let count = count.min(cols - x);
        let moved = cols - x - count;
        if moved > 0 {
            self.reach(cols);
            let at = usize::from(x);
            self.cells.copy_within(at..at + usize::from(moved), at + usize::from(count));
            self.used = cols;
        } else {
            self.reach_for(blank, cols);
        }
        let len = self.cells.len();
        let (from, to) = (usize::from(x).min(len), usize::from(x + count).min(len));
        self.cells[from..to].fill(blank);
        self.mend(x);
        self.mend(x + count);
        self.mend(cols);
    }

    /// Shifts the cells after `x + count` to the left onto `x`; blanks come in at the end.
    pub fn delete(&mut self, x: u16, count: u16, cols: u16, blank: Cell) {
        if x >= cols {
            return;
        }
        let count = count.min(cols - x);
        let moved = cols - x - count;
        if moved > 0 {
            self.reach(cols);
            let at = usize::from(x);
            let from = at + usize::from(count);
            self.cells.copy_within(from..from + usize::from(moved), at);
            self.used = self.used.max(x + moved);
        } else {
            self.reach_for(blank, cols);
        }
        let len = self.cells.len();
        self.cells[usize::from(x + moved).min(len)..].fill(blank);
        self.mend(x);
        self.mend(x + moved);
    }

    /// Cuts the row to `cols`.
    pub fn truncate(&mut self, cols: u16) {
        if self.cells.len() > usize::from(cols) {
            self.cells.truncate(usize::from(cols));
            self.mend(cols);
        }
        self.used = self.used.min(cols);
    }

    /// Blanks the halves of wide characters that have lost their other half at the border before
    /// `x`.
    pub fn mend(&mut self, x: u16) {
        let at = usize::from(x);
        let right = self.cells.get(at).is_some_and(|cell| cell.is_right());
        let wide = at > 0 && self.cells.get(at - 1).is_some_and(|cell| cell.is_wide());
        if right && !wide {
            self.cells[at] = Cell::BLANK;
        }
        if wide && !right {
            self.cells[at - 1] = Cell::BLANK;
        }
    }

    /// One past the last cell that does not look like a default blank.
    pub fn visible_len(&self) -> u16 {
        let len = self.cells.iter().rposition(|&cell| cell != Cell::BLANK);
        len.map_or(0, |at| at as u16 + 1)
    }

    fn reach(&mut self, len: u16) {
        let len = usize::from(len);
        if self.cells.len() < len {
            if self.cells.capacity() < len {
                self.cells.reserve(len - self.cells.len());
            }
            self.cells.resize(len, Cell::BLANK);
        }
    }

    fn reach_for(&mut self, blank: Cell, cols: u16) {
        if blank != Cell::BLANK {
            self.reach(cols);
        }
    }
}
