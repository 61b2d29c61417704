//! What the owner of a session does when tmux, the disk or the daemon let it down.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::PLAYER;

/// A process that is stopped; dropped, it goes on.
struct Stopped(Pid);

impl Stopped {
    fn stop(pid: &str) -> Self {
        let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

fn tmux_pid(stage: &Stage) -> String {
    stage.tmux(&["display-message", "-p", "#{pid}"]).well().out
}

fn is_there(pid: &str) -> bool {
    Path::new(&format!("/proc/{}", pid.trim())).exists()
}

/// A session in a worktree of its own that writes its process id to a file.
#[track_caller]
fn agent(stage: &Stage, repo: &Path) -> (String, PathBuf, String) {
    let mark = stage.dir().join("agent.pid");
    let script = format!("echo $$ > {}; exec sleep 1000", mark.display());
    let view = stage.new_session(json!({
        "repo": repo, "command": ["sh", "-c", script], "title": "agent"
    }));
    assert_eq!(view["state"], "running", "{view}");
    let pid = until("the agent", || {
        std::fs::read_to_string(&mark).ok().filter(|text| text.ends_with('\n'))
    });
    let text = |name: &str| view[name].as_str().unwrap().to_owned();
    (text("id"), PathBuf::from(text("worktree")), pid)
}

#[test]
fn a_delete_waits_until_it_is_known_whether_the_program_runs() {
    let mut stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, worktree, pid) = agent(&stage, &repo);
    let tmux = tmux_pid(&stage);
    stage.stop();
    let stopped = Stopped::stop(&tmux);
    stage.serve();
    stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well();
    until("that tmux does not answer", || stage.log().contains("joined again yet").then_some(()));
    assert!(worktree.exists(), "the files stay under a program that may run");
    assert!(is_there(&pid));
    assert_eq!(stage.show(&id)["pending"], "trash");
    // A daemon that stops gives up nothing that it took on, and waits for nobody without end.
    stage.stop();
    stage.serve();
    assert_eq!(stage.show(&id)["pending"], "trash");
    assert!(worktree.exists());
    drop(stopped);
    stage.until_state(&id, "trashed");
    assert!(!is_there(&pid), "it ended before its files went");
    assert!(!worktree.exists());
}

#[test]
fn a_stop_while_a_session_is_made_takes_back_what_was_made() {
    let mut stage = Stage::start();
    let repo = stage.repo("repo");
    stage.run("sleep 1000");
    let before = stage.traces(&repo);
    let tmux = tmux_pid(&stage);
    let stopped = Stopped::stop(&tmux);
    let made = stage
        .post("/api/v1/sessions", &json!({"repo": repo, "command": ["cat"], "title": "half"}))
        .well()
        .json();
    let id = made["id"].as_str().unwrap().to_owned();
    until("its worktree", || {
        stage.show(&id)["worktree"].as_str().map(Path::new).filter(|p| p.exists()).map(|_| ())
    });
    stage.stop();
    assert_eq!(stage.traces(&repo), before, "nothing of it is left in the repository");
    drop(stopped);
    // What tmux had been told before the stop is ended by the next daemon.
    stage.serve();
    assert_eq!(stage.until_state(&id, "failed")["worktree"], Value::Null);
    until("the end of its pane", || {
        (!stage.tmux(&["list-sessions"]).out.contains(&id)).then_some(())
    });
    assert_eq!(stage.traces(&repo), before);
    stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well();
    stage.until_state(&id, "trashed");
}

#[test]
fn a_daemon_that_was_killed_before_the_start_leaves_no_session_that_seems_to_run() {
    let mut stage = Stage::start();
    let repo = stage.repo("repo");
    stage.run("sleep 1000");
    let before = stage.traces(&repo);
    let tmux = tmux_pid(&stage);
    let mark = stage.dir().join("started");
    // Between the word of the init and the start are a few milliseconds: not every try hits them.
    for _ in 0..40 {
        let script = format!("touch {}; exec sleep 1000", mark.display());
        let fields = json!({"repo": repo, "command": ["sh", "-c", script], "title": "early"});
        let made = stage.post("/api/v1/sessions", &fields).well().json();
        let id = made["id"].as_str().unwrap().to_owned();
        let socket = stage.socket_of(&id);
        while !socket.exists() {
            std::thread::yield_now();
        }
        let stopped = Stopped::stop(&tmux);
        stage.kill();
        drop(stopped);
        stage.serve();
        let view = until("what became of it", || {
            let view = stage.show(&id);
            (view["state"] != "creating").then_some(view)
        });
        let hit = !mark.exists();
        if hit {
            assert_eq!(view["state"], "failed", "{view}");
            assert_eq!(stage.traces(&repo), before);
            until("the end of its pane", || {
                (!stage.tmux(&["list-sessions"]).out.contains(&id)).then_some(())
            });
            return;
        }
        stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well();
        stage.until_state(&id, "trashed");
        stage.ask("POST", &format!("/api/v1/sessions/{id}/purge"), &[], b"{}");
        std::fs::remove_file(&mark).unwrap();
    }
    panic!("never in time");
}

#[test]
fn a_stream_that_cannot_be_taken_again_is_not_the_end_of_a_program() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.until_line(&id, |line| line == "ready");
    // tmux cannot write what it captures.
    let in_the_way = stage.root().join("panes").join(format!("{id}.capture"));
    std::fs::create_dir(&in_the_way).unwrap();
    let pane = stage.show(&id)["pane"]["id"].as_str().unwrap().to_owned();
    stage.tmux(&["pipe-pane", "-t", &pane, "cat > /dev/null"]).well();
    until("failures", || {
        (stage.log().matches("stream was not taken again").count() > 1).then_some(())
    });
    assert_eq!(stage.show(&id)["state"], "running");
    std::fs::remove_dir(&in_the_way).unwrap();
    until("the pane", || {
        (stage.qd(&["send", &id, "echo it goes on", "--enter"]).code == 0).then_some(())
    });
    stage.until_line(&id, |line| line == "it goes on");
}

