//! A daemon that is killed at a certain step of its work, and the next one: nothing is forgotten,
//! nothing is done twice, and nothing stays that nobody has.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::races::{leftovers, processes};
use super::stage::{Stage, until};

/// A daemon that is held up at steps by name.
pub(super) struct Cut {
    pub(super) stage: Stage,
    holds: tempfile::TempDir,
}

impl Cut {
    pub(super) fn new() -> Self {
        let holds = tempfile::Builder::new().prefix("qd-hold-").tempdir_in("/tmp").unwrap();
        let stage = Stage::with(&[("QUARTERDECK_HOLD", holds.path().to_str().unwrap())]);
        Self { stage, holds }
    }

    pub(super) fn hold(&self, step: &str) {
        std::fs::write(self.holds.path().join(step), "").unwrap();
    }

    #[track_caller]
    pub(super) fn reached(&self, step: &str) {
        let reached = self.holds.path().join(format!("{step}.reached"));
        until(step, || reached.exists().then_some(()));
    }

    pub(super) fn let_go(&self, step: &str) {
        std::fs::remove_file(self.holds.path().join(step)).unwrap();
        drop(std::fs::remove_file(self.holds.path().join(format!("{step}.reached"))));
    }

    /// Kills the daemon while it is at a step, and starts the next one, which goes past it.
    #[track_caller]
    pub(super) fn kill_at(&mut self, step: &str) {
        self.reached(step);
        self.stage.kill();
        self.let_go(step);
    }

    fn create(&self, repo: &Path, command: &[&str]) -> String {
        let fields = json!({"repo": repo, "command": command, "title": "cut"});
        let made = self.stage.post("/api/v1/sessions", &fields).well().json();
        made["id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn act(&self, id: &str, action: &str) {
        match action {
            "trash" => self.stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well(),
            _ => self.stage.post(&format!("/api/v1/sessions/{id}/{action}"), &json!({})).well(),
        };
    }

    /// Asks for it and waits until it has become so.
    #[track_caller]
    fn bring_to(&self, id: &str, action: &str, state: &str) -> Value {
        self.act(id, action);
        self.stage.until_state(id, state)
    }

    /// Trashes and purges it: then nothing is left anywhere.
    #[track_caller]
    fn be_rid_of(&self, id: &str, repo: &Path) {
        self.bring_to(id, "trash", "trashed");
        self.act(id, "purge");
        let path = format!("/api/v1/sessions/{id}");
        until("its end", || (self.stage.get(&path).status == 404).then_some(()));
        let mut left = Default::default();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while std::time::Instant::now() < deadline {
            left = leftovers(&self.stage, repo);
            if left.is_empty() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("left: {left:#?} {}", self.stage.log());
    }

    fn note(&self, id: &str) -> PathBuf {
        self.stage.root().join("sessions").join(id).join("creating.json")
    }
}

fn at(view: &Value) -> PathBuf {
    PathBuf::from(view["worktree"].as_str().unwrap_or_else(|| panic!("no worktree: {view}")))
}

#[test]
fn no_program_starts_before_it_is_stored_where_its_files_are() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    let other = cut.stage.run("sleep 1000");
    cut.hold("place-told");
    let id = cut.create(&repo, &["sleep", "1000"]);
    cut.reached("place-told");
    // Another program is started meanwhile: this one would be by then.
    cut.bring_to(&other, "restart", "running");
    assert!(processes(&cut.stage).iter().all(|(_, of)| *of != id), "it runs");
    cut.kill_at("place-told");
    cut.stage.serve();
    assert_eq!(cut.stage.until_state(&id, "failed")["worktree"], Value::Null);
    let path = format!("/api/v1/sessions/{other}");
    cut.bring_to(&other, "trash", "trashed");
    cut.act(&other, "purge");
    until("its end", || (cut.stage.get(&path).status == 404).then_some(()));
    cut.be_rid_of(&id, &repo);
}

#[test]
fn what_a_creation_left_is_kept_though_its_note_is_gone() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    cut.hold("create-start");
    let id = cut.create(&repo, &["sleep", "1000"]);
    cut.reached("create-start");
    let worktree = at(&cut.stage.show(&id));
    std::fs::write(worktree.join("mine"), "work").unwrap();
    let note = std::fs::read(cut.note(&id)).unwrap();
    cut.kill_at("create-start");
    std::fs::remove_file(cut.note(&id)).unwrap();
    cut.stage.serve();
    assert_eq!(at(&cut.stage.until_state(&id, "failed")), worktree);
    assert_eq!(std::fs::read_to_string(worktree.join("mine")).unwrap(), "work");

    // A note that stayed says nothing of what the session keeps, and works in.
    std::fs::remove_file(worktree.join("mine")).unwrap();
    cut.hold("start-opened");
    cut.act(&id, "restart");
    cut.reached("start-opened");
    std::fs::write(cut.note(&id), note).unwrap();
    cut.kill_at("start-opened");
    cut.stage.serve();
    assert_eq!(at(&cut.stage.until_state(&id, "running")), worktree);
    assert!(worktree.join("a").exists());
    cut.be_rid_of(&id, &repo);
}

#[test]
fn a_wake_that_was_cut_short_before_its_pane_goes_on() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    let id = cut.create(&repo, &["sleep", "1000"]);
    cut.stage.until_state(&id, "running");
    cut.bring_to(&id, "hibernate", "hibernated");
    cut.hold("start-opens");
    cut.act(&id, "wake");
    cut.kill_at("start-opens");
    cut.stage.serve();
    cut.stage.until_state(&id, "running");
    cut.be_rid_of(&id, &repo);
}

