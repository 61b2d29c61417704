//! How programs end, and that nothing of what they said is lost.

use serde_json::json;

use super::socket::Viewer;
use super::stage::Stage;

#[test]
fn the_last_words_of_a_program_that_exits_at_once_are_all_there() {
    let stage = Stage::start();
    // 2,570 lines of 72 characters: 185 kB, and then the end.
    let text: String = (0..2570).map(|n| format!("{n:05} {}\n", "x".repeat(66))).collect();
    std::fs::write(stage.dir().join("words"), &text).unwrap();
    let raw = text.replace('\n', "\r\n");
    let wanted: Vec<&str> = text.lines().collect();
    for round in 0..20 {
        let id = stage.run(&format!("cat {}/words; exit {round}", stage.dir().display()));
        let view = stage.until_state(&id, "exited");
        assert_eq!(view["exit"], json!({"code": round, "signal": null}), "{round}");
        let (_, log) = stage.logs(&id);
        assert!(log == raw.as_bytes(), "round {round}: {} of {} bytes", log.len(), raw.len());
        let path = format!("/api/v1/sessions/{id}/screen?history=true");
        let screen = stage.get(&path).well().json();
        let mut lines: Vec<_> =
            screen["lines"].as_array().unwrap().iter().filter_map(|line| line.as_str()).collect();
        while lines.last() == Some(&"") {
            lines.pop();
        }
        assert!(lines == wanted, "round {round}: {} lines", lines.len());
        stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well();
    }
    assert_eq!(
        stage.tmux(&["list-panes", "-a", "-F", "#{session_name}"]).out.matches("qd-k").count(),
        0
    );
}

#[test]
fn a_viewer_sees_the_end_and_what_came_before_it() {
    let stage = Stage::start();
    let id = stage.run("stty -echo; echo ready; read x; seq 1 3000; echo last words; exit 7");
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    viewer.input(b"go\n");
    let exit = viewer.until_told("exit", |_| true);
    assert_eq!((&exit["code"], &exit["signal"]), (&7.into(), &json!(null)));
    viewer.until_shown("last words");
    viewer.agrees(&stage, &id);
    viewer.input(b"too late\n");
    let error = viewer.until_told("error", |_| true);
    assert_eq!(error["code"], "state_conflict");
    let mut late = Viewer::open(&stage, &id);
    late.until_told("exit", |frame| frame["code"] == 7);
    late.until_shown("last words");
}

#[test]
fn a_signal_is_told_as_one() {
    let stage = Stage::start();
    let id = stage.run("kill -SEGV $$");
    let view = stage.until_state(&id, "exited");
    assert_eq!(view["exit"], json!({"code": null, "signal": 11}));
    assert!(view["attention"]["why"].as_str().unwrap().contains("signal 11"), "{view}");
    assert!(stage.qd(&["show", &id]).well().out.contains("11"));
}

#[test]
fn what_a_program_leaves_running_ends_with_its_session() {
    let stage = Stage::start();
    let mark = stage.dir().join("pid");
    let script = format!(
        "(trap '' HUP; setsid sh -c 'trap \"\" HUP TERM; echo $$ > {0}; exec sleep 4321' &) ; \
         while [ ! -s {0} ]; do :; done; sleep 1000",
        mark.display()
    );
    let id = stage.run(&script);
    let pid = super::stage::until("the child", || {
        std::fs::read_to_string(&mark).ok().filter(|text| text.ends_with('\n'))
    });
    let alive = || std::path::Path::new(&format!("/proc/{}", pid.trim())).exists();
    assert!(alive());
    stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well();
    stage.until_state(&id, "trashed");
    super::stage::until("its end", || (!alive()).then_some(()));
}

#[test]
fn a_program_that_cannot_be_started_leaves_nothing() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    std::fs::write(repo.join("script"), "echo hi\n").unwrap();
    stage.shell("cd repo && git add -A && git -c user.name=n -c user.email=e commit -q -m script");
    let before = stage.traces(&repo);
    // Both are only known once the worktree is there.
    for (program, code) in
        [("./not-there", "program_missing"), ("./script", "program_not_executable")]
    {
        let view = stage.new_session(json!({"repo": repo, "command": [program], "title": "none"}));
        assert_eq!(view["state"], "failed", "{view}");
        let problem = &view["problem"];
        assert_eq!(problem["code"], code, "{view}");
        assert!(problem["title"].as_str().unwrap().contains(&program[2..]), "{view}");
        assert!(problem["hint"].as_str().unwrap().len() > 5, "{view}");
        assert_eq!(view["pane"], json!(null));
        assert_eq!(view["attention"]["state"], "error");
        let id = view["id"].as_str().unwrap();
        assert_eq!(stage.traces(&repo), before);
        assert!(!stage.tmux(&["list-sessions"]).out.contains(id));
        assert_eq!(stage.qd(&["wait", id, "--for", "failed", "--timeout", "60"]).code, 0);
        // It can be looked at, and be deleted for good.
        stage.screen(id);
        stage.qd(&["rm", id]).well();
        stage.until_state(id, "trashed");
        stage.qd(&["purge", id, "--yes"]).well();
        assert_eq!(stage.get(&format!("/api/v1/sessions/{id}")).problem().0, 404);
    }
    assert_eq!(stage.get("/api/v1/sessions").json(), json!([]));
    assert_eq!(stage.traces(&repo), before);
}

#[test]
fn a_program_that_ends_at_once_shows_its_words_and_its_status() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let view = stage.new_session(json!({
        "repo": repo, "command": ["sh", "-c", "echo no config found >&2; exit 78"]
    }));
    let id = view["id"].as_str().unwrap();
    let view = stage.until_state(id, "exited");
    assert_eq!(view["exit"]["code"], 78);
    assert!(stage.qd(&["screen", id]).well().out.contains("no config found"));
    assert_eq!(view["attention"]["state"], "error");
    stage.qd(&["rm", id]).well();
}