#[test]
fn a_lost_control_client_is_replaced() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.until_line(&id, |line| line == "ready");
    let clients = || stage.tmux(&["list-clients", "-F", "#{client_control_mode} #{client_pid}"]);
    let client = clients().out.lines().find_map(|l| l.strip_prefix("1 ").map(str::to_owned));
    let client: i32 = client.unwrap().parse().unwrap();
    kill_process(Pid::from_raw(client).unwrap(), Signal::KILL).unwrap();
    until("another", || {
        let out = clients().out;
        out.lines()
            .any(|l| l.strip_prefix("1 ").is_some_and(|p| p != client.to_string()))
            .then_some(())
    });
    stage.qd(&["resize", &id, "91x31"]).well();
    let size = stage.tmux(&[
        "list-windows",
        "-t",
        &format!("=qd-{id}"),
        "-F",
        "#{window_width}x#{window_height}",
    ]);
    assert_eq!(size.out.trim(), "91x31", "it is set when the answer comes");
}

#[test]
fn panes_of_no_session_are_closed_at_the_next_start() {
    let mut stage = Stage::start();
    let id = stage.run("sleep 1000");
    let owner = stage.tmux(&["show-options", "-sv", "@qd-owner"]).well().out;
    for name in ["qd-lost", "by-hand"] {
        stage.tmux(&["new-session", "-d", "-s", name, "sleep 1000"]).well();
    }
    for (option, value) in
        [("@qd-owner", owner.trim()), ("@qd-session", "lost"), ("@qd-nonce", "x")]
    {
        stage.tmux(&["set-option", "-t", "qd-lost", option, value]).well();
    }
    stage.stop();
    stage.serve();
    let names = || stage.tmux(&["list-sessions", "-F", "#{session_name}"]).out;
    until("its end", || (!names().contains("qd-lost")).then_some(()));
    assert!(names().contains("by-hand"), "it does not carry our marks");
    assert!(names().contains(&id));
    assert_eq!(stage.until_state(&id, "running")["state"], "running");
}

