//! A disk without room: clear words, nothing half done, and all well when there is room again.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::PLAYER;

/// Bytes that a home needs beside the copy of the program.
const ROOM: u64 = 32 << 20;

/// A small disk of its own with a home on it. Dropped, the daemon ends before the disk goes.
struct Small {
    stage: Stage,
    disk: Disk,
}

struct Disk(tempfile::TempDir);

impl Drop for Disk {
    fn drop(&mut self) {
        let home = crate::program::Home::new();
        let said = home.shell(&format!("umount -l '{}'", self.0.path().display()));
        // The stage may have done it.
        if said.code != 0 && !said.err.contains("not mounted") {
            eprintln!("a disk stays mounted: {said:?}");
        }
    }
}

impl Small {
    /// None, with a word on why, where nothing may be mounted.
    fn start() -> Option<Self> {
        let mut stage = Stage::unserved();
        let folder = tempfile::Builder::new().prefix("qd-disk-").tempdir_in("/tmp").unwrap();
        let size = std::fs::metadata(stage.command(&[]).get_program()).unwrap().len() + ROOM;
        let said = stage.home.shell(&format!(
            "mount -t tmpfs -o size={size},mode=700 tmpfs '{}'",
            folder.path().display()
        ));
        if said.code != 0 {
            eprintln!("SKIPPED: no small disk can be mounted here: {}", said.err.trim());
            return None;
        }
        let disk = Disk(folder);
        std::os::unix::fs::symlink(disk.0.path(), stage.root()).unwrap();
        stage.serve();
        Some(Self { stage, disk })
    }

    fn filler(&self) -> PathBuf {
        self.disk.0.path().join("filler")
    }

    /// Takes all room that is left.
    fn fill(&self) {
        let full = self.stage.home.shell(&format!("cat /dev/zero > '{}'", self.filler().display()));
        assert!(full.err.contains("No space"), "{full:?}");
    }

