//! Hibernated sessions: who wakes them, and that nothing that is sent to one is lost.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use super::native::Person;
use super::socket::Viewer;
use super::stage::{Stage, until};

/// Says which start it is, then repeats what it reads, each line with a word before it.
const REPEATER: &str = "echo x >> starts; stty -echo; echo start-$(wc -l < starts)-ready; \
     while read -r line; do echo \"got:$line\"; done";

struct Sleeper {
    id: String,
    folder: PathBuf,
}

impl Sleeper {
    /// A session in a folder of its own that was hibernated once.
    fn asleep(stage: &Stage, script: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("f").tempdir_in(stage.dir()).unwrap().keep();
        let view = stage.new_session(json!({
            "repo": folder, "in_place": true, "command": ["sh", "-c", script]
        }));
        let sleeper = Self { id: view["id"].as_str().unwrap().to_owned(), folder };
        stage.until_line(&sleeper.id, |line| line == "start-1-ready");
        stage.post(&format!("/api/v1/sessions/{}/hibernate", sleeper.id), &json!({})).well();
        stage.until_state(&sleeper.id, "hibernated");
        sleeper
    }

    fn starts(&self) -> usize {
        starts(&self.folder)
    }
}

fn starts(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("starts")).unwrap_or_default().lines().count()
}

/// The lines that the program read, in their order.
fn got(stage: &Stage, id: &str) -> Vec<String> {
    let screen = stage.get(&format!("/api/v1/sessions/{id}/screen?history=true")).well().json();
    let lines = screen["lines"].as_array().unwrap().iter().filter_map(Value::as_str);
    lines.filter_map(|line| line.strip_prefix("got:")).map(str::to_owned).collect()
}

#[test]
fn it_wakes_when_its_time_has_come() {
    let mut stage = Stage::start();
    let sleeper = Sleeper::asleep(&stage, REPEATER);
    let id = &sleeper.id;
    // Also of one that sleeps already; and the time is kept over a new start of the daemon.
    let said = stage.qd(&["hibernate", id, "--wake-in", "1h"]).well();
    assert!(said.out.contains("It wakes on "), "{said:?}");
    let view = stage.show(id);
    let at = view["wake_at"].as_str().unwrap().to_owned();
    assert!(stage.qd(&["show", id]).well().out.contains("wakes"));
    stage.kill();
    stage.serve();
    assert_eq!(stage.show(id)["wake_at"], at.as_str());
    assert_eq!((sleeper.starts(), stage.show(id)["state"].as_str()), (1, Some("hibernated")));
    stage.qd(&["hibernate", id, "--wake-in", "1s"]).well();
    stage.until_line(id, |line| line == "start-2-ready");
    let view = stage.until_state(id, "running");
    assert!(view["wake_at"].is_null(), "{view}");

    // A time that passes while it runs means nothing later.
    let change = json!({"wake_at": "2020-01-01T00:00:00Z"});
    let path = format!("/api/v1/sessions/{id}");
    stage.ask("PATCH", &path, &[], change.to_string().as_bytes()).well();
    until("it is forgotten", || stage.show(id)["wake_at"].is_null().then_some(()));
    stage.post(&format!("{path}/hibernate"), &json!({})).well();
    stage.until_state(id, "hibernated");
    assert_eq!(sleeper.starts(), 2);
    // And no time is refused.
    for (given, why) in [("soon", "field_invalid"), ("2026-13-01T00:00:00Z", "field_invalid")] {
        let change = json!({"wake_at": given}).to_string();
        let answer = stage.ask("PATCH", &path, &[], change.as_bytes());
        assert_eq!((answer.status, &answer.json()["code"]), (422, &json!(why)), "{given}");
    }
}