#[test]
fn an_end_that_cannot_be_stored_is_stored_later() {
    let stage = Stage::start();
    let id = stage.run("read x; exit 5");
    // Another process holds the database for longer than anyone waits for it.
    let database = rusqlite::Connection::open(stage.root().join("quarterdeck.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    stage.qd(&["send", &id, "", "--enter"]).well();
    until("the failure", || stage.log().contains("not be written down yet").then_some(()));
    assert_eq!(stage.show(&id)["state"], "running");
    database.execute_batch("COMMIT").unwrap();
    assert_eq!(stage.until_state(&id, "exited")["exit"]["code"], 5);
}

#[test]
fn who_was_away_at_a_resize_gets_a_whole_screen() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    viewer.input(b"echo before\n");
    viewer.until_shown("before");
    let from = viewer.next;
    viewer.leave();
    stage.qd(&["resize", &id, "60x20"]).well();
    let how = json!({"from": from, "cols": 60, "rows": 20});
    let mut viewer = Viewer::attach(&stage, &stage.token(), &id, how);
    viewer.until("a screen", |viewer| viewer.snapshots + viewer.resumes > 0);
    assert_eq!((viewer.snapshots, viewer.resumes), (1, 0));
    viewer.agrees(&stage, &id);
}

#[test]
fn a_viewer_of_a_session_whose_end_is_unknown_is_told_of_it_after_a_restart() {
    let mut stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.until_line(&id, |line| line == "ready");
    let tmux = tmux_pid(&stage);
    stage.stop();
    // Nobody is left to tell how it ended.
    let inits = stage.tmux(&["list-panes", "-s", "-t", &format!("=qd-{id}"), "-F", "#{pane_pid}"]);
    stage.shell(&format!("kill -9 {} {}", inits.well().out.trim(), tmux.trim()));
    stage.serve();
    assert_eq!(stage.until_state(&id, "exited")["exit"], Value::Null);
    stage.stop();
    stage.serve();
    Viewer::open(&stage, &id).until_told("exit", |_| true);
}

#[test]
fn enter_comes_after_the_program_has_read_the_text() {
    let stage = Stage::start();
    // Says what each of its reads got.
    let script = "stty raw -echo; echo ready; \
        while :; do x=$(dd bs=4096 count=1 2>/dev/null | od -An -c | tr -d ' \\n'); \
        printf '[%s]\\r\\n' \"$x\"; done";
    let id = stage.run(script);
    stage.until_line(&id, |line| line.contains("ready"));
    for round in 1..=8 {
        stage.qd(&["send", &id, "hello", "--enter"]).well();
        let lines = until("the key", || {
            let lines = stage.screen(&id)["lines"].to_string();
            (lines.matches("\\\\r").count() == round).then_some(lines)
        });
        assert_eq!(lines.matches("[hello]").count(), round, "{lines}");
    }
}

#[test]
fn a_cut_stream_is_noticed_while_somebody_types() {
    let stage = Stage::start();
    let id = stage.run("stty -echo; while read x; do :; done");
    let pane = stage.show(&id)["pane"]["id"].as_str().unwrap().to_owned();
    let mut viewer = Viewer::open(&stage, &id);
    let piped = || stage.tmux(&["display-message", "-p", "-t", &pane, "#{pane_pipe}"]).out;
    stage.tmux(&["pipe-pane", "-t", &pane]).well();
    assert_eq!(piped().trim(), "0");
    until("the stream", || {
        viewer.input(b"\n");
        (piped().trim() == "1").then_some(())
    });
}

#[test]
fn sizes_that_are_asked_for_at_once_are_set_one_after_the_other() {
    let stage = Stage::start();
    let id = stage.run("sleep 1000");
    std::thread::scope(|scope| {
        for cols in 60..68 {
            let (stage, id) = (&stage, &id);
            scope.spawn(move || {
                let said = stage.qd(&["resize", id, &format!("{cols}x20"), "--json"]);
                assert!(said.code == 0 || said.error() == "state_conflict", "{said:?}");
            });
        }
    });
    let target = format!("=qd-{id}");
    let theirs = stage.tmux(&["list-windows", "-t", &target, "-F", "#{window_width}"]).out;
    assert_eq!(stage.screen(&id)["cols"].to_string(), theirs.trim());
}
