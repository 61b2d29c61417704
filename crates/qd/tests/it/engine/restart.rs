//! The daemon goes and comes back; sessions go on.

use std::time::Duration;

use serde_json::json;

use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::PLAYER;

/// Prints numbered lines without a pause to speak of, for as long as the file is there.
pub(super) fn steady(stage: &Stage) -> String {
    std::fs::write(stage.dir().join("go"), "").unwrap();
    format!(
        "stty -opost; n=0; while [ -e {}/go ]; do n=$((n+1)); \
         printf 'line %07d \\033[32mgreen\\033[m\\r\\n' $n; sleep 0.002; done; echo the-end; sleep 1000",
        stage.dir().display()
    )
}

/// Whether bytes are numbered lines without one missing; gives the first and the last.
#[track_caller]
pub(super) fn numbers(bytes: &[u8]) -> (u64, u64) {
    let text = std::str::from_utf8(bytes).unwrap();
    let numbers: Vec<u64> = text
        .split("\r\n")
        .filter_map(|line| line.strip_prefix("line "))
        .filter_map(|line| line.strip_suffix(" \x1b[32mgreen\x1b[m")?.parse().ok())
        .collect();
    for pair in numbers.windows(2) {
        assert_eq!(pair[0] + 1, pair[1], "a line is missing or came twice");
    }
    (numbers[0], numbers[numbers.len() - 1])
}

#[test]
fn a_viewer_comes_back_after_a_restart_without_a_gap() {
    let mut stage = Stage::start();
    let script = steady(&stage);
    let id = stage.run(&script);
    let mut viewer = Viewer::open(&stage, &id);
    // All that came after the resize that attaching is.
    viewer.until("a start", |viewer| viewer.resyncs == ["resized"] && viewer.snapshots == 2);
    viewer.bytes.clear();
    let start = viewer.next;
    viewer.until("some lines", |viewer| viewer.bytes.len() > 20_000);
    let (mut bytes, mut next) = (viewer.bytes.clone(), viewer.next);
    for _ in 0..3 {
        stage.stop();
        viewer.until("a close", |viewer| viewer.closed.is_some());
        assert_eq!(viewer.closed, Some(1001));
        bytes.extend_from_slice(
            &viewer.bytes
                [usize::try_from(viewer.next - next).map_or(0, |new| viewer.bytes.len() - new)..],
        );
        next = viewer.next;
        stage.serve();
        let how = json!({"from": next, "cols": 80, "rows": 24});
        viewer = Viewer::attach(&stage, &stage.token(), &id, how);
        viewer.until("more lines", |viewer| viewer.bytes.len() > 10_000 || viewer.snapshots > 0);
        assert_eq!((viewer.resumes, viewer.snapshots), (1, 0), "resumed, and not drawn anew");
        bytes.extend_from_slice(&viewer.bytes);
        next = viewer.next;
    }
    std::fs::remove_file(stage.dir().join("go")).unwrap();
    let had = viewer.bytes.len();
    viewer.until("the end", |viewer| viewer.bytes.ends_with(b"the-end\n"));
    bytes.extend_from_slice(&viewer.bytes[had..]);
    assert_eq!(bytes.len() as u64, viewer.next - start);
    let (_, last) = numbers(&bytes);
    // Nobody saw more lines than the program printed.
    assert!(String::from_utf8(bytes).unwrap().contains(&format!("line {last:07}")));
    let mut fresh = Viewer::open(&stage, &id);
    fresh.agrees(&stage, &id);
    assert!(fresh.lines().iter().any(|line| line.contains("the-end")));
    // Joining a server that is as it has to be is nothing to warn of.
    assert!(!stage.log().contains("refused an option"), "{}", stage.log());
}

