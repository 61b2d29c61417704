//! What can be read from a screen.

use crate::{color::Color, style::Attrs};

/// The cursor. Columns and rows count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Column. With `pending_wrap` it is the last one.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// Whether the program shows it.
    pub visible: bool,
    /// How it looks.
    pub shape: CursorShape,
    /// Whether it blinks; `None` if the program left that to the viewer.
    pub blinking: Option<bool>,
    /// The last column has been written; the next character goes to the next row.
    pub pending_wrap: bool,
}

/// Shape of the cursor (DECSCUSR).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CursorShape {
    /// As the viewer likes.
    #[default]
    Default,
    /// A block.
    Block,
    /// A line below.
    Underline,
    /// A line at the left.
    Bar,
}

/// Which mouse events the program wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseMode {
    /// None.
    #[default]
    None,
    /// Presses and releases (mode 1000).
    Buttons,
    /// Also movement with a button held (mode 1002).
    Drag,
    /// All movement (mode 1003).
    Motion,
}

/// How mouse events are to be encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseEncoding {
    /// One byte a coordinate.
    #[default]
    Legacy,
    /// UTF-8 coordinates (mode 1005).
    Utf8,
    /// Decimal numbers (mode 1006).
    Sgr,
    /// Decimal numbers, in pixels (mode 1016).
    SgrPixels,
}

/// Modes that matter to whoever types into the terminal or draws it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// The alternate screen is shown.
    pub alternate: bool,
    /// Pasted text is to be bracketed (2004).
    pub bracketed_paste: bool,
    /// Mouse events wanted.
    pub mouse: MouseMode,
    /// Their encoding.
    pub mouse_encoding: MouseEncoding,
    /// Cursor keys send application sequences (DECCKM).
    pub application_cursor: bool,
    /// The keypad sends application sequences (DECKPAM).
    pub application_keypad: bool,
    /// Focus changes are reported (1004).
    pub focus: bool,
    /// The wheel moves the cursor on the alternate screen (1007).
    pub alternate_scroll: bool,
    /// A synchronized update is open (2026).
    pub synchronized: bool,
    /// Characters are inserted (IRM).
    pub insert: bool,
    /// Rows count from the scroll region (DECOM).
    pub origin: bool,
    /// Long lines wrap (DECAWM).
    pub autowrap: bool,
    /// Keys are to be sent in the extended way (modifyOtherKeys).
    pub extended_keys: bool,
    /// Flags of the kitty keyboard protocol in force.
    pub kitty_keyboard: u8,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellView<'a> {
    /// The character, or several that share the cell.
    pub text: std::borrow::Cow<'a, str>,
    /// Columns taken: 1 or 2, and 0 for the right half of the wide character before.
    pub columns: u16,
    /// Colour of the text.
    pub fg: Color,
    /// Colour behind it.
    pub bg: Color,
    /// Colour of the underline.
    pub underline_color: Color,
    /// Attributes.
    pub attrs: Attrs,
    /// Where the cell links to (OSC 8), with the link's id, which may be empty.
    pub link: Option<(&'a str, &'a str)>,
}

/// How rows are turned into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Characters only; blanks at the end are cut off.
    Plain,
    /// With SGR sequences and links; each row ends in the default style.
    Ansi,
}

/// A row as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text, without a line end.
    pub text: String,
    /// The line goes on in the next row.
    pub wrapped: bool,
}
