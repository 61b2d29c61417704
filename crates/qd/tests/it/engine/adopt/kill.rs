//! The daemon is killed while it holds a pane of the person's own: the pane is as it was, and
//! viewers go on with what it shows.

use serde_json::json;

use super::super::cut::Cut;
use super::super::socket::Viewer;
use super::super::stage::Stage;
use super::{Theirs, adopted, is_line};

/// Comes back with the number of the next byte, and has a fresh screen soon.
#[track_caller]
fn come_back(stage: &Stage, id: &str, mut left: Viewer) -> Viewer {
    while left.closed.is_none() {
        left.look();
    }
    let how = json!({"from": left.next, "cols": 80, "rows": 24});
    let mut viewer = Viewer::attach(stage, &stage.token(), id, how);
    viewer.until("a fresh screen", |viewer| viewer.snapshots > 0);
    viewer
}

#[test]
fn after_a_kill_viewers_go_on_and_the_tape_has_what_was_seen() {
    let mut stage = Stage::start();
    let theirs = Theirs::start();
    let before = theirs.all();
    let (id, _) = adopted(&stage, &theirs, "work");
    let mut viewer = Viewer::open(&stage, &id);
    for round in 1..=2 {
        viewer.input(format!("echo seen$(({round}))\r").as_bytes());
        viewer.until_shown(&format!("seen{round}"));
        stage.kill();
        theirs.until_as(&before);
        theirs.tmux(&format!("send-keys -t work 'echo away$(({round}))' Enter"));
        theirs.until_printed(&format!("away{round}"));
        stage.serve();
        viewer = come_back(&stage, &id, viewer);
        viewer.until_shown(&format!("away{round}"));
        viewer.agrees(&stage, &id);
    }
    viewer.input(b"echo la''st\r");
    viewer.until_shown("last");
    // The pane goes while nobody is there to ask: what it showed last is on the tape.
    stage.kill();
    theirs.tmux("new-window -d -t work sh");
    theirs.tmux("kill-pane -t %0");
    stage.serve();
    stage.until_state(&id, "exited");
    for line in ["seen1", "away1", "seen2", "away2", "last"] {
        stage.until_line(&id, |shown| is_line(shown, line));
    }
    assert!(!stage.root().join("sessions").join(&id).join("tape").exists());
    assert_eq!(theirs.tmux("display-message -p -t %1 '#{pane_dead}'").trim(), "0");
}

#[test]
fn killed_at_any_step_of_taking_its_output_in_no_byte_comes_twice() {
    let mut cut = Cut::new();
    let theirs = Theirs::start();
    let (id, _) = adopted(&cut.stage, &theirs, "work");
    let mut viewer = Viewer::open(&cut.stage, &id);
    for step in ["tape-written", "tape-unsettled"] {
        // Seen before more is typed, which does not come by way of the daemon.
        viewer.input(b"clear; echo cle''ared\r");
        viewer.until_shown("cleared");
        cut.hold(step);
        theirs.tmux(&format!("send-keys -t work 'echo at''-{step}' Enter"));
        theirs.until_printed(&format!("at-{step}"));
        cut.kill_at(step);
        assert!(theirs.runs());
        cut.stage.serve();
        viewer = come_back(&cut.stage, &id, viewer);
        viewer.until_shown(&format!("at-{step}"));
        viewer.input(b"echo go''es on\r");
        viewer.until_shown("goes on");
        viewer.agrees(&cut.stage, &id);
        let line = format!("at-{step}");
        assert_eq!(
            viewer.lines().iter().filter(|shown| is_line(shown, &line)).count(),
            1,
            "{step}"
        );
    }
}