#[test]
fn what_was_printed_meanwhile_is_there() {
    let mut stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.until_line(&id, |line| line == "ready");
    let (_, before) = stage.logs(&id);
    stage
        .qd(&["send", &id, "while [ ! -e gone ]; do :; done; seq 1 5000; exit 9", "--enter"])
        .well();
    let view = stage.show(&id);
    stage.stop();
    std::fs::write(std::path::Path::new(view["worktree"].as_str().unwrap()).join("gone"), "")
        .unwrap();
    // It ends while nobody is there.
    let file = stage.dir().join("wait");
    until("its end", || {
        let said =
            stage.tmux(&["list-panes", "-a", "-F", "#{pane_current_command} #{session_name}"]);
        std::fs::write(&file, &said.out).unwrap();
        let line = said.out.lines().find(|line| line.contains(&id)).map(str::to_owned);
        line.is_none_or(|line| !line.starts_with("sh ")).then_some(())
    });
    stage.serve();
    let view = stage.until_state(&id, "exited");
    assert_eq!(view["exit"]["code"], 9);
    let wanted: String = (1..=5000).map(|n| format!("{n}\r\n")).collect();
    let (_, log) = stage.logs(&id);
    assert!(String::from_utf8_lossy(&log).ends_with(&wanted), "{} bytes", log.len());
    drop(before);
    let path = format!("/api/v1/sessions/{id}/screen?history=true");
    let screen = stage.get(&path).well().json();
    let lines: Vec<_> =
        screen["lines"].as_array().unwrap().iter().filter_map(|l| l.as_str()).collect();
    let lines: Vec<_> = lines.into_iter().filter(|line| line.parse::<u32>().is_ok()).collect();
    assert_eq!(lines.len(), 5000);
}

#[test]
fn after_a_crash_numbers_go_on_and_the_screen_is_that_of_tmux() {
    let mut stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.qd(&["send", &id, "seq 1 300; printf '\\033[33mhalf a li'", "--enter"]).well();
    stage.until_line(&id, |line| line.contains("half a li"));
    let mut last = stage.screen(&id)["seq"].as_u64().unwrap();
    for round in 0..3 {
        stage.kill();
        stage.serve();
        stage.until_state(&id, "running");
        let screen = stage.until_line(&id, |line| line.contains("half a li"));
        assert!(screen.contains("half a li"));
        let seq = stage.screen(&id)["seq"].as_u64().unwrap();
        assert_eq!(seq, last, "round {round}");
        let how = json!({"from": last, "cols": 120, "rows": 40});
        let mut viewer = Viewer::attach(&stage, &stage.token(), &id, how);
        viewer.until("an answer", |viewer| viewer.snapshots + viewer.resumes == 1);
        assert_eq!(viewer.resumes, 1);
        viewer.leave();
        let how = json!({"cols": 120, "rows": 40});
        let mut viewer = Viewer::attach(&stage, &stage.token(), &id, how);
        viewer.until("a screen", |viewer| viewer.snapshots == 1);
        viewer.agrees(&stage, &id);
        let target = format!("qd-{id}");
        let theirs = stage.tmux(&["capture-pane", "-p", "-t", &target]).well().out;
        let mut theirs: Vec<_> = theirs.lines().collect();
        let mut ours = viewer.lines();
        while ours.last().is_some_and(String::is_empty) {
            ours.pop();
        }
        while theirs.last().is_some_and(|line| line.is_empty()) {
            theirs.pop();
        }
        assert_eq!(ours, theirs);
        viewer.input(format!("ne; echo; echo round-{round}; printf 'half a li'\n").as_bytes());
        let shown = format!("round-{round}");
        viewer.until("the half line below it", |viewer| {
            let lines = viewer.lines();
            let at = lines.iter().position(|line| line.contains(&shown));
            at.and_then(|at| lines.get(at + 1)).is_some_and(|line| line.contains("half a li"))
        });
        viewer.agrees(&stage, &id);
        last = viewer.next;
    }
}

#[test]
fn when_tmux_is_killed_sessions_end_and_the_daemon_goes_on() {
    let stage = Stage::start();
    let ids = [stage.run(PLAYER), stage.run(PLAYER)];
    let mut viewer = Viewer::open(&stage, &ids[0]);
    viewer.until_shown("ready");
    stage.until_line(&ids[1], |line| line == "ready");
    let pid = stage.tmux(&["display-message", "-p", "#{pid}"]).well().out;
    stage.shell(&format!("kill -9 {}", pid.trim()));
    viewer.until_told("exit", |_| true);
    viewer.until_shown("ready");
    for id in &ids {
        let view = stage.until_state(id, "exited");
        let why = view["attention"]["why"].as_str().unwrap();
        assert!(why.len() > 10, "{view}");
        assert!(view["pane"].is_null());
        assert!(stage.qd(&["screen", id]).well().out.contains("ready"), "the last screen is kept");
        let said = stage.post(&format!("/api/v1/sessions/{id}/send"), &json!({"text": "x"}));
        assert_eq!(said.problem(), (409, "state_conflict".to_owned()));
    }
    let id = stage.run("echo new life; sleep 1000");
    stage.until_line(&id, |line| line.contains("new life"));
    for id in &ids {
        stage.qd(&["rm", id]).well();
        stage.until_state(id, "trashed");
    }
}

