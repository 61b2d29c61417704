use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The sub-protocol of the terminal WebSocket.
pub const TERMINAL_PROTOCOL: &str = "qd.terminal.v1";

/// The token travels as a second sub-protocol that begins so.
pub const TOKEN_PROTOCOL_PREFIX: &str = "qd.bearer.";

/// What a viewer sends as text. Binary frames from a viewer are input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ClientFrame {
    /// First of all: begin at a number, or with a snapshot.
    Attach {
        /// The next byte wanted; absent or null for a snapshot.
        #[serde(default)]
        from: Option<u64>,
        /// The viewer's own columns.
        cols: u32,
        /// The viewer's own rows.
        rows: u32,
        /// Lines of history in the snapshot; 1,000 unless said.
        #[serde(default)]
        scrollback: Option<u32>,
        /// Look only.
        #[serde(default)]
        read_only: bool,
    },
    /// Bytes for the program.
    Input {
        /// In base64.
        data: String,
    },
    /// Text as a paste.
    Paste {
        /// The text.
        text: String,
    },
    /// The viewer's window has this size now.
    Resize {
        /// Columns.
        cols: u32,
        /// Rows.
        rows: u32,
    },
    /// All bytes before this number were drawn.
    Ack {
        /// The number of the next byte.
        seq: u64,
    },
    /// Take or give back the right to type.
    Lease {
        /// Take it, from whoever holds it.
        #[serde(default)]
        take: bool,
        /// Give it back.
        #[serde(default)]
        release: bool,
    },
}

/// What the server sends as text. Binary frames are output: eight bytes of sequence number,
/// big end first, then the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ServerFrame {
    /// Draw this on an empty terminal of this size; the next byte is `seq`.
    Snapshot {
        /// The number of the first byte after it.
        seq: u64,
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
        /// What draws it, in base64.
        data: String,
    },
    /// What you have is right; the next byte is `seq`.
    Resume {
        /// The number of the next byte.
        seq: u64,
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// Something was skipped; a snapshot follows.
    Resync {
        /// `slow`, `resized` or `lost`.
        reason: String,
    },
    /// The terminal has this size now.
    Size {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
        /// Who set it: `you`, `viewer`, `native`, `command` or `birth`.
        by: String,
    },
    /// The program ended.
    Exit {
        /// Its code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// Who may type.
    Lease {
        /// `you`, the name of another device, or null when it is free.
        holder: Option<String>,
    },
    /// Something was refused; the connection stays.
    Error {
        /// Stable name of the kind.
        code: String,
        /// One sentence.
        message: String,
    },
}
