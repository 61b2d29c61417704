//! `qd run` in a terminal of its own.

use std::path::PathBuf;

use super::native::Person;
use super::stage::{Stage, until};

/// A person in a folder of their own who runs a command.
fn run(stage: &Stage, args: &[&str]) -> (Person, PathBuf) {
    let folder = tempfile::Builder::new().prefix("f").tempdir_in(stage.dir()).unwrap().keep();
    let args: Vec<_> = ["run"].iter().chain(args).copied().collect();
    (Person::attach_in(stage, &args, 90, 30, &folder), folder)
}

fn sessions(stage: &Stage) -> Vec<serde_json::Value> {
    stage.get("/api/v1/sessions").well().json().as_array().unwrap().clone()
}

#[test]
fn a_command_runs_here_and_its_end_is_ours() {
    let stage = Stage::start();
    let script = "stty size; pwd; echo ready; read -r line; echo got:$line; exit 7";
    let (mut person, folder) = run(&stage, &["--title", "Here", "--", "sh", "-c", script]);
    person.until_shown("ready");
    person.until_shown(folder.to_str().unwrap().rsplit('/').next().unwrap());
    person.until_shown("30 90");
    person.types(b"hello\n");
    assert_eq!(person.ends(), Some(7));
    // What it printed stays.
    person.until_shown("got:hello");
    let all = sessions(&stage);
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["title"], &all[0]["kind"]), (&"Here".into(), &"in-place".into()));
    assert_eq!((&all[0]["state"], &all[0]["exit"]["code"]), (&"exited".into(), &7.into()));
}

#[test]
fn who_leaves_is_told_how_to_come_back() {
    let stage = Stage::start();
    let script = "echo ready; while read -r line; do echo got:$line; done";
    let (mut person, _) = run(&stage, &["--title", "Mine", "--", "sh", "-c", script]);
    person.until_shown("ready");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
    let id = sessions(&stage)[0]["id"].as_str().unwrap().to_owned();
    person.until_shown(&format!("qd attach {id}"));
    assert_eq!(stage.show(&id)["state"], "running");
    let mut person = Person::attach(&stage, &["attach", &id], 90, 30);
    person.until_shown("ready");
    person.types(b"back\n");
    person.until_shown("got:back");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn a_command_that_ends_at_once_or_by_a_signal_is_told_all_the_same() {
    let stage = Stage::start();
    let (mut person, _) = run(&stage, &["--", "sh", "-c", "echo quick; exit 3"]);
    assert_eq!(person.ends(), Some(3));
    person.until_shown("quick");
    let (mut person, _) = run(&stage, &["--", "sh", "-c", "echo ready; read x; kill -TERM $$"]);
    person.until_shown("ready");
    person.types(b"\n");
    assert_eq!(person.ends(), Some(128 + 15));
    let (mut person, _) = run(&stage, &["--", "true"]);
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn what_cannot_be_run_says_why() {
    let stage = Stage::start();
    let said = stage.qd(&["run", "--json", "--", "true"]);
    assert_eq!((said.error().as_str(), said.code), ("not_allowed", 4), "no terminal");
    assert_eq!(stage.qd(&["run"]).code, 2);
    let (mut person, _) = run(&stage, &["--", "no-such-program-anywhere"]);
    person.until_shown("no program");
    assert_eq!(person.ends(), Some(3));
    until("nothing was made", || sessions(&stage).is_empty().then_some(()));
}
