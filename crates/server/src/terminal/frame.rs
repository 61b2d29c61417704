use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut, Bytes, BytesMut};
use qd_api::{ClientFrame, ServerFrame};
use qd_core::{Code, Problem, Size};
use qd_daemon::{ViewerEvent, ViewerGone};

/// Why a terminal WebSocket is closed. `terminal` has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    Stopping,
    Malformed,
    TooLarge,
    Token,
    NoSession,
    TooSlow,
    OurFault,
}

impl Close {
    /// The close for a problem that ends a viewer.
    pub(crate) fn of(code: Code) -> Self {
        match code {
            Code::TokenMissing | Code::TokenWrong => Self::Token,
            Code::UnknownSession => Self::NoSession,
            Code::DaemonStopping => Self::Stopping,
            Code::Internal | Code::Unavailable => Self::OurFault,
            // The session is there, and has no terminal to look at: asking again the same way
            // will not help.
            _ => Self::Malformed,
        }
    }

    fn parts(self) -> (u16, &'static str) {
        match self {
            Self::Stopping => (1001, "the daemon stops"),
            Self::Malformed => (1008, "see the error frame"),
            Self::TooLarge => (1009, "more than 1 MiB"),
            Self::Token => (4401, "token"),
            Self::NoSession => (4404, "no such session"),
            Self::TooSlow => (4408, "too slow"),
            Self::OurFault => (4500, "a fault of ours"),
        }
    }

    pub(crate) fn message(self) -> Message {
        let (code, reason) = self.parts();
        Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }))
    }
}

impl From<ViewerGone> for Close {
    fn from(gone: ViewerGone) -> Self {
        match gone {
            ViewerGone::NoSession => Self::NoSession,
            ViewerGone::DaemonStops => Self::Stopping,
            ViewerGone::Revoked => Self::Token,
        }
    }
}

/// What a viewer asks, in the daemon's terms.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Attach { from: Option<u64>, cols: u32, rows: u32, scrollback: Option<u32>, read_only: bool },
    Input(Bytes),
    Paste(String),
    Resize { cols: u32, rows: u32 },
    Ack(u64),
    Lease { take: bool },
}

/// Reads a text frame.
///
/// # Errors
/// `bad_request` when it is not one of the client's frames.
pub(crate) fn read_text(text: &str) -> Result<Asked, Problem> {
    // Serde also reads a frame from a list of its fields in order; nobody means that.
    if !text.trim_start().starts_with('{') {
        return Err(malformed("The frame is not a JSON object.".to_owned()));
    }
    let frame = serde_json::from_str::<ClientFrame>(text)
        .map_err(|error| malformed(format!("The frame cannot be read: {error}.")))?;
    Ok(match frame {
        ClientFrame::Attach { from, cols, rows, scrollback, read_only } => {
            Asked::Attach { from, cols, rows, scrollback, read_only }
        }
        ClientFrame::Input { data } => {
            let bytes = STANDARD
                .decode(data)
                .map_err(|error| malformed(format!("The data is not base64: {error}.")))?;
            Asked::Input(Bytes::from(bytes))
        }
        ClientFrame::Paste { text } => Asked::Paste(text),
        ClientFrame::Resize { cols, rows } => Asked::Resize { cols, rows },
        ClientFrame::Ack { seq } => Asked::Ack(seq),
        ClientFrame::Lease { take, release } if take != release => Asked::Lease { take },
        ClientFrame::Lease { .. } => {
            return Err(malformed("A lease frame has either take or release.".to_owned()));
        }
    })
}

pub(crate) fn malformed(message: String) -> Problem {
    Problem::new(Code::BadRequest, message, "See the contract of the terminal WebSocket.")
}

/// The message for what a viewer is told, or why the viewer is let go.
pub(crate) fn write(event: ViewerEvent) -> Result<Message, Close> {
    let frame = match event {
        ViewerEvent::Output { seq, data } => return Ok(output(seq, &data)),
        ViewerEvent::Gone(gone) => return Err(gone.into()),
        ViewerEvent::Snapshot { seq, size, data } => return Ok(snapshot(seq, size, &data)),
        ViewerEvent::Resume { seq, size } => {
            ServerFrame::Resume { seq, cols: size.cols, rows: size.rows }
        }
        ViewerEvent::Resync { reason } => ServerFrame::Resync { reason: reason.to_owned() },
        ViewerEvent::Size { size, by } => {
            ServerFrame::Size { cols: size.cols, rows: size.rows, by: by.to_owned() }
        }
        ViewerEvent::Exit { code, signal } => ServerFrame::Exit { code, signal },
        ViewerEvent::Lease { holder } => ServerFrame::Lease { holder },
        ViewerEvent::Refused(problem) => return Ok(error(&problem)),
    };
    text(&frame)
}

