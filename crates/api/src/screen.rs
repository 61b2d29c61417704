use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is on the screen of a session now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScreenReply {
    /// The number of the first byte that is not drawn yet.
    pub seq: u64,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Where the cursor is.
    pub cursor: Cursor,
    /// What the program switched on.
    pub modes: Modes,
    /// The lines, blanks at their ends taken off; with `history`, those before the screen first.
    pub lines: Vec<String>,
    /// How many of the lines are history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lines: Option<usize>,
    /// The title that the program gave.
    pub title: String,
}

/// Where the cursor is, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cursor {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// Whether it is shown.
    pub visible: bool,
}

/// What the program switched on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Modes {
    /// The alternate screen.
    pub alternate: bool,
    /// Markers around pasted text.
    pub bracketed_paste: bool,
    /// Mouse reports: `off`, `click`, `drag` or `motion`.
    pub mouse: String,
    /// Cursor keys as application keys.
    pub application_cursor: bool,
    /// Reports of focus.
    pub focus: bool,
}

/// Lines from before the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScrollbackReply {
    /// The place of the first line returned, counted from the oldest that is kept.
    pub from: usize,
    /// Lines that are kept in all.
    pub total: usize,
    /// The lines, with escape sequences for colour when `ansi` was asked.
    pub lines: Vec<String>,
}

/// Text or bytes for the program; exactly one of the first two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Input {
    /// Text, sent as it is.
    pub text: Option<String>,
    /// Bytes, in base64.
    pub data: Option<String>,
    /// Press Enter after it.
    pub enter: bool,
    /// Send it as a paste: with markers where the program asked for them.
    pub paste: bool,
}

/// Keys by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// Such as `Enter`, `Escape`, `C-c`, `M-x`, `Up`, `S-Tab`.
    pub keys: Vec<String>,
}

/// A size that somebody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeRequest {
    /// 2 to 1,000.
    #[schema(minimum = 2, maximum = 1000)]
    pub cols: u32,
    /// 1 to 500.
    #[schema(minimum = 1, maximum = 500)]
    pub rows: u32,
}
