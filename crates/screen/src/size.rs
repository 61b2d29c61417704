//! The size of a terminal.

/// Columns and rows, each from 1 to [`Size::MAX_COLS`] and [`Size::MAX_ROWS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    cols: u16,
    rows: u16,
}

impl Size {
    /// Most columns: more are clamped, so that a hostile size cannot ask for gigabytes.
    pub const MAX_COLS: u16 = 2000;
    /// Most rows.
    pub const MAX_ROWS: u16 = 1000;

    /// A size with both sides clamped to what is possible; 0 becomes 1.
    pub fn new(cols: u16, rows: u16) -> Self {
        Self { cols: cols.clamp(1, Self::MAX_COLS), rows: rows.clamp(1, Self::MAX_ROWS) }
    }

    /// Columns.
    pub fn cols(self) -> u16 {
        self.cols
    }

    /// Rows.
    pub fn rows(self) -> u16 {
        self.rows
    }
}