/// The frame of [`ServerFrame::Snapshot`]. A long history makes it a megabyte and more, in which
/// nothing needs escaping: it is written once, into its place.
fn snapshot(seq: u64, Size { cols, rows }: Size, data: &[u8]) -> Message {
    let head = format!(r#"{{"type":"snapshot","seq":{seq},"cols":{cols},"rows":{rows},"data":""#);
    let mut frame = String::with_capacity(head.len() + data.len().div_ceil(3) * 4 + 2);
    frame.push_str(&head);
    STANDARD.encode_string(data, &mut frame);
    frame.push_str("\"}");
    Message::text(frame)
}

/// The frame that tells of a problem.
pub(crate) fn error(problem: &Problem) -> Message {
    let frame =
        ServerFrame::Error { code: problem.code.as_str().to_owned(), message: problem.to_string() };
    text(&frame).unwrap_or_else(Close::message)
}

fn text(frame: &ServerFrame) -> Result<Message, Close> {
    serde_json::to_string(frame).map(Message::text).map_err(|error| {
        tracing::error!(%error, "a frame cannot be written as JSON");
        Close::OurFault
    })
}

/// Bytes of the program behind the number of the first of them.
fn output(seq: u64, data: &Bytes) -> Message {
    let mut frame = BytesMut::with_capacity(8 + data.len());
    frame.put_u64(seq);
    frame.put_slice(data);
    Message::Binary(frame.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { cols: 80, rows: 24 };

    fn json(event: ViewerEvent) -> serde_json::Value {
        match write(event) {
            Ok(Message::Text(text)) => serde_json::from_str(text.as_str()).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn output_is_headed_by_its_number_big_end_first() {
        let event = ViewerEvent::Output { seq: 0x0102, data: Bytes::from_static(b"\xff\n") };
        let expected = Bytes::from_static(&[0, 0, 0, 0, 0, 0, 1, 2, 0xff, b'\n']);
        assert_eq!(write(event), Ok(Message::Binary(expected)));
    }

    #[test]
    fn text_frames_are_those_of_the_contract() {
        let snapshot =
            ViewerEvent::Snapshot { seq: 7, size: SIZE, data: Bytes::from_static(b"hi") };
        assert_eq!(
            json(snapshot),
            serde_json::json!({"type":"snapshot","seq":7,"cols":80,"rows":24,"data":"aGk="})
        );
        assert_eq!(
            json(ViewerEvent::Resume { seq: 7, size: SIZE }),
            serde_json::json!({"type":"resume","seq":7,"cols":80,"rows":24})
        );
        assert_eq!(
            json(ViewerEvent::Resync { reason: "slow" }),
            serde_json::json!({"type":"resync","reason":"slow"})
        );
        assert_eq!(
            json(ViewerEvent::Exit { code: Some(3), signal: None }),
            serde_json::json!({"type":"exit","code":3,"signal":null})
        );
        assert_eq!(
            json(ViewerEvent::Lease { holder: None }),
            serde_json::json!({"type":"lease","holder":null})
        );
        let refused = Problem::new(Code::LeaseHeld, "a", "b");
        assert_eq!(
            json(ViewerEvent::Refused(refused)),
            serde_json::json!({"type":"error","code":"lease_held","message":"a b"})
        );
    }

    #[test]
    fn gone_is_a_close() {
        assert_eq!(write(ViewerEvent::Gone(ViewerGone::NoSession)), Err(Close::NoSession));
        assert_eq!(Close::from(ViewerGone::DaemonStops).parts().0, 1001);
        assert_eq!(Close::from(ViewerGone::Revoked).parts().0, 4401);
        assert_eq!(Close::of(Code::UnknownSession).parts().0, 4404);
    }

    #[test]
    fn reads_the_frames_of_the_contract() {
        let read = |text| read_text(text).unwrap();
        assert_eq!(
            read(r#"{"type":"attach","from":null,"cols":80,"rows":24}"#),
            Asked::Attach { from: None, cols: 80, rows: 24, scrollback: None, read_only: false }
        );
        assert_eq!(read(r#"{"type":"input","data":"aGk="}"#), Asked::Input("hi".into()));
        assert_eq!(read(r#"{"type":"paste","text":"x"}"#), Asked::Paste("x".into()));
        assert_eq!(read(r#"{"type":"ack","seq":9}"#), Asked::Ack(9));
        assert_eq!(read(r#"{"type":"lease","take":true}"#), Asked::Lease { take: true });
        assert_eq!(read(r#"{"type":"lease","release":true}"#), Asked::Lease { take: false });
    }

    #[test]
    fn malformed_frames_are_refused() {
        for bad in [
            "",
            "[]",
            r#"["ack", 7]"#,
            "{}",
            r#"{"type":"dance"}"#,
            r#"{"type":"attach","cols":-1,"rows":2}"#,
            r#"{"type":"input","data":"!"}"#,
            r#"{"type":"lease"}"#,
            r#"{"type":"lease","take":true,"release":true}"#,
        ] {
            assert_eq!(read_text(bad).unwrap_err().code, Code::BadRequest, "{bad}");
        }
    }
}