#[test]
fn a_reboot_leaves_sessions_that_ended() {
    let mut stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.until_line(&id, |line| line == "ready");
    stage.stop();
    let _ = stage.tmux(&["kill-server"]);
    stage.serve();
    let view = stage.until_state(&id, "exited");
    assert!(view["attention"]["why"].as_str().unwrap().len() > 10);
    assert!(stage.qd(&["screen", &id]).well().out.contains("ready"), "the last screen is kept");
}

/// A session that is to be run again, and the processes that it has been.
fn rerun(stage: &Stage) -> (String, std::path::PathBuf) {
    let mark = stage.dir().join("pids");
    let view = stage.new_session(json!({
        "repo": stage.dir(), "in_place": true, "on_loss": "rerun",
        "command": ["sh", "-c", format!("echo $$ >> {}; echo up; exec sleep 1000", mark.display())],
    }));
    let id = view["id"].as_str().unwrap().to_owned();
    stage.until_line(&id, |line| line == "up");
    // What is lost in the moment after its start is not started once more.
    std::thread::sleep(Duration::from_secs(11));
    (id, mark)
}

fn lives(mark: &std::path::Path) -> usize {
    std::fs::read_to_string(mark).unwrap().lines().count()
}

#[test]
fn what_is_to_be_run_again_is_when_tmux_is_killed_and_after_a_reboot() {
    let mut stage = Stage::start();
    let (id, mark) = rerun(&stage);
    let server = stage.tmux(&["display-message", "-p", "#{pid}"]).well().out;
    stage.shell(&format!("kill -9 {}", server.trim()));
    until("the second life", || (lives(&mark) == 2).then_some(()));
    stage.until_state(&id, "running");
    // A reboot: the daemon is gone first, then all the rest.
    std::thread::sleep(Duration::from_secs(11));
    stage.kill();
    let _ = stage.tmux(&["kill-server"]);
    stage.serve();
    until("the third life", || (lives(&mark) == 3).then_some(()));
    let view = stage.until_state(&id, "running");
    assert!(view["problem"].is_null(), "{view}");
    // Ended on purpose it stays so.
    stage.qd(&["stop", "--sessions"]).well();
    stage.ended(Duration::from_secs(60));
    stage.serve();
    stage.until_state(&id, "exited");
    assert_eq!(lives(&mark), 3);
}

#[test]
fn a_pane_that_a_person_closes_has_ended_and_is_not_run_again() {
    let stage = Stage::start();
    let (id, mark) = rerun(&stage);
    let panes = stage.tmux(&["list-panes", "-a", "-F", "#{pane_id} #{pane_start_command}"]).well();
    let pane = panes.out.lines().find(|line| line.contains(&id)).unwrap();
    stage.tmux(&["kill-pane", "-t", pane.split(' ').next().unwrap()]).well();
    let view = stage.until_state(&id, "exited");
    assert_eq!(lives(&mark), 1, "{view}");
}

#[test]
fn a_stop_with_sessions_leaves_no_process() {
    let mut stage = Stage::start();
    let mark = stage.dir().join("pid");
    let id =
        stage.run(&format!("trap '' HUP; echo $$ > {}; sleep 1000; sleep 1000", mark.display()));
    let pid = until("the program", || {
        std::fs::read_to_string(&mark).ok().filter(|text| text.ends_with('\n'))
    });
    let server = stage.tmux(&["display-message", "-p", "#{pid}"]).well().out;
    stage.qd(&["stop", "--sessions"]).well();
    for pid in [pid.trim(), server.trim()] {
        let path = format!("/proc/{pid}");
        until("its end", || (!std::path::Path::new(&path).exists()).then_some(()));
    }
    stage.ended(Duration::from_secs(60));
    stage.serve();
    assert_eq!(stage.until_state(&id, "exited")["state"], "exited");
}
