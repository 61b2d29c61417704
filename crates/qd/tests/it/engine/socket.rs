//! A viewer: it reads the terminal WebSocket and draws what it reads.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use qd_screen::{Screen, Size};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, HandshakeError, Message, WebSocket, client};

use super::stage::{PATIENCE, Stage};

/// One viewer. It says what it has drawn every 64 KiB, unless it is told not to.
pub struct Viewer {
    socket: WebSocket<TcpStream>,
    /// What it has drawn; none before the first snapshot.
    pub screen: Option<Screen>,
    /// The number of the next byte.
    pub next: u64,
    /// Every byte of the program that came, snapshots not among them.
    pub bytes: Vec<u8>,
    /// The text frames, those that only draw not among them.
    pub told: Vec<Value>,
    pub snapshots: usize,
    pub resumes: usize,
    pub resyncs: Vec<String>,
    pub acks: bool,
    acked: u64,
    /// The close code, once it is closed.
    pub closed: Option<u16>,
}

/// What an upgrade was refused with.
pub type Refusal = (u16, Vec<u8>);

impl Viewer {
    /// Opens the WebSocket and attaches at 80x24.
    #[track_caller]
    pub fn open(stage: &Stage, id: &str) -> Self {
        Self::attach(stage, &stage.token(), id, json!({"cols": 80, "rows": 24}))
    }

    /// Opens the WebSocket and attaches as told.
    #[track_caller]
    pub fn attach(stage: &Stage, token: &str, id: &str, how: Value) -> Self {
        let mut viewer = Self::connect(stage, id, Some(token), &[]).unwrap();
        let mut frame = how;
        frame["type"] = "attach".into();
        viewer.send(&frame);
        viewer
    }

