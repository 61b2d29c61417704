//! One cell of the grid, in eight bytes.

/// A character, or a handle to several, and a handle to a style.
///
/// The handles lead into the [`Pool`](crate::pool::Pool) of the terminal that owns the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    glyph: u32,
    /// Handle of the style; 0 is the default style.
    pub style: u32,
}

/// What stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glyph {
    /// One character.
    Char(char),
    /// Several characters in one cell: a handle into the clusters of the pool.
    Cluster(u32),
    /// The right half of the wide character in the cell before.
    Right,
}

const VALUE: u32 = (1 << 24) - 1;
const CLUSTER: u32 = 1 << 24;
const WIDE: u32 = 1 << 25;
const RIGHT: u32 = 1 << 26;

impl Cell {
    /// A space in the default style.
    pub const BLANK: Self = Self { glyph: ' ' as u32, style: 0 };

    /// A narrow space in a style: what an erasure leaves.
    pub fn blank(style: u32) -> Self {
        Self { style, ..Self::BLANK }
    }

    /// A narrow ASCII character.
    #[inline]
    pub fn ascii(byte: u8, style: u32) -> Self {
        Self { glyph: u32::from(byte), style }
    }

    /// A character of one or two columns. The right half of a wide one is [`Cell::right`].
    #[inline]
    pub fn char(c: char, wide: bool, style: u32) -> Self {
        Self { glyph: u32::from(c) | if wide { WIDE } else { 0 }, style }
    }

    /// Several characters of one or two columns.
    pub fn cluster(handle: u32, wide: bool, style: u32) -> Self {
        Self { glyph: (handle & VALUE) | CLUSTER | if wide { WIDE } else { 0 }, style }
    }

    /// The same in another style.
    pub fn with_style(self, style: u32) -> Self {
        Self { style, ..self }
    }

    /// The right half of a wide character.
    pub fn right(style: u32) -> Self {
        Self { glyph: RIGHT, style }
    }

    /// What stands here.
    #[inline]
    pub fn glyph(self) -> Glyph {
        if self.glyph & RIGHT != 0 {
            Glyph::Right
        } else if self.glyph & CLUSTER != 0 {
            Glyph::Cluster(self.glyph & VALUE)
        } else {
            Glyph::Char(char::from_u32(self.glyph & VALUE).unwrap_or(' '))
        }
    }

    /// Whether this is the left half of a wide character.
    #[inline]
    pub fn is_wide(self) -> bool {
        self.glyph & WIDE != 0
    }

    /// Whether this is the right half of a wide character.
    #[inline]
    pub fn is_right(self) -> bool {
        self.glyph & RIGHT != 0
    }

    /// Whether this is a single ASCII character, a space included.
    #[inline]
    pub fn as_ascii(self) -> Option<u8> {
        if self.glyph < 0x80 { Some(self.glyph as u8) } else { None }
    }

    /// Columns that are taken by the glyph here: 0 for a right half.
    #[inline]
    pub fn columns(self) -> u16 {
        match (self.is_right(), self.is_wide()) {
            (true, _) => 0,
            (_, true) => 2,
            _ => 1,
        }
    }
}
