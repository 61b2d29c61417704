//! A new size.

use super::Term;
use crate::{reflow::Reflow, row::Row};

impl Term {
    /// Changes the size. On the primary screen a new width wraps all lines anew, history included.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.last = None;
        let reflow = cols != self.cols;
        if reflow {
            self.cols = cols;
            self.reset_tabs();
        }
        if rows != self.rows {
            self.resize_rows(rows);
        }
        if reflow && self.primary.is_none() {
            self.reflow();
        } else if reflow {
            for row in &mut self.grid {
                row.truncate(cols);
            }
        }
        self.x = self.x.min(self.cols);
        self.y = self.y.min(self.rows - 1);
    }

    /// When there are fewer rows those below the cursor go first, then the top ones move into the
    /// history. When there are more, rows come back from the history, then blank ones follow.
    fn resize_rows(&mut self, rows: u16) {
        let old = self.rows;
        if rows < old {
            let below = (old - 1 - self.y).min(old - rows);
            self.grid.truncate(usize::from(old - below));
            for _ in 0..old - rows - below {
                let Some(row) = self.grid.pop_front() else { break };
                self.y = self.y.saturating_sub(1);
                if self.primary.is_none() {
                    self.history.push(&row, &self.pool);
                    self.scrolled = (self.scrolled + 1).min(self.history.len());
                }
            }
        } else {
            let wanted = if self.primary.is_none() { self.scrolled } else { 0 };
            for _ in 0..wanted.min(usize::from(rows - old)) {
                let Some(row) = self.history.pop(&mut self.pool) else { break };
                self.grid.push_front(row);
                self.scrolled -= 1;
                self.y += 1;
            }
            self.grid.resize_with(usize::from(rows), Row::default);
        }
        self.cleared = 0;
        self.rows = rows;
        (self.top, self.bottom) = (0, rows - 1);
    }

    fn reflow(&mut self) {
        let empty = self.history.empty();
        let mut history = std::mem::replace(&mut self.history, empty);
        let mut flow = Reflow::new(self.cols, self.scrolled);
        history.drain(&mut self.pool, |row, pool| {
            flow.push(row, None);
            while flow.ready() > usize::from(self.rows)
                && let Some(row) = flow.take()
            {
                self.history.push(&row, pool);
            }
        });
        let (x, y) = (self.x, self.y);
        for (at, row) in std::mem::take(&mut self.grid).into_iter().enumerate() {
            flow.push(row, (at == usize::from(y)).then_some(x));
        }
        let (mut out, cursor, scrolled) = flow.finish();
        let over = out.len().saturating_sub(usize::from(self.rows));
        for row in out.drain(..over) {
            self.history.push(&row, &self.pool);
        }
        out.resize_with(usize::from(self.rows), Row::default);
        self.grid = out;
        (self.x, self.y) = match cursor {
            Some((x, y)) if y >= over => (x, (y - over) as u16),
            _ => (0, 0),
        };
        self.scrolled = scrolled.min(self.history.len());
        self.cleared = 0;
        for row in &mut self.grid {
            if row.cells.capacity() > usize::from(self.cols) * 2 {
                row.cells.shrink_to_fit();
            }
        }
    }
}
