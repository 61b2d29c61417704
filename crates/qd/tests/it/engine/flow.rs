//! Coming back, falling behind, and many eyes on one terminal.

use serde_json::json;

use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::{Dice, PLAYER};

/// A file of lines with nothing in them that a terminal changes when `opost` is off.
fn lines(stage: &Stage, name: &str, bytes: usize, seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed);
    let mut text = Vec::with_capacity(bytes + 80);
    while text.len() < bytes {
        text.extend_from_slice(
            format!("{:016x} \x1b[3{}mcolour\x1b[m\r\n", dice.roll(u64::MAX), dice.roll(8))
                .as_bytes(),
        );
    }
    std::fs::write(stage.dir().join(name), &text).unwrap();
    text
}

fn play(stage: &Stage, id: &str, line: &str) {
    let body = json!({"text": line, "enter": true});
    stage.post(&format!("/api/v1/sessions/{id}/send"), &body).well();
}

#[test]
fn coming_back_by_number_leaves_no_gap() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut first = Viewer::open(&stage, &id);
    // What was drawn before the resize that attaching is would not be resumed.
    first.until("the size", |viewer| viewer.resyncs == ["resized"] && viewer.snapshots == 2);
    first.until_shown("ready");
    let from = first.next;
    first.leave();
    let text = lines(&stage, "text", 100_000, 7);
    play(&stage, &id, &format!("stty -opost; cat {}/text; printf the-end", stage.dir().display()));
    stage.until_line(&id, |line| line.contains("the-end"));

    let how = json!({"from": from, "cols": 80, "rows": 24});
    let mut again = Viewer::attach(&stage, &stage.token(), &id, how);
    let all = text.len() + "the-end".len();
    again.until("all of it", |viewer| viewer.bytes.len() >= all);
    assert_eq!((again.resumes, again.snapshots), (1, 0));
    assert_eq!(again.bytes, [&text[..], b"the-end"].concat());
    assert_eq!(again.next, from + all as u64);

    let (at, log) = stage.logs(&id);
    assert_eq!(at + log.len() as u64, again.next);
    assert!(log.ends_with(&again.bytes));

    // From exactly here, and then live.
    let how = json!({"from": again.next, "cols": 80, "rows": 24});
    let mut here = Viewer::attach(&stage, &stage.token(), &id, how);
    here.until("resumed", |viewer| viewer.resumes == 1);
    play(&stage, &id, "printf more");
    here.until("more", |viewer| viewer.bytes == b"more");
}

#[test]
fn too_old_and_future_numbers_get_a_snapshot() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut first = Viewer::open(&stage, &id);
    first.until_shown("ready");
    let old = first.next;
    lines(&stage, "text", 1_300_000, 11);
    play(&stage, &id, &format!("cat {}/text; echo the-end", stage.dir().display()));
    stage.until_line(&id, |line| line.contains("the-end"));
    for from in [old, 0, 1 << 50] {
        let how = json!({"from": from, "cols": 80, "rows": 24});
        let mut viewer = Viewer::attach(&stage, &stage.token(), &id, how);
        viewer.until("a snapshot", |viewer| viewer.snapshots == 1);
        assert_eq!(viewer.resumes, 0, "{from}");
        viewer.agrees(&stage, &id);
        let history = viewer.screen.as_ref().unwrap().history_len();
        assert_eq!(history, 1000, "{from}: the history that comes unless asked");
    }
    let how = json!({"cols": 80, "rows": 24, "scrollback": 5});
    let mut viewer = Viewer::attach(&stage, &stage.token(), &id, how);
    viewer.until("a snapshot", |viewer| viewer.snapshots == 1);
    assert_eq!(viewer.screen.as_ref().unwrap().history_len(), 5);
}

#[test]
fn two_viewers_get_the_same_bytes() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let (mut one, mut two) = (Viewer::open(&stage, &id), Viewer::open(&stage, &id));
    for viewer in [&mut one, &mut two] {
        // Attaching is a resize, which passes over a number.
        viewer.until("its size", |viewer| {
            viewer.screen.as_ref().is_some_and(|screen| screen.size().cols() == 80)
        });
        viewer.until_shown("ready");
    }
    let (start, two_start) = (one.next, two.next);
    play(&stage, &id, "stty -opost");
    let mut all = vec![];
    for round in 0..4_usize {
        let text = lines(&stage, &format!("text-{round}"), 150_000, 100 + round as u64);
        play(&stage, &id, &format!("cat {}/text-{round}", stage.dir().display()));
        all.extend_from_slice(&text);
        for viewer in [&mut one, &mut two] {
            let level = start + all.len() as u64;
            viewer.until("this round", |viewer| viewer.next >= level);
        }
    }
    assert_eq!(start, two_start);
    assert!(one.bytes.ends_with(&all), "one missed something");
    assert!(two.bytes.ends_with(&all), "two missed something");
    assert!(one.resyncs.iter().chain(&two.resyncs).all(|why| why == "resized"));
}

#[test]
fn a_viewer_that_says_nothing_gets_a_mebibyte_and_then_a_fresh_screen() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut silent = Viewer::open(&stage, &id);
    silent.acks = false;
    silent.until_shown("ready");
    let mut quick = Viewer::open(&stage, &id);
    quick.until_shown("ready");
    lines(&stage, "text", 1_500_000, 13);
    for _ in 0..2 {
        play(&stage, &id, &format!("cat {}/text; echo", stage.dir().display()));
    }
    play(&stage, &id, "echo the-end");
    quick.until_shown("the-end");
    let end = quick.next;
    // All is printed; what may come to the silent one is on its way. It is at most a window.
    until("silence", || (!silent.look() && !silent.look()).then_some(()));
    assert!(silent.bytes.len() <= 1 << 20, "{} bytes without an ack", silent.bytes.len());
    assert!(silent.next < end);
    assert!(!silent.resyncs.contains(&"slow".to_owned()), "{:?}", silent.resyncs);
    silent.acks = true;
    silent.ack();
    silent.until("level", |viewer| viewer.next == end);
    assert_eq!(silent.resyncs.last().unwrap(), "slow");
    silent.agrees(&stage, &id);
    play(&stage, &id, "echo and-on");
    silent.until_shown("and-on");
    silent.agrees(&stage, &id);
}