    /// Opens the WebSocket only.
    pub fn connect(
        stage: &Stage,
        id: &str,
        token: Option<&str>,
        more: &[(&'static str, &str)],
    ) -> Result<Self, Refusal> {
        let address = stage.address();
        let url = format!("ws://{address}/api/v1/sessions/{id}/terminal");
        let mut request = url.into_client_request().unwrap();
        let protocols = match token {
            Some(token) => format!("qd.terminal.v1, qd.bearer.{token}"),
            None => "qd.terminal.v1".to_owned(),
        };
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", HeaderValue::from_str(&protocols).unwrap());
        for (name, value) in more {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let stream = TcpStream::connect(&address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let socket = match client(request, stream) {
            Ok((socket, response)) => {
                let spoken = response.headers().get("sec-websocket-protocol");
                assert_eq!(spoken.unwrap(), "qd.terminal.v1", "the token must not come back");
                socket
            }
            Err(HandshakeError::Failure(Error::Http(response))) => {
                let status = response.status().as_u16();
                return Err((status, response.into_body().unwrap_or_default()));
            }
            Err(error) => panic!("{error}"),
        };
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        Ok(Self {
            socket,
            screen: None,
            next: 0,
            bytes: vec![],
            told: vec![],
            snapshots: 0,
            resumes: 0,
            resyncs: vec![],
            acks: true,
            acked: 0,
            closed: None,
        })
    }

    pub fn send(&mut self, frame: &Value) {
        self.message(Message::text(frame.to_string()));
    }

    pub fn message(&mut self, message: Message) {
        // While it is closed by the other side, what it says is lost, and that is fine.
        let _ = self.socket.send(message);
    }

    pub fn input(&mut self, bytes: &[u8]) {
        self.message(Message::binary(bytes.to_vec()));
    }

    pub fn leave(mut self) {
        let _ = self.socket.close(None);
        while self.socket.read().is_ok() {}
    }

    /// Reads one message; false when none came for a moment, or none can come any more.
    #[track_caller]
    pub fn look(&mut self) -> bool {
        if self.closed.is_some() {
            return false;
        }
        match self.socket.read() {
            Ok(Message::Binary(data)) => self.output(&data),
            Ok(Message::Text(text)) => self.text(serde_json::from_str(text.as_str()).unwrap()),
            Ok(Message::Close(frame)) => {
                self.closed = Some(frame.map_or(1005, |frame| frame.code.into()));
            }
            Ok(_) => {}
            Err(Error::Io(error))
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) =>
            {
                return false;
            }
            Err(error) => {
                self.closed = Some(1006);
                self.told.push(json!({"type": "broken", "why": error.to_string()}));
            }
        }
        true
    }

    /// Reads until it is as wanted.
    #[track_caller]
    pub fn until(&mut self, what: &str, mut wanted: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !wanted(self) {
            let more = self.look();
            if !more && (self.closed.is_some() || Instant::now() > deadline) {
                assert!(wanted(self), "gave up: {what}; {}", self.state());
            }
        }
    }

    /// Reads until a text frame of this type came since the last look; gives it.
    #[track_caller]
    pub fn until_told(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let at = |viewer: &Self| {
            viewer.told.iter().position(|frame| frame["type"] == kind && wanted(frame))
        };
        self.until(kind, |viewer| at(viewer).is_some());
        let found = at(self).unwrap();
        self.told.drain(..=found).next_back().unwrap()
    }

    /// Reads until it shows this text.
    #[track_caller]
    pub fn until_shown(&mut self, text: &str) {
        self.until(text, |viewer| viewer.lines().iter().any(|line| line.contains(text)));
    }

    pub fn lines(&self) -> Vec<String> {
        self.screen.as_ref().map(Screen::lines).unwrap_or_default()
    }

    fn state(&self) -> String {
        format!(
            "next {} snapshots {} resumes {} resyncs {:?} closed {:?} told {:?} shown {:#?}",
            self.next,
            self.snapshots,
            self.resumes,
            self.resyncs,
            self.closed,
            self.told,
            self.lines()
        )
    }

    #[track_caller]
    fn output(&mut self, frame: &[u8]) {
        let (seq, data) = frame.split_at(8);
        let seq = u64::from_be_bytes(seq.try_into().unwrap());
        assert_eq!(seq, self.next, "a gap or a repetition");
        assert!(!data.is_empty() && seq + (data.len() as u64) < 1 << 53);
        if let Some(screen) = &mut self.screen {
            screen.feed(data);
        }
        self.bytes.extend_from_slice(data);
        self.next += data.len() as u64;
        if self.acks && self.next - self.acked >= 64 * 1024 {
            self.ack();
        }
    }

    /// Says that all was drawn.
    pub fn ack(&mut self) {
        self.acked = self.next;
        self.send(&json!({"type": "ack", "seq": self.next}));
    }

    #[track_caller]
    fn text(&mut self, frame: Value) {
        match frame["type"].as_str().unwrap() {
            "snapshot" => {
                let number = |field: &str| frame[field].as_u64().unwrap();
                let (cols, rows) = (number("cols") as u16, number("rows") as u16);
                let mut screen = Screen::new(Size::new(cols, rows), 10_000);
                screen.feed(&STANDARD.decode(frame["data"].as_str().unwrap()).unwrap());
                self.screen = Some(screen);
                let seq = number("seq");
                assert!(self.snapshots + self.resumes == 0 || seq >= self.next, "back in time");
                (self.next, self.acked) = (seq, seq);
                self.snapshots += 1;
            }
            "resume" => {
                self.next = frame["seq"].as_u64().unwrap();
                self.acked = self.next;
                self.resumes += 1;
            }
            "resync" => self.resyncs.push(frame["reason"].as_str().unwrap().to_owned()),
            _ => self.told.push(frame),
        }
    }

    /// Reads until it has all that the daemon has, then compares the two screens.
    #[track_caller]
    pub fn agrees(&mut self, stage: &Stage, id: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let theirs = stage.get(&format!("/api/v1/sessions/{id}/screen?ansi=true")).well();
            let theirs = theirs.json();
            let seq = theirs["seq"].as_u64().unwrap();
            while self.next < seq && Instant::now() < deadline && self.closed.is_none() {
                self.look();
            }
            let screen = self.screen.as_ref().unwrap();
            let size = (screen.size().cols(), screen.size().rows());
            if self.next != seq || theirs["cols"] != size.0 || theirs["rows"] != size.1 {
                self.look();
            } else {
                let ours: Vec<_> = screen
                    .screen(qd_screen::Format::Ansi)
                    .into_iter()
                    .map(|line| Value::from(line.text))
                    .collect();
                assert_eq!(&ours, theirs["lines"].as_array().unwrap());
                let (cursor, modes) = (screen.cursor(), screen.modes());
                let ours = json!({"x": cursor.x, "y": cursor.y, "visible": cursor.visible});
                assert_eq!(ours, theirs["cursor"]);
                assert_eq!(theirs["modes"]["alternate"], modes.alternate);
                assert_eq!(theirs["modes"]["bracketed_paste"], modes.bracketed_paste);
                assert_eq!(theirs["modes"]["application_cursor"], modes.application_cursor);
                return;
            }
            assert!(Instant::now() < deadline, "never level: {}", self.state());
        }
    }
}
