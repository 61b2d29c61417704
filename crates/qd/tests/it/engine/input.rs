//! What is typed arrives, exactly, or its sender is told.

use std::io::Write as _;
use std::process::Stdio;

use base64::Engine as _;
use serde_json::json;
use sha2::Digest as _;

use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::Dice;
use crate::script;

fn random(bytes: usize) -> Vec<u8> {
    let mut dice = Dice(0x0dd0_feed);
    (0..bytes).map(|_| u8::try_from(dice.roll(256)).unwrap()).collect()
}

fn hash(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Kilobytes that a process has in memory.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn what_is_sent_while_a_session_is_made_waits_for_its_program() {
    let stage = Stage::start();
    let script = "stty -echo; while read line; do echo got-$line; done";
    for round in 0..5 {
        let folder = tempfile::tempdir_in(stage.dir()).unwrap().keep();
        let body = json!({ "repo": folder, "in_place": true, "command": ["sh", "-c", script] });
        let id =
            stage.post("/api/v1/sessions", &body).well().json()["id"].as_str().unwrap().to_owned();
        stage.qd(&["send", &id, &format!("early-{round}"), "--enter"]).well();
        stage.until_line(&id, |line| line.ends_with(&format!("got-early-{round}")));
    }
    // Who waits for one that cannot be made is told.
    let folder = tempfile::tempdir_in(stage.dir()).unwrap().keep();
    let program = folder.join("program");
    script::program(&program, "#!/none/such\n");
    let body = json!({ "repo": folder, "in_place": true, "command": [program] });
    let id = stage.post("/api/v1/sessions", &body).well().json()["id"].as_str().unwrap().to_owned();
    let said = stage.qd(&["send", &id, "lost"]);
    assert_eq!(said.code, 4, "{} {}", said.out, said.err);
}

#[test]
fn a_million_random_bytes_arrive_exactly() {
    let stage = Stage::start();
    let id = stage
        .run("stty raw -echo opost; while :; do echo ready; head -c 1000000 | sha256sum; done");
    stage.until_line(&id, |line| line.contains("ready"));
    let bytes = random(1_000_000);
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    for part in bytes.chunks(50_000) {
        viewer.input(part);
        viewer.look();
    }
    let wanted = hash(&bytes);
    viewer.until_shown(&wanted);
    assert!(viewer.told.iter().all(|frame| frame["type"] != "error"), "{:?}", viewer.told);
    viewer.leave();

    // The same by the command line, which waits until all is handed over.
    let other: Vec<u8> = bytes.iter().rev().copied().collect();
    let mut send = stage.command(&["send", &id, "-"]);
    let mut send =
        send.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    send.stdin.take().unwrap().write_all(&other).unwrap();
    let said = send.wait_with_output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let wanted = hash(&other);
    stage.until_line(&id, |line| line.contains(&wanted));
}

#[test]
fn input_as_text_frames_is_the_same_bytes() {
    let stage = Stage::start();
    let id = stage.run("stty raw -echo opost; echo ready; head -c 300 | sha256sum; sleep 100");
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    let bytes = random(300);
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes[..100]);
    viewer.send(&json!({"type": "input", "data": data}));
    viewer.input(&bytes[100..]);
    viewer.until_shown(&hash(&bytes));
}

#[test]
fn a_program_that_never_reads_costs_nothing_and_its_senders_are_told() {
    let stage = Stage::start();
    let id = stage.run("stty raw -echo; echo ready; exec sleep 1000");
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    let tmux = stage.tmux(&["display-message", "-p", "#{pid}"]).well().out;
    let tmux: u32 = tmux.trim().parse().unwrap();
    let before = (resident(stage.pid()), resident(tmux));
    for _ in 0..40 {
        viewer.input(&[b'x'; 500_000]);
        viewer.look();
    }
    let error = viewer.until_told("error", |frame| frame["code"] == "input_full");
    assert!(error["message"].as_str().unwrap().contains("does not read"), "{error}");
    let said = stage.post(&format!("/api/v1/sessions/{id}/send"), &json!({"text": "x"}));
    assert_eq!(said.problem(), (409, "input_full".to_owned()));
    let after = (resident(stage.pid()), resident(tmux));
    assert!(after.0 < before.0 + 24_000, "the daemon grew from {before:?} to {after:?} kB");
    assert!(after.1 < before.1 + 4_000, "tmux grew from {before:?} to {after:?} kB");
    // Everything else goes on.
    let other = stage.run("echo hello; sleep 100");
    stage.until_line(&other, |line| line.contains("hello"));
    viewer.send(&json!({"type": "resize", "cols": 70, "rows": 20}));
    viewer.until_told("size", |frame| frame["cols"] == 70);
}

#[test]
fn a_viewer_is_told_when_its_input_is_dropped() {
    let stage = Stage::start();
    let id = stage.run("stty raw -echo; echo ready; exec sleep 1000");
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    // Less than what may wait: it is taken in, and given up after a while.
    viewer.input(&[b'x'; 100_000]);
    viewer.until_told("error", |frame| frame["code"] == "input_full");
}

#[test]
fn a_paste_is_marked_where_the_program_asks_for_it() {
    let stage = Stage::start();
    let script = "stty raw -echo opost; printf 'ready\\r\\n'; \
        head -c 7 | od -An -c; printf '\\033[?2004hmarked\\r\\n'; \
        head -c 19 | od -An -c -w40; printf '\\033[?2004lplain\\r\\n'; \
        head -c 3 | od -An -c; sleep 100";
    let id = stage.run(script);
    let mut viewer = Viewer::open(&stage, &id);
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    viewer.until_shown("ready");
    viewer.send(&json!({"type": "paste", "text": "one two"}));
    viewer.until("unmarked", |viewer| {
        viewer.lines().iter().any(|line| squeezed(line) == "o n e t w o")
    });
    viewer.until_shown("marked");
    until("the mode", || (stage.screen(&id)["modes"]["bracketed_paste"] == true).then_some(()));
    viewer.send(&json!({"type": "paste", "text": "one two"}));
    viewer.until("marked", |viewer| {
        let wanted = "033 [ 2 0 0 ~ o n e t w o 033 [ 2 0 1 ~";
        viewer.lines().iter().any(|line| squeezed(line) == wanted)
    });
    viewer.until_shown("plain");
    until("the mode", || (stage.screen(&id)["modes"]["bracketed_paste"] == false).then_some(()));
    let said = stage.qd(&["send", &id, "--paste", "abc"]);
    said.well();
    viewer.until("unmarked", |viewer| viewer.lines().iter().any(|line| squeezed(line) == "a b c"));
}

#[test]
fn a_paste_cannot_end_its_own_marks() {
    let stage = Stage::start();
    let script = "stty raw -echo opost; printf '\\033[?2004hready\\r\\n'; \
        dd bs=1 count=24 2>/dev/null | od -An -c -w80; sleep 100";
    let id = stage.run(script);
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    viewer.send(&json!({"type": "paste", "text": "a\u{1b}[201~rm\r"}));
    viewer.input(b"0123456789012345678901234");
    viewer.until("the bytes", |viewer| viewer.lines().iter().any(|line| line.contains("033")));
    let shown = viewer.lines().iter().find(|line| line.contains("033")).unwrap().clone();
    let words: Vec<_> = shown.split_whitespace().collect();
    let text = words.concat();
    assert!(text.starts_with("033[200~"), "{text}");
    assert_eq!(text.matches("033[201~").count(), 1, "{text}");
    let end = text.find("033[201~").unwrap();
    assert!(text[..end].contains("rm"), "what was pasted stays within the marks: {text}");
}
