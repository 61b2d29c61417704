//! Colours of a cell.

/// A colour as the program named it. What the first sixteen look like is the viewer's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own foreground or background.
    #[default]
    Default,
    /// One of the sixteen (SGR 30 to 37, 40 to 47, 90 to 97, 100 to 107).
    Ansi(u8),
    /// One of the 256 (SGR 38;5 and 48;5).
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}