#[test]
fn a_message_wakes_and_arrives_once_and_in_order() {
    let stage = Stage::start();
    let sleeper = Sleeper::asleep(&stage, REPEATER);
    let id = &sleeper.id;
    // Senders who do not wait for each other, but begin one after the other.
    let mut senders = Vec::new();
    for number in 0..20 {
        let mut send = stage.command(&["send", id, &format!("message {number}"), "--enter"]);
        senders.push(send.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
        if number == 0 {
            until("it is being woken", || {
                let view = stage.show(id);
                (view["pending"] == "wake" || view["state"] == "running").then_some(())
            });
        }
    }
    for sender in senders {
        let said = sender.wait_with_output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    stage.qd(&["keys", id, "l", "a", "s", "t", "Enter"]).well();
    stage.until_line(id, |line| line == "got:last");
    let mut got = got(&stage, id);
    assert_eq!((got[0].as_str(), got.len()), ("message 0", 21), "{got:?}");
    assert_eq!(got.pop().as_deref(), Some("last"));
    got.sort();
    got.dedup();
    assert_eq!(got.len(), 20, "each once: {got:?}");
    assert_eq!(sleeper.starts(), 2);
}

#[test]
fn a_message_to_one_that_is_just_being_hibernated_goes_to_the_next_program() {
    let stage = Stage::start();
    let folder = tempfile::Builder::new().prefix("f").tempdir_in(stage.dir()).unwrap().keep();
    let script = format!("trap 'sleep 1; exit' TERM; {REPEATER}");
    let view = stage.new_session(json!({
        "repo": folder, "in_place": true, "command": ["sh", "-c", script]
    }));
    let id = view["id"].as_str().unwrap();
    stage.until_line(id, |line| line == "start-1-ready");
    stage.post(&format!("/api/v1/sessions/{id}/hibernate"), &json!({})).well();
    stage.qd(&["send", id, "after all", "--enter"]).well();
    stage.until_line(id, |line| line == "got:after all");
    assert_eq!(starts(&folder), 2);
    assert_eq!(stage.until_state(id, "running")["state"], "running");
}

#[test]
fn opening_wakes_and_looking_does_not() {
    let stage = Stage::start();
    let sleeper = Sleeper::asleep(&stage, REPEATER);
    let id = &sleeper.id;
    stage.screen(id);
    stage.logs(id);
    let size = json!({"cols": 80, "rows": 24});
    let with = |more: &str, value: Value| {
        let mut how = size.clone();
        how[more] = value;
        how
    };
    let mut reader = Viewer::attach(&stage, &stage.token(), id, with("read_only", true.into()));
    reader.until_shown("start-1-ready");
    let back = Viewer::attach(&stage, &stage.token(), id, with("from", reader.next.into()));
    assert_eq!(stage.show(id)["state"], "hibernated");
    assert!(stage.show(id)["pending"].is_null());
    // A window that gets the focus is nobody who types.
    let mut back = back;
    back.input(b"\x1b[I");
    back.until("an answer", |viewer| viewer.resumes == 1);

    let mut viewer = Viewer::open(&stage, id);
    viewer.until_shown("start-1-ready");
    viewer.until_shown("start-2-ready");
    assert!(viewer.resyncs.iter().any(|reason| reason == "restarted"), "{:?}", viewer.resyncs);
    viewer.input(b"by hand\n");
    viewer.until_shown("got:by hand");
    reader.until_shown("got:by hand");
    assert_eq!(sleeper.starts(), 2);
    assert!(got(&stage, id).iter().all(|line| line == "by hand"));

    // Who is there still when it is hibernated wakes it by typing.
    stage.post(&format!("/api/v1/sessions/{id}/hibernate"), &json!({})).well();
    stage.until_state(id, "hibernated");
    viewer.input(b"by hand again\n");
    viewer.until_shown("start-3-ready");
    viewer.until_shown("got:by hand again");
    assert_eq!(sleeper.starts(), 3);
}

#[test]
fn a_native_attach_wakes_unless_it_looks_only() {
    let stage = Stage::start();
    let sleeper = Sleeper::asleep(&stage, REPEATER);
    let mut person = Person::attach(&stage, &["attach", &sleeper.id, "--read-only"], 80, 24);
    assert_eq!(person.ends(), Some(4));
    assert_eq!(stage.show(&sleeper.id)["state"], "hibernated");
    let mut person = Person::attach(&stage, &["attach", &sleeper.id], 80, 24);
    person.until_shown("start-2-ready");
    person.types(b"typed\n");
    person.until_shown("got:typed");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn a_start_that_fails_is_told_to_who_sent_and_who_opened() {
    let stage = Stage::start();
    let sleeper = Sleeper::asleep(&stage, REPEATER);
    let away = sleeper.folder.with_extension("away");
    std::fs::rename(&sleeper.folder, &away).unwrap();
    let said = stage.qd(&["send", &sleeper.id, "x", "--enter", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("worktree_missing", 3), "{said:?}");
    let mut viewer = Viewer::open(&stage, &sleeper.id);
    viewer.until_told("error", |frame| frame["code"] == "worktree_missing");
    assert_eq!(stage.until_state(&sleeper.id, "hibernated")["state"], "hibernated");
    // Nothing of it is delivered later.
    std::fs::rename(&away, &sleeper.folder).unwrap();
    stage.qd(&["send", &sleeper.id, "y", "--enter"]).well();
    stage.until_line(&sleeper.id, |line| line == "got:y");
    assert_eq!(got(&stage, &sleeper.id), ["y"]);
}

#[test]
fn a_message_in_the_moment_of_a_daemons_return_is_waited_for() {
    let mut stage = Stage::start();
    let ids: Vec<_> = (0..8).map(|_| stage.run(REPEATER)).collect();
    for id in &ids {
        stage.until_line(id, |line| line == "start-1-ready");
    }
    for round in 0..3 {
        stage.kill();
        stage.serve();
        for id in &ids {
            stage.qd(&["send", id, &format!("round {round}"), "--enter"]).well();
        }
    }
    for id in &ids {
        stage.until_line(id, |line| line == "got:round 2");
        assert_eq!(got(&stage, id), ["round 0", "round 1", "round 2"]);
    }
}

#[test]
fn a_shell_is_hibernated_at_once_and_wakes() {
    let stage = Stage::start();
    let folder = tempfile::Builder::new().prefix("f").tempdir_in(stage.dir()).unwrap().keep();
    let view = stage.new_session(json!({
        "repo": folder, "in_place": true, "command": ["bash", "--norc", "-i"],
        "env": {"PS1": "ready> "}
    }));
    let id = view["id"].as_str().unwrap();
    stage.until_line(id, |line| line.starts_with("ready>"));
    stage.post(&format!("/api/v1/sessions/{id}/hibernate"), &json!({})).well();
    let view = stage.until_state(id, "hibernated");
    // Killed it would have been had it been waited for to the end.
    assert_eq!(view["exit"]["signal"], 1, "{view}");
    stage.qd(&["send", id, "echo wo\"\"ken", "--enter"]).well();
    stage.until_line(id, |line| line == "woken");
}

#[test]
fn the_idle_are_hibernated_and_nobody_else() {
    let mut stage = Stage::start();
    stage.stop();
    let settings = stage.root().join("config.toml");
    std::fs::write(&settings, "[hibernate]\nafter = \"3s\"\n").unwrap();
    stage.serve();
    let said = stage.qd(&["doctor"]).out;
    assert!(said.contains("hibernated after 3 s"), "{said}");
    let make = |script: &str, on_loss: &str| {
        let folder = tempfile::Builder::new().prefix("f").tempdir_in(stage.dir()).unwrap().keep();
        let view = stage.new_session(json!({
            "repo": folder, "in_place": true, "on_loss": on_loss, "command": ["sh", "-c", script]
        }));
        view["id"].as_str().unwrap().to_owned()
    };
    let silent = "stty -echo; echo ready; read -r line; echo got:$line; read -r line";
    let idle = make(silent, "rerun");
    let others = [
        // Prints nothing and works.
        make("while :; do :; done", "rerun"),
        make("while sleep 0.5; do echo tick; done", "rerun"),
        // A command that is not to be started again.
        make(silent, "stop"),
        // A program of the program, which would be gone.
        make("sleep 1000; echo never", "rerun"),
    ];
    stage.until_state(&idle, "hibernated");
    // Twice more, so that whatever would hibernate the others has had its time.
    for _ in 0..2 {
        stage.qd(&["send", &idle, "awake", "--enter"]).well();
        stage.until_line(&idle, |line| line == "got:awake");
        stage.until_state(&idle, "hibernated");
    }
    for other in &others {
        assert_eq!(stage.show(other)["state"], "running", "{}", stage.show(other));
    }
    std::fs::write(&settings, "").unwrap();
    let said = stage.qd(&["doctor"]).out;
    assert!(said.contains("was changed since"), "{said}");
}

#[test]
fn settings_that_cannot_be_are_told_by_their_line() {
    let mut stage = Stage::start();
    stage.stop();
    let settings = stage.root().join("config.toml");
    std::fs::write(&settings, "[hibernate]\nafter = \"later\"\n").unwrap();
    let said = stage.qd(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("field_invalid", 2), "{said:?}");
    assert!(said.out.contains("line 2") && said.out.contains("30m"), "{said:?}");
    std::fs::remove_file(&settings).unwrap();
    stage.serve();
}