    fn free(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

/// Asks for something, and waits until it is done or has failed; gives the problem's code.
fn outcome(stage: &Stage, id: &str, method: &str, path: &str) -> Option<String> {
    let answer = stage.ask(method, path, &[], if method == "POST" { b"{}" } else { b"" });
    if answer.status >= 400 {
        return Some(answer.problem().1);
    }
    let view = until("it settles", || {
        let view = stage.show(id);
        view["pending"].is_null().then_some(view)
    });
    view["problem"]["code"].as_str().map(str::to_owned)
}

fn large_repo(stage: &Stage) -> PathBuf {
    let repo = stage.repo("repo");
    stage.shell(
        "cd repo && head -c 3000000 /dev/urandom > big && git add -A && \
         git -c user.name=n -c user.email=e commit -q -m big",
    );
    repo
}

fn branches(stage: &Stage) -> String {
    stage.shell("cd repo && git for-each-ref --format='%(refname)' && git worktree list")
}

fn is_full(code: Option<&str>) -> bool {
    code == Some("disk_full")
}

#[test]
fn a_session_that_finds_no_room_is_not_made_and_leaves_nothing() {
    let Some(small) = Small::start() else { return };
    let stage = &small.stage;
    let repo = large_repo(stage);
    let untouched = branches(stage);
    small.fill();
    for round in 0..3 {
        let request =
            json!({"repo": repo, "command": ["cat"], "title": format!("No room {round}")});
        let answer = stage.post("/api/v1/sessions", &request);
        let code = if answer.status >= 400 {
            Some(answer.problem().1)
        } else {
            let id = answer.json()["id"].as_str().unwrap().to_owned();
            let view = until("it fails", || {
                let view = stage.show(&id);
                (view["state"] != "creating").then_some(view)
            });
            assert_eq!(view["state"], "failed", "{view}");
            view["problem"]["code"].as_str().map(str::to_owned)
        };
        assert!(is_full(code.as_deref()), "{code:?} {}", stage.log());
        assert_eq!(branches(stage), untouched);
    }
    // What there is answers still.
    assert_eq!(stage.get("/api/v1/sessions").status, 200);
    small.free();
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Room"}));
    assert_eq!(view["state"], "running", "{view}");
}

#[test]
fn pause_and_trash_lose_nothing_without_room_and_go_on_with_it() {
    let Some(mut small) = Small::start() else { return };
    let repo = large_repo(&small.stage);
    let mut made: Vec<(String, PathBuf, Value)> = vec![];
    for title in ["Pause", "Trash"] {
        let view = small.stage.new_session(json!({
            "repo": repo, "title": title,
            "command": ["sh", "-c", "seq 1 200; exec cat"],
        }));
        assert_eq!(view["state"], "running", "{view}");
        let at = PathBuf::from(view["worktree"].as_str().unwrap());
        std::fs::write(at.join("mine"), title).unwrap();
        made.push((view["id"].as_str().unwrap().to_owned(), at, view));
    }
    let kept = |stage: &Stage, (id, at, _): &(String, PathBuf, Value), text: &str| {
        let parked = stage.root().join("trash").join(id).join("worktree/mine");
        let found: Vec<_> = [at.join("mine"), parked]
            .iter()
            .filter_map(|p| std::fs::read_to_string(p).ok())
            .collect();
        assert_eq!(found, [text], "exactly one place has the file");
    };
    small.fill();
    let stage = &small.stage;
    let paused =
        outcome(stage, &made[0].0, "POST", &format!("/api/v1/sessions/{}/pause", made[0].0));
    let trashed = outcome(stage, &made[1].0, "DELETE", &format!("/api/v1/sessions/{}", made[1].0));
    for (what, code) in [("pause", &paused), ("trash", &trashed)] {
        assert!(code.is_none() || is_full(code.as_deref()), "{what}: {code:?} {}", stage.log());
    }
    kept(stage, &made[0], "Pause");
    kept(stage, &made[1], "Trash");
    // The daemon goes and comes back without room.
    small.stage.stop();
    let again = ["serve", "--listen", "127.0.0.1:0", "--detach", "--json"];
    let said = small.stage.qd(&again);
    let stage = &small.stage;
    if said.code == 0 {
        for (id, ..) in &made {
            until("it is known again", || {
                let view = stage.qd(&["show", id, "--json"]).well().json();
                view["pending"].is_null().then_some(())
            });
        }
        stage.qd(&["stop"]).well();
    } else {
        assert_eq!(said.error(), "disk_full", "{said:?}");
    }
    kept(stage, &made[0], "Pause");
    kept(stage, &made[1], "Trash");

    small.free();
    small.stage.serve();
    let stage = &small.stage;
    let (pause, trash) = (&made[0].0, &made[1].0);
    if stage.show(pause)["state"] != "paused" {
        stage.post(&format!("/api/v1/sessions/{pause}/pause"), &json!({}));
    }
    stage.until_state(pause, "paused");
    if stage.show(trash)["state"] != "trashed" {
        stage.qd(&["rm", trash]).well();
    }
    stage.until_state(trash, "trashed");
    for (id, action, state) in [(pause, "resume", "running"), (trash, "restore", "exited")] {
        stage.post(&format!("/api/v1/sessions/{id}/{action}"), &json!({}));
        stage.until_state(id, state);
    }
    for (index, text) in ["Pause", "Trash"].iter().enumerate() {
        kept(stage, &made[index], text);
        assert!(made[index].1.join("mine").exists(), "back in its place");
    }
}

#[test]
fn a_daemon_that_finds_no_room_says_so_and_starts_when_there_is() {
    let Some(mut small) = Small::start() else { return };
    let id = small.stage.run("echo here; sleep 1000");
    small.stage.until_line(&id, |line| line == "here");
    small.stage.stop();
    small.fill();
    let said = small.stage.qd(&["serve", "--listen", "127.0.0.1:0", "--detach", "--json"]);
    if said.code == 0 {
        // It had room enough left in its files: then it has to work.
        assert_eq!(small.stage.qd(&["show", &id, "--json"]).well().json()["state"], "running");
        small.stage.qd(&["stop"]).well();
    } else {
        assert_eq!(said.error(), "disk_full", "{said:?}");
    }
    let said = small.stage.qd(&["backup", "b.tar"]);
    assert_eq!(said.code, 0, "a backup to another disk needs no room on this one: {said:?}");
    let beside = Path::new("qd/b.tar").to_str().unwrap();
    assert_eq!(small.stage.qd(&["backup", beside, "--json"]).error(), "disk_full");
    assert!(!small.stage.root().join("b.tar").exists());
    small.free();
    small.stage.serve();
    assert_eq!(small.stage.until_state(&id, "running")["state"], "running");
}

#[test]
fn without_room_for_its_tape_a_session_goes_on_and_is_drawn_anew_after_a_crash() {
    let Some(mut small) = Small::start() else { return };
    let id = small.stage.run(PLAYER);
    let tape = small.stage.root().join("sessions").join(&id).join("tape");
    let mut viewer = Viewer::open(&small.stage, &id);
    viewer.until_shown("ready");
    assert!(tape.exists());
    small.fill();
    viewer.input(b"seq 1 3000; echo no room\n");
    viewer.until_shown("no room");
    viewer.agrees(&small.stage, &id);
    assert!(!tape.exists(), "what is not all there is not kept");
    let said = small.stage.log().matches("cannot be written").count();
    assert_eq!(said, 1, "{}", small.stage.log());
    small.stage.kill();
    while viewer.closed.is_none() {
        viewer.look();
    }
    small.free();
    small.stage.serve();
    let how = json!({"from": viewer.next, "cols": 80, "rows": 24});
    let mut viewer = Viewer::attach(&small.stage, &small.stage.token(), &id, how);
    viewer.until_shown("no room");
    assert_eq!(viewer.resumes, 0);
    viewer.agrees(&small.stage, &id);
    assert!(tape.exists(), "there is room again");
}
