//! How a cell looks.

use crate::color::Color;

/// On or off attributes of a cell, and the kind of its underline.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Attrs(u16);

/// The line under a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Underline {
    /// No line.
    None,
    /// One line.
    Single,
    /// Two lines.
    Double,
    /// A wavy line.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

impl Attrs {
    /// SGR 1.
    pub const BOLD: Self = Self(1);
    /// SGR 2.
    pub const DIM: Self = Self(1 << 1);
    /// SGR 3.
    pub const ITALIC: Self = Self(1 << 2);
    /// SGR 5 and 6.
    pub const BLINK: Self = Self(1 << 3);
    /// SGR 7.
    pub const INVERSE: Self = Self(1 << 4);
    /// SGR 8.
    pub const HIDDEN: Self = Self(1 << 5);
    /// SGR 9.
    pub const STRIKE: Self = Self(1 << 6);
    /// SGR 53.
    pub const OVERLINE: Self = Self(1 << 7);
    const UNDERLINE_SHIFT: u16 = 8;
    const UNDERLINE_MASK: u16 = 7 << Self::UNDERLINE_SHIFT;

    /// Whether all of `other` are on.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Turns `other` on.
    pub fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Turns `other` off.
    pub fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }

    /// The line under the cell.
    pub fn underline(self) -> Underline {
        match (self.0 & Self::UNDERLINE_MASK) >> Self::UNDERLINE_SHIFT {
            1 => Underline::Single,
            2 => Underline::Double,
            3 => Underline::Curly,
            4 => Underline::Dotted,
            5 => Underline::Dashed,
            _ => Underline::None,
        }
    }

    /// Sets the line under the cell.
    pub fn set_underline(&mut self, kind: Underline) {
        self.0 = (self.0 & !Self::UNDERLINE_MASK) | ((kind as u16) << Self::UNDERLINE_SHIFT);
    }
}

impl std::fmt::Debug for Attrs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Attrs({:#x})", self.0)
    }
}

/// Colours, attributes and link of a cell. `link` is a handle into a table: 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Style {
    pub fg: Color,
    pub bg: Color,
    pub underline: Color,
    pub attrs: Attrs,
    pub link: u16,
}

impl Style {
    /// What an erased cell keeps of the pen.
    pub fn erased(bg: Color) -> Self {
        Self { bg, ..Self::default() }
    }
}

/// A hyperlink (OSC 8).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    /// The `id` parameter; empty if none was given.
    pub id: Box<str>,
    /// Where it leads.
    pub uri: Box<str>,
}
