//! The terminal: what tmux 3.3a does with a program's output, done again.
//!
//! The functions mirror tmux's (`screen-write.c`, `grid-view.c`, `input.c`), because tmux is what
//! the person sees in a native attach; where this differs, the crate's documentation says so.

mod alternate;
mod csi;
mod cursor;
mod erase;
mod modes;
mod osc;
mod palette;
mod pen;
mod perform;
mod print;
mod resize;
mod scroll;
mod sgr;

use std::collections::VecDeque;

pub(crate) use self::{
    alternate::Primary,
    modes::{CursorStyle, Flags, Keyboard, Mouse},
    palette::Palette,
    pen::{Pen, SavedCursor},
};
use crate::{
    cell::Cell,
    event::{Event, Events},
    history::History,
    pool::{Pool, Sweep},
    row::Row,
    size::Size,
    style::Style,
};

/// Most titles on the stack (CSI 22 t).
const MAX_TITLES: usize = 16;

/// Everything that output can change. `x` may be equal to the number of columns: the last column
/// has been written and the next character wraps.
#[derive(Debug)]
pub(crate) struct Term {
    pub cols: u16,
    pub rows: u16,
    pub grid: VecDeque<Row>,
    pub history: History,
    /// Rows at the end of the history that come back when the screen grows: those that scrolled
    /// there after the last clear.
    pub scrolled: usize,
    /// Rows at the end of the history that a clear of the whole screen has just put there.
    pub cleared: usize,
    pub pool: Pool,
    pub x: u16,
    pub y: u16,
    /// First and last row of the scroll region.
    pub top: u16,
    pub bottom: u16,
    pub pen: Pen,
    pub saved: SavedCursor,
    /// The primary screen while the alternate one is shown.
    pub primary: Option<Primary>,
    /// Cursor and pen that leaving the alternate screen (1049) restores; kept after it.
    pub alternate_cursor: Option<(u16, u16)>,
    pub alternate_pen: Style,
    pub flags: Flags,
    pub mouse: Mouse,
    pub cursor_style: CursorStyle,
    pub keyboard: Keyboard,
    pub palette: Palette,
    /// Whether there is a tab stop at each column.
    pub tabs: Vec<bool>,
    pub title: String,
    pub titles: Vec<String>,
    pub events: Events,
    /// The last thing was this ASCII character, printed at this column: what REP repeats.
    pub last: Option<(u8, u16)>,
    /// A zero width joiner has come: the next character joins the cell before.
    pub joiner: bool,
}

impl Term {
    pub fn new(size: Size, history_lines: usize) -> Self {
        let (cols, rows) = (size.cols(), size.rows());
        Self {
            cols,
            rows,
            grid: blank_rows(rows),
            history: History::new(history_lines),
            scrolled: 0,
            cleared: 0,
            pool: Pool::new(),
            x: 0,
            y: 0,
            top: 0,
            bottom: rows - 1,
            pen: Pen::default(),
            saved: SavedCursor::default(),
            primary: None,
            alternate_cursor: None,
            alternate_pen: Style::default(),
            flags: Flags::INITIAL,
            mouse: Mouse::None,
            cursor_style: CursorStyle::default(),
            keyboard: Keyboard::default(),
            palette: Palette::default(),
            tabs: default_tabs(cols),
            title: String::new(),
            titles: Vec::new(),
            events: Events::default(),
            last: None,
            joiner: false,
        }
    }

    /// The row at `y`.
    pub fn row(&self, y: u16) -> &Row {
        &self.grid[usize::from(y)]
    }

    pub fn row_mut(&mut self, y: u16) -> &mut Row {
        &mut self.grid[usize::from(y)]
    }

    /// What erasing leaves: a blank in the pen's background.
    pub fn blank(&mut self) -> Cell {
        Cell::blank(self.pool.style_handle(Style::erased(self.pen.style.bg)))
    }

    /// Whether tab stops are where they are at first.
    pub fn has_default_tabs(&self) -> bool {
        self.tabs == default_tabs(self.cols)
    }

    pub fn reset_tabs(&mut self) {
        self.tabs = default_tabs(self.cols);
    }

    pub fn set_title(&mut self, title: String) {
        self.title.clone_from(&title);
        self.events.push(Event::Title(title));
    }

    /// Frees what no cell refers to any more, if enough has gathered.
    pub fn tidy(&mut self) {
        if !self.pool.wants_sweep() {
            return;
        }
        let mut sweep = Sweep::new(std::mem::replace(&mut self.pool, Pool::new()));
        let primary = self.primary.as_mut().map(|p| p.grid.iter_mut()).into_iter().flatten();
        for row in self.grid.iter_mut().chain(primary) {
            for cell in &mut row.cells {
                *cell = sweep.cell(*cell);
            }
        }
        self.pen.set(sweep.style(self.pen.style));
        self.saved.pen.set(sweep.style(self.saved.pen.style));
        self.alternate_pen = sweep.style(self.alternate_pen);
        self.pool = sweep.finish();
        self.history.forget_handles();
    }

    /// Approximate bytes of memory, the history included.
    pub fn memory(&self) -> usize {
        let rows = |grid: &VecDeque<Row>| -> usize {
            let cells: usize = grid.iter().map(|r| r.cells.capacity() * size_of::<Cell>()).sum();
            cells + grid.capacity() * size_of::<Row>()
        };
        let primary = self.primary.as_ref().map_or(0, |p| rows(&p.grid));
        rows(&self.grid) + primary + self.history.memory() + self.pool.memory() + size_of::<Self>()
    }
}

pub(crate) fn blank_rows(rows: u16) -> VecDeque<Row> {
    (0..rows).map(|_| Row::default()).collect()
}

fn default_tabs(cols: u16) -> Vec<bool> {
    (0..cols).map(|x| x > 0 && x % 8 == 0).collect()
}
