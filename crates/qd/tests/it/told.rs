//! The commands against a stand-in for the daemon.

#[cfg(test)]
mod acts;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake, Seen};
use crate::program::Home;

const ID: &str = "kabc2345wxyz";

fn session(state: &str, attention: &str) -> Value {
    json!({
        "id": ID, "version": 1, "title": "Fix login", "agent": "claude", "command": ["claude"],
        "repo": "/r/shop", "worktree": "/w", "branch": "qd/fix-login", "base": "origin/main",
        "base_commit": "c0ffee", "kind": "worktree", "state": state, "pending": null,
        "attention": {"state": attention, "since": "2026-01-01T00:00:00Z", "source": "none",
                      "confidence": 0.0, "why": "Because.", "evidence": []},
        "tags": ["x"], "pinned": false, "notes": "", "created_at": "2026-01-01T00:00:00Z",
        "changed_at": "2026-01-01T00:00:00Z", "pane": null, "parent": null, "purge_at": null, "wake_at": null, "exit": null, "problem": null,
        "adopted": null, "messages": [], "kept": "The branch is kept.", "diff_stat": null, "terminal_title": null,
        "shipping": null
    })
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn head() -> String {
    event("head", &json!({"latest": 2, "version": "0"}))
}

fn record(number: u64, kind: &str) -> Value {
    json!({"number": number, "at": "2026-01-01T00:00:00Z", "session": ID, "kind": kind, "data": {}})
}

fn problem(status: u16, code: &str) -> Answer {
    let body = json!({"type": "about:blank", "title": "It is so.", "status": status, "code": code,
                      "hint": "Do otherwise."});
    Answer::Json(status, body)
}

fn ends(seen: &Seen, what: &str) -> bool {
    seen.line.ends_with(what)
}

#[test]
fn a_list_is_a_table_or_an_array() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |_, _| {
        Answer::Json(200, json!([session("running", "permission"), session("exited", "done")]))
    });
    let said = home.qd(&["ls", "--filter", "state:permission fix"]).well();
    assert_eq!(said.out.lines().count(), 2, "{said:?}");
    assert!(said.out.contains("kabc  ? permission"), "{said:?}");
    assert!(!said.out.contains('\u{1b}'), "colours without a terminal: {said:?}");
    assert_eq!(home.qd(&["ls", "--json"]).well().json().as_array().unwrap().len(), 2);
    let filtered = home.qd(&["--json", "ls", "--filter", "state:exited"]).well().json();
    assert_eq!(filtered, json!([session("exited", "done")]));
    let said = home.qd(&["ls", "--filter", "nowhere"]).well();
    assert!(said.out.is_empty() && said.err.contains("No session fits"), "{said:?}");
}

#[test]
fn a_problem_of_the_daemon_decides_the_exit_code() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| match () {
        () if ends(seen, "/nobody") => problem(404, "unknown_session"),
        () if ends(seen, "/ka") => problem(409, "ambiguous_id"),
        () => problem(500, "internal"),
    });
    for (id, code, exit) in
        [("nobody", "unknown_session", 3), ("ka", "ambiguous_id", 4), ("x", "internal", 1)]
    {
        let said = home.qd(&["show", id, "--json"]);
        assert_eq!((said.error().as_str(), said.code), (code, exit));
        let said = home.qd(&["show", id]);
        assert_eq!(said.err, "qd: It is so.\n  Do otherwise.\n");
        assert_eq!((said.out.as_str(), said.code), ("", exit));
    }
}

#[test]
fn a_state_that_is_there_already_ends_the_waiting() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/events") {
            Answer::Open(head())
        } else {
            Answer::Json(200, session("running", "idle"))
        }
    });
    let said = home.qd(&["wait", "k", "--for", "done,idle"]).well();
    assert_eq!(said.out, "idle\n");
}

#[test]
fn waiting_ends_by_an_event() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/events") {
            let other = json!({"id": "another", "why": "not the whole view"});
            let text = head()
                + &event("session", &session("running", "working"))
                + &event("gone", &other)
                + &event("session", &session("running", "permission"));
            Answer::Open(text)
        } else {
            Answer::Json(200, session("running", "unknown"))
        }
    });
    let said = home.qd(&["wait", "k", "--for", "permission", "--json"]).well();
    assert_eq!(said.json()["attention"]["state"], "permission");
}

#[test]
fn a_state_that_was_over_at_once_counts() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/events") {
            Answer::Open(head() + &event("log", &record(3, "started")))
        } else if seen.line == "POST /api/v1/sessions" {
            Answer::Json(201, session("creating", "working"))
        } else if ends(seen, "/healthz") {
            Answer::Json(200, json!({"status": "ok", "version": "0"}))
        } else {
            Answer::Json(200, session("exited", "done"))
        }
    });
    let args = ["new", "--repo", "/r", "--command", "true", "--wait", "running", "--timeout", "60"];
    let said = home.qd(&[&["--json"], &args[..]].concat()).well();
    assert_eq!(said.json()["state"], "exited");
}

