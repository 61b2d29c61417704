//! What the daemon and a pane's init say to each other: one JSON object a line,
//! over a Unix socket. A descriptor rides on the message that announces it.
//!
//! Version 1 is frozen: an init lives as long as its pane and may be older or
//! newer than the daemon. Unknown kinds are passed over; fields may be added
//! with a default.

use serde::{Deserialize, Serialize};

use crate::SessionKey;

/// The version of the protocol and of the spec file.
pub const VERSION: u32 = 1;

/// The longest line, in bytes. One that is longer ends the connection.
pub const MAX_LINE: usize = 64 << 10;

/// From the init (and, for [`FromPane::Tap`], its tap helper).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromPane {
    /// A new init announces itself on the daemon's socket.
    Hello {
        /// [`VERSION`].
        version: u32,
        /// Whose pane.
        session: SessionKey,
        /// From the spec file.
        nonce: String,
        /// The init.
        pid: u32,
        /// The terminal, as `/dev/pts/3`.
        tty: String,
    },
    /// The answer to a daemon that came back.
    Welcome {
        /// [`VERSION`].
        version: u32,
        /// Whose pane.
        session: SessionKey,
        /// The init.
        pid: u32,
        /// The terminal.
        tty: String,
        /// How far the program is.
        state: ProgramState,
        /// What the spool holds, in bytes.
        spool_bytes: u64,
        /// What it had to let go before that, in bytes.
        dropped_bytes: u64,
        /// Whether a live tap follows. If not, output since an unknown moment is
        /// in tmux only.
        tap: bool,
    },
    /// The pane's stream; carries its descriptor.
    Tap,
    /// From the helper of a pane that is not ours, on the daemon's socket: the stream of that pane;
    /// carries its descriptor.
    Hand {
        /// From the file that the helper was given.
        nonce: String,
    },
    /// The program runs.
    Started {
        /// Its process, and process group.
        pid: u32,
    },
    /// The program could not be started.
    SpawnFailed {
        /// The operating system's number.
        errno: i32,
        /// Its words, and what could not be started or entered.
        message: String,
    },
    /// The program ended.
    Exited(Exit),
    /// The answer to [`ToPane::InputQueue`].
    InputQueue {
        /// Bytes that wait in the terminal to be read by the program.
        bytes: u64,
    },
    /// The answer to [`ToPane::Mark`].
    Marked {
        /// Whether the text could be written.
        ok: bool,
    },
    /// The tree has been ended, after [`ToPane::End`].
    Ended {
        /// Processes that could not be ended.
        left: u32,
    },
    /// A kind of a later release.
    #[serde(other)]
    Unknown,
}

/// From the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToPane {
    /// A daemon that came back proves itself.
    Hello {
        /// [`VERSION`].
        version: u32,
        /// From the spec file.
        nonce: String,
    },
    /// From the tap helper: the stream; carries its descriptor.
    Tap {
        /// From the spec file.
        nonce: String,
    },
    /// Run the program.
    Start,
    /// End the program and all that it started: TERM, and KILL after the grace.
    End {
        /// Milliseconds between the two.
        grace_ms: u64,
    },
    /// Exit, once the program has ended; what it left behind is ended.
    Leave,
    /// How much input waits?
    InputQueue,
    /// Write this to the terminal. It marks the end of what the program printed.
    Mark {
        /// Printable ASCII and escape sequences.
        text: String,
    },
    /// The spool was read; remove it.
    SpoolTaken,
    /// A kind of a later release.
    #[serde(other)]
    Unknown,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The code of its own exit.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The tmux server was gone when it ended, or the init was told to go: it did not end of its
    /// own accord, nor on ours, nor was its pane closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// How far a program is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ProgramState {
    /// Not started.
    Waiting,
    /// It runs.
    Running {
        /// Its process.
        pid: u32,
    },
    /// It ended.
    Exited(Exit),
    /// It could not be started.
    SpawnFailed {
        /// The operating system's number.
        errno: i32,
        /// Its words.
        message: String,
    },
}

/// One message as its line.
pub(crate) fn line<T: Serialize>(message: &T) -> Vec<u8> {
    // Strings and numbers only: this cannot fail.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Cuts lines out of a stream.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
}

impl Lines {
    /// Adds what was read; false when a line is too long.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> bool {
        self.buffer.extend_from_slice(bytes);
        self.buffer.len() <= MAX_LINE || self.buffer.contains(&b'\n')
    }

    /// The next whole message. A line that is none is an error.
    pub(crate) fn next<T: serde::de::DeserializeOwned>(&mut self) -> Option<Result<T, String>> {
        let end = self.buffer.iter().position(|b| *b == b'\n')?;
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        Some(serde_json::from_slice(&line).map_err(|e| {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            format!("{e}: {shown:?}")
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_1_reads_as_it_always_did() {
        let texts = [
            (r#"{"type":"start"}"#, ToPane::Start),
            (r#"{"type":"end","grace_ms":5}"#, ToPane::End { grace_ms: 5 }),
            (r#"{"type":"leave"}"#, ToPane::Leave),
            (r#"{"type":"input_queue"}"#, ToPane::InputQueue),
            (r#"{"type":"mark","text":"x"}"#, ToPane::Mark { text: "x".into() }),
            (r#"{"type":"spool_taken"}"#, ToPane::SpoolTaken),
            (r#"{"type":"of_a_later_time"}"#, ToPane::Unknown),
        ];
        for (text, want) in texts {
            assert_eq!(serde_json::from_str::<ToPane>(text).unwrap(), want, "{text}");
        }
        let hand: FromPane = serde_json::from_str(r#"{"type":"hand","nonce":"n"}"#).unwrap();
        assert_eq!(hand, FromPane::Hand { nonce: "n".into() });
        let exited: FromPane =
            serde_json::from_str(r#"{"type":"exited","code":3,"signal":null}"#).unwrap();
        assert_eq!(exited, FromPane::Exited(Exit { code: Some(3), signal: None, lost: false }));
        let welcome: FromPane = serde_json::from_str(
            r#"{"type":"welcome","version":1,"session":"a","pid":1,"tty":"/dev/pts/1",
                "state":{"is":"exited","code":null,"signal":9},
                "spool_bytes":3,"dropped_bytes":0,"tap":true,"later":1}"#,
        )
        .unwrap();
        assert!(matches!(welcome, FromPane::Welcome { state: ProgramState::Exited(_), .. }));
    }

    #[test]
    fn lines_come_whole_and_bounded() {
        let mut lines = Lines::default();
        assert!(lines.feed(b"{\"type\":\"sta"));
        assert!(lines.next::<ToPane>().is_none());
        assert!(lines.feed(b"rt\"}\nnonsense\n"));
        assert_eq!(lines.next::<ToPane>(), Some(Ok(ToPane::Start)));
        assert!(lines.next::<ToPane>().unwrap().is_err());
        assert!(!Lines::default().feed(&vec![b'x'; MAX_LINE + 1]));
    }
}