#[test]
fn the_pane_of_the_last_run_is_not_taken_for_the_next_one() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    let runs = cut.stage.dir().join("runs");
    let script = "echo $QD_RUN >> \"$0\"; [ $QD_RUN = 1 ] || exec sleep 1000";
    cut.hold("pane-leaves");
    let id = cut.create(&repo, &["sh", "-c", script, runs.to_str().unwrap()]);
    cut.reached("pane-leaves");
    cut.stage.until_state(&id, "exited");
    cut.act(&id, "restart");
    cut.kill_at("pane-leaves");
    cut.stage.serve();
    cut.stage.until_state(&id, "running");
    until("both runs", || (std::fs::read_to_string(&runs).unwrap() == "1\n2\n").then_some(()));
    cut.be_rid_of(&id, &repo);
}

#[test]
fn a_start_that_is_called_off_has_ended_before_its_files_go() {
    let cut = Cut::new();
    let repo = cut.stage.repo("repo");
    for again in [false, true] {
        let stubborn = "trap '' TERM HUP INT; while :; do sleep 0.1; done";
        let command = ["sh", "-c", stubborn];
        let id = if again {
            let id = cut.create(&repo, &command);
            cut.stage.until_state(&id, "running");
            cut.bring_to(&id, "hibernate", "hibernated");
            id
        } else {
            String::new()
        };
        cut.hold("start-opened");
        let id = if again {
            cut.act(&id, "wake");
            id
        } else {
            cut.create(&repo, &command)
        };
        cut.reached("start-opened");
        assert!(processes(&cut.stage).iter().any(|(_, of)| *of == id));
        cut.act(&id, "trash");
        cut.let_go("start-opened");
        let view = cut.stage.until_state(&id, "trashed");
        let left = processes(&cut.stage);
        assert!(left.iter().all(|(_, of)| *of != id), "{left:?} {view}");
        cut.be_rid_of(&id, &repo);
    }
}

#[test]
fn a_delete_after_a_way_back_that_nobody_was_told_of_puts_the_files_away() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    let id = cut.create(&repo, &["sleep", "1000"]);
    let worktree = at(&cut.stage.until_state(&id, "running"));
    std::fs::write(worktree.join("mine"), "work").unwrap();
    cut.bring_to(&id, "pause", "paused");
    assert!(!worktree.exists());
    cut.hold("files-back");
    cut.act(&id, "resume");
    cut.reached("files-back");
    cut.act(&id, "trash");
    cut.kill_at("files-back");
    assert!(worktree.exists());
    cut.stage.serve();
    cut.stage.until_state(&id, "trashed");
    assert!(!worktree.exists());
    let kept = cut.stage.root().join("trash").join(&id).join("worktree/mine");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "work");
    // What a lost pane left goes with it, too.
    std::fs::write(cut.stage.root().join("panes").join(format!("{id}.spool")), "").unwrap();
    cut.be_rid_of(&id, &repo);
}

#[test]
fn a_session_that_is_woken_just_after_the_start_is_not_swept_away() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    let id = cut.create(&repo, &["sleep", "1000"]);
    cut.stage.until_state(&id, "running");
    cut.bring_to(&id, "hibernate", "hibernated");
    cut.stage.stop();
    cut.hold("sweep");
    cut.hold("swept");
    cut.stage.serve();
    cut.bring_to(&id, "wake", "running");
    let ours = || processes(&cut.stage).into_iter().filter(|(_, of)| *of == id).collect::<Vec<_>>();
    let before = ours();
    assert!(!before.is_empty());
    cut.reached("sweep");
    cut.let_go("sweep");
    cut.reached("swept");
    assert_eq!(ours(), before);
    cut.let_go("swept");
    cut.be_rid_of(&id, &repo);
}

#[test]
fn a_purge_takes_back_what_could_not_be_taken_back_before() {
    let mut cut = Cut::new();
    let repo = cut.stage.repo("repo");
    cut.hold("create-made");
    let id = cut.create(&repo, &["sleep", "1000"]);
    cut.kill_at("create-made");
    let away = cut.stage.dir().join("away");
    std::fs::rename(&repo, &away).unwrap();
    cut.stage.serve();
    cut.stage.until_state(&id, "failed");
    std::fs::rename(&away, &repo).unwrap();
    assert!(!leftovers(&cut.stage, &repo).is_empty());
    cut.be_rid_of(&id, &repo);
}

#[test]
fn while_what_happened_cannot_be_stored_nothing_new_is_begun() {
    let cut = Cut::new();
    let repo = cut.stage.repo("repo");
    let id = cut.create(&repo, &["sh", "-c", "read line"]);
    let worktree = at(&cut.stage.until_state(&id, "running"));
    let database = rusqlite::Connection::open(cut.stage.root().join("quarterdeck.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    cut.stage
        .post(&format!("/api/v1/sessions/{id}/send"), &json!({"text": "x", "enter": true}))
        .well();
    // Its end cannot be stored. Until it is, its state is not what it was.
    until("a word that it cannot be stored", || {
        cut.stage.log().contains("could not be written down yet").then_some(())
    });
    let answer = cut.stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"");
    assert_eq!((answer.status, answer.problem().1.as_str()), (503, "unavailable"));
    let answer = cut.stage.post(&format!("/api/v1/sessions/{id}/restart"), &json!({}));
    assert_eq!(answer.status, 503);
    assert!(worktree.exists());
    drop(database);
    cut.stage.until_state(&id, "exited");
    cut.be_rid_of(&id, &repo);
}