#[test]
fn a_time_out_has_exit_code_5() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/events") {
            Answer::Open(head())
        } else {
            Answer::Json(200, session("running", "working"))
        }
    });
    let said = home.qd(&["wait", "k", "--for", "done", "--timeout", "0.2", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("timeout", 5));
}

#[test]
fn a_session_that_failed_ends_the_waiting_with_its_problem() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/events") {
            return Answer::Open(head());
        }
        let mut failed = session("failed", "error");
        failed["problem"] = json!({"type": "about:blank", "title": "No base.", "status": 0,
                                   "code": "base_missing", "hint": "Name one."});
        Answer::Json(200, failed)
    });
    let said = home.qd(&["wait", "k", "--for", "running", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("base_missing", 3));
    assert_eq!(home.qd(&["wait", "k", "--for", "failed"]).code, 0);
}

#[test]
fn any_bytes_of_stdin_arrive_in_order_and_enter_comes_last() {
    let home = Home::new();
    let fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/send") {
            Answer::Json(200, json!({}))
        } else {
            Answer::Json(200, session("running", "idle"))
        }
    });
    let bytes: Vec<u8> =
        (0..200_000u32).map(|n| n.to_le_bytes()[usize::from(n % 3 == 0)]).collect();
    let said = home.qd_with(&["send", "k", "-", "--enter", "--json"], &bytes).well();
    assert_eq!(said.json()["sent"], 200_000);
    let sends: Vec<Value> = fake
        .seen()
        .iter()
        .filter(|seen| ends(seen, "/send"))
        .map(|seen| serde_json::from_str(&seen.body).unwrap())
        .collect();
    assert!(sends.len() > 2, "one request for all");
    let decode = |send: &Value| {
        base64::engine::general_purpose::STANDARD.decode(send["data"].as_str().unwrap()).unwrap()
    };
    assert_eq!(sends.iter().flat_map(decode).collect::<Vec<u8>>(), bytes);
    let entered: Vec<bool> = sends.iter().map(|send| send["enter"].as_bool().unwrap()).collect();
    assert_eq!(entered.iter().filter(|entered| **entered).count(), 1);
    assert_eq!(entered.last(), Some(&true));
}

#[test]
fn text_is_sent_as_it_is() {
    let home = Home::new();
    let fake = Fake::start(home.path(), |_, _| Answer::Json(200, json!({})));
    home.qd(&["send", "title:a b", "--paste", "--", "-x", "$(id)\n\u{1b}[A é"]).well();
    let seen = &fake.seen()[0];
    assert_eq!(seen.line, "POST /api/v1/sessions/title%3Aa%20b/send");
    let body: Value = serde_json::from_str(&seen.body).unwrap();
    assert_eq!(
        body,
        json!({"text": "-x $(id)\n\u{1b}[A é", "data": null, "enter": false, "paste": true})
    );
}

#[test]
fn events_end_at_the_newest_unless_they_are_followed() {
    let home = Home::new();
    let fake = Fake::start(home.path(), |_, _| {
        let logs = (1..=2).map(|n| event("log", &record(n, "started"))).collect::<String>();
        Answer::Open(head() + &logs)
    });
    let said = home.qd(&["events", "--json"]).well();
    let numbers: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect();
    assert_eq!(numbers, [record(1, "started"), record(2, "started")]);
    assert_eq!(home.qd(&["events", "--since", "2"]).well().out, "");
    assert!(ends(&fake.seen()[0], "/events?since=0"));
}

#[test]
fn a_log_that_is_followed_ends_with_the_program_and_repeats_nothing() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| match () {
        () if ends(seen, "/logs") => Answer::Log(100, b"abc".to_vec()),
        // The ring gives more than was asked for.
        () if ends(seen, "?from=103") => Answer::Log(102, b"cde".to_vec()),
        () if ends(seen, "?from=105") => Answer::Log(105, vec![]),
        () => Answer::Json(200, session("exited", "done")),
    });
    assert_eq!(home.qd(&["logs", "k", "--follow"]).well().out, "abcde");
    assert_eq!(home.qd(&["logs", "k"]).well().out, "abc");
}

#[test]
fn a_log_is_followed_from_before_the_program_runs() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, before| match before < 6 {
        _ if ends(seen, "/logs") => Answer::Log(0, vec![]),
        true if ends(seen, "?from=0") => Answer::Log(0, vec![]),
        false if ends(seen, "?from=0") => Answer::Log(0, b"abc".to_vec()),
        _ if ends(seen, "?from=3") => Answer::Log(3, vec![]),
        true => Answer::Json(200, session("creating", "working")),
        false => Answer::Json(200, session("exited", "done")),
    });
    assert_eq!(home.qd(&["logs", "k", "--follow"]).well().out, "abc");
}

