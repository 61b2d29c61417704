//! With what the next character is drawn.

use crate::{pool::Pool, style::Style};

/// Style and character sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pen {
    pub style: Style,
    /// Handle of the style; `None` until it is needed again.
    handle: Option<u32>,
    pub charsets: Charsets,
}

/// G0 and G1 hold ASCII or line drawing; one of them is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charsets {
    /// G0 holds line drawing.
    pub g0: bool,
    /// G1 holds line drawing.
    pub g1: bool,
    /// G1 is in use (SO).
    pub shifted: bool,
}

/// What DECSC saves.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedCursor {
    pub pen: Pen,
    pub x: u16,
    pub y: u16,
    pub origin: bool,
}

impl Pen {
    /// Changes the style.
    pub fn set(&mut self, style: Style) {
        self.style = style;
        self.handle = None;
    }

    /// The handle of the style in `pool`.
    pub fn handle(&mut self, pool: &mut Pool) -> u32 {
        *self.handle.get_or_insert_with(|| pool.style_handle(self.style))
    }
}

impl Charsets {
    /// Whether line drawing is in use.
    pub fn drawing(self) -> bool {
        if self.shifted { self.g1 } else { self.g0 }
    }
}

/// The character that line drawing puts in the place of an ASCII one; tmux's table.
pub(crate) fn line_drawing(byte: u8) -> char {
    match byte {
        b'+' => '→',
        b',' => '←',
        b'-' => '↑',
        b'.' => '↓',
        b'0' => '▮',
        b'`' => '◆',
        b'a' => '▒',
        b'b' => '␉',
        b'c' => '␌',
        b'd' => '␍',
        b'e' => '␊',
        b'f' => '°',
        b'g' => '±',
        b'h' => '␤',
        b'i' => '␋',
        b'j' => '┘',
        b'k' => '┐',
        b'l' => '┌',
        b'm' => '└',
        b'n' => '┼',
        b'o' => '⎺',
        b'p' => '⎻',
        b'q' => '─',
        b'r' => '⎼',
        b's' => '⎽',
        b't' => '├',
        b'u' => '┤',
        b'v' => '┴',
        b'w' => '┬',
        b'x' => '│',
        b'y' => '≤',
        b'z' => '≥',
        b'{' => 'π',
        b'|' => '≠',
        b'}' => '£',
        b'~' => '·',
        other => char::from(other),
    }
}
