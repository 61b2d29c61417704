//! What a viewer sees is what is there.

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::http;
use super::socket::Viewer;
use super::stage::{Stage, until};

/// Runs each line that it is sent, with the terminal's echo off.
pub const PLAYER: &str = "stty -echo; echo ready; while read -r line; do eval \"$line\"; done";

/// Numbers that look random and are the same each time.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// What programs print: colours, wide and combined characters, jumps, erasing, scrolling.
fn scribble(dice: &mut Dice, pieces: usize) -> Vec<u8> {
    let mut out = String::new();
    for _ in 0..pieces {
        let (n, m) = (dice.roll(100), dice.roll(30) + 1);
        match dice.roll(16) {
            0 => out += &format!("\x1b[{}m", 30 + n % 8),
            1 => out += &format!("\x1b[48;5;{n};1m"),
            2 => out += &format!("\x1b[38;2;{n};{m};9;4m"),
            3 => out += "\x1b[m",
            4 => out += &format!("\x1b[{m};{n}H"),
            5 => out += &format!("\x1b[{}K", n % 3),
            6 => out += "漢字かな交じり",
            7 => out += "e\u{301}o\u{308} ⠋ 👍🏽 ⚠\u{fe0f} 👩\u{200d}👩\u{200d}👧",
            8 => out += &format!("\x1b[{}L\x1b[{}P", n % 4, m % 5),
            9 => out += &format!("\x1b[{};{}r", m % 8 + 1, m % 8 + 10),
            10 => out += "\x1b[r",
            11 => out += &format!("\x1b]2;title {n}\x07"),
            12 if n < 10 => out += "\x1b[2J",
            _ => out += &format!("plain words {n}\r\n"),
        }
    }
    out.into_bytes()
}

#[test]
fn a_viewer_draws_the_same_screen_after_whatever_output() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut early = Viewer::open(&stage, &id);
    early.until_shown("ready");
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..6 {
        let file = stage.dir().join(format!("scribble-{round}"));
        std::fs::write(&file, scribble(&mut dice, 400)).unwrap();
        early.input(
            format!("cat {}; printf '\\033[r\\033[20;1Hround-%s' {round}\n", file.display())
                .as_bytes(),
        );
        early.until_shown(&format!("round-{round}"));
        early.agrees(&stage, &id);
        let mut late = Viewer::open(&stage, &id);
        late.until("a snapshot", |viewer| viewer.snapshots == 1);
        late.agrees(&stage, &id);
    }
    assert_eq!(early.snapshots, 1 + early.resyncs.len());
}

#[test]
fn programs_of_the_whole_screen_come_and_go() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let text: String = (0..200).map(|n| format!("line {n} 漢\n")).collect();
    std::fs::write(stage.dir().join("text"), text).unwrap();
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    viewer.input(b"echo before\n");
    viewer.until_shown("before");
    for (program, quit) in [("less", "q"), ("vi", "\x1b:q!\r")] {
        if stage.home.shell(&format!("command -v {program}")).code != 0 {
            continue;
        }
        viewer.input(format!("{program} {}\n", stage.dir().join("text").display()).as_bytes());
        viewer.until_shown("line 5 漢");
        until("the alternate screen", || {
            (stage.screen(&id)["modes"]["alternate"] == true).then_some(())
        });
        viewer.input(b"G");
        viewer.until_shown("line 199 漢");
        viewer.agrees(&stage, &id);
        let mut late = Viewer::open(&stage, &id);
        late.until_shown("line 199 漢");
        late.agrees(&stage, &id);
        viewer.input(quit.as_bytes());
        for looker in [&mut viewer, &mut late] {
            looker.until_shown("before");
            assert!(!looker.lines().join("").contains("line 199"), "the old screen is back");
        }
        viewer.input(b"echo after\n");
        viewer.until_shown("after");
        viewer.agrees(&stage, &id);
        late.agrees(&stage, &id);
    }
}

#[test]
fn what_is_refused_before_and_after_the_upgrade() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let token = stage.token();
    for token in [None, Some("wrong"), Some("")] {
        let mut viewer = Viewer::connect(&stage, &id, token, &[]).unwrap();
        viewer.until("a close", |viewer| viewer.closed.is_some());
        assert_eq!(viewer.closed, Some(4401), "{token:?}");
    }
    let mut viewer = Viewer::connect(&stage, "kaaaaaaaaaaa", Some(&token), &[]).unwrap();
    viewer.until("a close", |viewer| viewer.closed.is_some());
    assert_eq!(viewer.closed, Some(4404));

    for (name, value, code) in [
        ("origin", "http://evil.example", "origin_refused"),
        ("origin", "null", "origin_refused"),
        ("host", "evil.example", "host_refused"),
    ] {
        let refused = Viewer::connect(&stage, &id, Some(&token), &[(name, value)]);
        let (status, body) = refused.err().unwrap();
        assert_eq!(status, 403);
        // The body is read with the head or not at all; then another request tells.
        if !body.is_empty() {
            assert!(String::from_utf8_lossy(&body).contains(code));
        }
    }
    let address = stage.address();
    let own = format!("http://{address}");
    let mut same = Viewer::connect(&stage, &id, Some(&token), &[("origin", &own)]).unwrap();
    same.send(&json!({"type": "attach", "cols": 80, "rows": 24}));
    same.until_shown("ready");

    let upgrade = [
        ("Host", address.as_str()),
        ("Connection", "upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Authorization", &format!("Bearer {token}")),
    ];
    let path = format!("/api/v1/sessions/{id}/terminal");
    let answer = http::over_tcp(&address, &http::request("GET", &path, &upgrade, b""));
    assert_eq!(answer.problem(), (426, "bad_request".to_owned()));
}

#[test]
fn frames_out_of_protocol_end_the_viewer_and_say_why() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let attach = Message::text(r#"{"type":"attach","cols":80,"rows":24}"#);
    let text = Message::text::<&str>;
    let cases = [
        (false, text(r#"{"type":"ack","seq":0}"#), 1008),
        (false, Message::binary(b"early".to_vec()), 1008),
        (false, text("{"), 1008),
        (false, text(r#"{"type":"attach"}"#), 1008),
        (true, attach.clone(), 1008),
        (true, text(r#"{"type":"dance"}"#), 1008),
        (true, text(r#"{"type":"input","data":"%"}"#), 1008),
        (true, text("nonsense"), 1008),
        (true, Message::binary(vec![b'x'; (1 << 20) + 1]), 1009),
    ];
    for (attached, frame, close) in cases {
        let shown = format!("{attached} {frame:.60?}");
        let mut viewer = Viewer::connect(&stage, &id, Some(&stage.token()), &[]).unwrap();
        if attached {
            viewer.message(attach.clone());
            viewer.until("a snapshot", |viewer| viewer.snapshots == 1);
        }
        viewer.message(frame);
        viewer.until("a close", |viewer| viewer.closed.is_some());
        assert_eq!(viewer.closed, Some(close), "{shown}");
        let error = viewer.until_told("error", |_| true);
        assert_eq!(error["code"], "bad_request", "{shown}");
        assert!(error["message"].as_str().unwrap().len() > 10, "{shown} {error}");
    }
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    viewer.agrees(&stage, &id);
}