#[test]
fn a_file_that_changed_between_the_list_and_its_patch_is_left_out() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if seen.line.contains("/diff/file?path=gone") {
            return problem(409, "path_missing");
        }
        if seen.line.contains("/diff/file?path=b") {
            let patch = json!({"path": "b", "patch": "@@ -1 +1 @@\n-a\n+b\n",
                               "truncated": false, "binary": false, "size": null});
            return Answer::Json(200, patch);
        }
        let file = |path: &str| {
            json!({"path": path, "old_path": null, "status": "modified",
                   "old_mode": "100644", "new_mode": "100644", "additions": 1,
                   "deletions": 1, "binary": false, "size": null, "large": false})
        };
        let list = json!({
            "base": {"name": "origin/main", "merge_base": "c0ffee"},
            "files": [file("gone"), file("b")],
            "totals": {"files": 2, "additions": 2, "deletions": 2},
            "read_at": "2026-01-01T00:00:00Z", "truncated": false
        });
        Answer::Json(200, list)
    });
    let said = home.qd(&["diff", "k"]).well();
    assert!(said.out.contains("+++ b/b\n") && !said.out.contains("gone"), "{said:?}");
    assert!(said.err.contains("gone changed while it was read"), "{said:?}");
    let files = home.qd(&["diff", "k", "--json"]).well().json()["files"].clone();
    assert_eq!((files.as_array().unwrap().len(), &files[0]["path"]), (1, &"b".into()));
}

#[test]
fn a_diff_is_written_as_it_is_read_and_ends_with_its_reader() {
    let home = Home::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let _fake = Fake::start(home.path(), move |seen, _| {
        if seen.line.contains("/diff/file?path=") {
            counted.fetch_add(1, Ordering::Relaxed);
            let patch = json!({"path": "x", "patch": "@@ -1 +1 @@\n-a\n+b\n",
                               "truncated": false, "binary": false, "size": null});
            return Answer::Json(200, patch);
        }
        let file = |n: u32| {
            json!({"path": n.to_string(), "old_path": null, "status": "modified",
                   "old_mode": "100644", "new_mode": "100644", "additions": 1,
                   "deletions": 1, "binary": false, "size": null, "large": false})
        };
        let list = json!({
            "base": {"name": "origin/main", "merge_base": "c0ffee"},
            "files": (0..50).map(file).collect::<Vec<_>>(),
            "totals": {"files": 50, "additions": 50, "deletions": 50},
            "read_at": "2026-01-01T00:00:00Z", "truncated": false
        });
        Answer::Json(200, list)
    });
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out = home.command(&["diff", "k"]).stdout(writer).output().unwrap();
    assert_eq!((out.status.code(), out.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert_eq!(home.qd(&["diff", "k"]).well().out.matches("diff --git").count(), 50);
}

#[test]
fn a_diff_is_unified_text_or_json_with_the_patches() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if seen.line.contains("/diff/file?path=src%2Fa.rs") {
            let patch = json!({"path": "src/a.rs", "patch": "@@ -1 +1 @@\n-a\n+b\n",
                               "truncated": false, "binary": false, "size": null});
            return Answer::Json(200, patch);
        }
        Answer::Json(
            200,
            json!({
                "base": {"name": "origin/main", "merge_base": "c0ffee"},
                "files": [{"path": "src/a.rs", "old_path": null, "status": "modified",
                           "old_mode": "100644", "new_mode": "100644", "additions": 1,
                           "deletions": 1, "binary": false, "size": null, "large": false}],
                "totals": {"files": 1, "additions": 1, "deletions": 1},
                "read_at": "2026-01-01T00:00:00Z", "truncated": false
            }),
        )
    });
    assert_eq!(
        home.qd(&["diff", "k"]).well().out,
        "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n"
    );
    let json = home.qd(&["diff", "k", "--json"]).well().json();
    assert_eq!(json["files"][0]["patch"], "@@ -1 +1 @@\n-a\n+b\n");
    let stat = home.qd(&["diff", "k", "--stat"]).well().out;
    assert_eq!(stat, " src/a.rs | 2 +-\n 1 file changed against origin/main, +1 -1\n");
}

#[test]
fn a_screen_without_ansi_cannot_move_the_reader_s_cursor() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |_, _| {
        Answer::Json(
            200,
            json!({
                "seq": 1, "cols": 80, "rows": 2, "cursor": {"x": 0, "y": 0, "visible": true},
                "modes": {"alternate": false, "bracketed_paste": false, "mouse": "off",
                          "application_cursor": false, "focus": false},
                "lines": ["one", "t\u{1b}[2Jwo"], "title": ""
            }),
        )
    });
    assert_eq!(home.qd(&["screen", "k"]).well().out, "one\nt\u{fffd}[2Jwo\n");
}

#[test]
fn attaching_finds_out_first_that_there_is_no_terminal() {
    let home = Home::new();
    let fake = Fake::start(home.path(), |_, _| Answer::Json(200, session("exited", "done")));
    assert_eq!(home.qd(&["attach", "k"]).code, 4);
    assert!(fake.seen().is_empty());
}
