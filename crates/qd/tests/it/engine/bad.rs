//! What cannot be done is answered with a code, a sentence and a hint, and leaves nothing behind.

use std::path::Path;

use serde_json::{Value, json};

use super::http::{over_tcp, request};
use super::stage::{Stage, until};
use crate::script;

fn tree(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = ["sessions", "worktrees", "trash", "panes"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(dir.join(folder)).into_iter().flatten().flatten())
        .map(|entry| entry.path().display().to_string())
        .collect();
    names.sort();
    names
}

#[test]
fn repositories_branches_and_commands_that_cannot_be() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    stage.shell(
        "mkdir plain && git init -q empty && git init -q --bare bare.git && \
         echo data > plain/data && cd repo && git branch free && git worktree add -q ../held -b held",
    );
    let at = |name: &str| stage.dir().join(name);
    let before = stage.traces(&repo);
    let ok = ["cat"];
    let cases: Vec<(Value, u16, &str)> = vec![
        (json!({"repo": at("plain"), "command": ok}), 409, "not_a_repository"),
        (json!({"repo": at("empty"), "command": ok}), 409, "no_commits"),
        (json!({"repo": at("bare.git"), "command": ok}), 409, "bare_repository"),
        (json!({"repo": at("nowhere"), "command": ok}), 409, "path_missing"),
        (json!({"repo": at("repo/a"), "command": ok}), 409, "path_missing"),
        (json!({"repo": "repo", "command": ok}), 422, "field_invalid"),
        (json!({"repo": "", "command": ok}), 409, "path_missing"),
        (json!({"repo": "/tmp/\u{0}x", "command": ok}), 409, "path_missing"),
        (json!({"command": ok}), 409, "path_missing"),
        (json!({"repo": repo, "command": ok, "base": "nowhere"}), 409, "base_missing"),
        (json!({"repo": repo, "command": ok, "base": "--help"}), 409, "base_missing"),
        (json!({"repo": repo, "command": ok, "base": ""}), 409, "base_missing"),
        (json!({"repo": repo, "command": ok, "branch": "a..b"}), 422, "branch_invalid"),
        (json!({"repo": repo, "command": ok, "branch": "-x"}), 422, "branch_invalid"),
        (json!({"repo": repo, "command": ok, "branch": ""}), 422, "branch_invalid"),
        (json!({"repo": repo, "command": ok, "branch": "a b"}), 422, "branch_invalid"),
        (json!({"repo": repo, "command": ok, "branch": "held"}), 409, "branch_checked_out"),
        (json!({"repo": repo, "command": ok, "branch": "main"}), 409, "branch_checked_out"),
        (json!({"repo": repo, "command": ok, "worktree": at("nowhere")}), 409, "path_missing"),
        (
            json!({"repo": repo, "command": ok, "in_place": true, "branch": "free"}),
            422,
            "field_invalid",
        ),
        (
            json!({"repo": repo, "command": ok, "in_place": true, "worktree": at("held")}),
            422,
            "field_invalid",
        ),
        (json!({"repo": repo, "command": ["no-such-program"]}), 409, "program_missing"),
        (json!({"repo": repo, "command": ["/no/such/program"]}), 409, "program_missing"),
        (json!({"repo": repo, "command": ["./none"], "in_place": true}), 409, "program_missing"),
        (json!({"repo": repo, "command": [at("plain/data")]}), 409, "program_not_executable"),
        (json!({"repo": repo, "command": [at("plain")]}), 409, "program_not_executable"),
        (json!({"repo": repo, "command": []}), 422, "field_invalid"),
        (json!({"repo": repo, "command": [""]}), 422, "field_invalid"),
        (json!({"repo": repo, "command": ok, "base": "a\u{0}b"}), 409, "base_missing"),
        (json!({"repo": repo, "agent": "no-such-agent"}), 409, "agent_unknown"),
        (json!({"repo": repo, "command": ok, "cols": 1}), 422, "field_invalid"),
        (json!({"repo": repo, "command": ok, "rows": 501}), 422, "field_invalid"),
        (json!({"repo": repo, "command": ok, "on_loss": "burn"}), 422, "field_invalid"),
        (json!({"repo": repo, "command": ok, "env": {"A=B": "c"}}), 422, "field_invalid"),
        (json!({"repo": repo, "command": ok, "env": {"QD_SESSION": "c"}}), 422, "field_invalid"),
        (json!({"repo": repo, "command": ok, "tags": ["a b"]}), 422, "tag_invalid"),
        (json!({"repo": repo, "command": ok, "title": ""}), 422, "title_invalid"),
        (json!({"repo": repo, "command": ok, "title": "   "}), 422, "title_invalid"),
        (json!({"repo": repo, "command": ok, "title": "a\nb"}), 422, "title_invalid"),
        (json!({"repo": repo, "command": ok, "title": "a\u{1b}[31m"}), 422, "title_invalid"),
        (json!({"repo": repo, "command": ok, "title": "a\u{0}"}), 422, "title_invalid"),
        (json!({"repo": repo, "command": ok, "title": "é".repeat(10_000)}), 422, "title_invalid"),
    ];
    let mut wrong = vec![];
    for (fields, status, code) in cases {
        let answer = stage.post("/api/v1/sessions", &fields);
        if answer.status < 300 {
            wrong.push(format!("{:.150} was taken", fields.to_string()));
            continue;
        }
        let told = answer.problem();
        if told != (status, code.to_owned()) {
            wrong.push(format!("{:.150}: {told:?}, not {status} {code}", fields.to_string()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(stage.get("/api/v1/sessions").json(), json!([]));
    assert_eq!(stage.traces(&repo), before);
    assert_eq!(tree(&stage.root()), Vec::<String>::new());
    // The command line says the same, with the code of its kind.
    let plain = at("plain").display().to_string();
    let said = stage.qd(&["new", "--json", "--repo", &plain, "--command", "cat"]);
    assert_eq!((said.error().as_str(), said.code), ("not_a_repository", 4));
    let said = stage.qd(&[
        "new",
        "--json",
        "--repo",
        repo.to_str().unwrap(),
        "--base",
        "nowhere",
        "--command",
        "cat",
    ]);
    assert_eq!((said.error().as_str(), said.code), ("base_missing", 3));
}

#[test]
fn titles_and_paths_may_be_anything_else() {
    let stage = Stage::start();
    let repo = stage.repo("it's a \"repo\"\n$(id) -x");
    let long = "é".repeat(200);
    for title in [
        "🚀 ship 漢字",
        "مرحبا بالعالم",
        "-x",
        "$(id)",
        "a/b",
        "..",
        "`id`",
        "#{pane_pid}",
        "'",
        &long,
    ] {
        let view = stage.new_session(json!({
            "repo": repo, "command": ["sh", "-c", "echo at $PWD; exec cat"], "title": title
        }));
        assert_eq!(view["state"], "running", "{title}: {view}");
        assert_eq!(view["title"], title);
        let id = view["id"].as_str().unwrap();
        let worktree = Path::new(view["worktree"].as_str().unwrap());
        assert!(worktree.starts_with(stage.root().join("worktrees")), "{view}");
        assert!(worktree.join("a").exists());
        let branch = view["branch"].as_str().unwrap();
        let head = stage.home.shell(&format!(
            "cd '{}' && git symbolic-ref --short HEAD",
            worktree.display().to_string().replace('\'', r"'\''")
        ));
        assert_eq!(head.out.trim(), branch, "{head:?}");
        let shown = stage.qd(&["show", "--json", &format!("title:{title}")]).well();
        assert_eq!(shown.json()["id"], id);
        stage.qd(&["rm", id]).well();
        stage.until_state(id, "trashed");
        stage.qd(&["restore", id]).well();
        stage.until_state(id, "exited");
        assert!(worktree.join("a").exists());
        stage.qd(&["rm", id]).well();
        stage.until_state(id, "trashed");
        stage.qd(&["purge", "--yes", id]).well();
    }
    // A folder with such a name is also worked in itself.
    let view = stage.new_session(json!({"repo": repo, "in_place": true, "command": ["cat"]}));
    assert_eq!(view["worktree"], repo.to_str().unwrap());
}

#[test]
fn requests_that_are_none() {
    let stage = Stage::start();
    let id = stage.run("sleep 1000");
    let own = format!("/api/v1/sessions/{id}");
    let cases: Vec<(&str, String, &str, u16, &str)> = vec![
        ("POST", "/api/v1/sessions".into(), "{", 400, "bad_request"),
        ("POST", "/api/v1/sessions".into(), "[]", 400, "bad_request"),
        ("POST", "/api/v1/sessions".into(), r#"{"repo":5}"#, 400, "bad_request"),
        (
            "POST",
            "/api/v1/sessions".into(),
            r#"{"repo":"/tmp","comand":["x"]}"#,
            400,
            "bad_request",
        ),
        ("POST", format!("{own}/send"), r#"{"text":1}"#, 400, "bad_request"),
        ("POST", format!("{own}/send"), r#"{"data":"%%"}"#, 422, "field_invalid"),
        ("POST", format!("{own}/send"), r#"{"text":"a","data":"YQ=="}"#, 422, "field_invalid"),
        ("POST", format!("{own}/keys"), r#"{"keys":["Nope"]}"#, 422, "field_invalid"),
        ("POST", format!("{own}/resize"), r#"{"cols":-1,"rows":2}"#, 400, "bad_request"),
        ("POST", format!("{own}/resize"), r#"{"cols":5000,"rows":2}"#, 422, "field_invalid"),
        ("POST", format!("{own}/restore"), "", 409, "state_conflict"),
        ("POST", format!("{own}/purge"), "", 409, "state_conflict"),
        ("POST", format!("{own}/dance"), "", 404, "unknown_route"),
        ("PUT", own.clone(), "{}", 405, "method_not_allowed"),
        ("GET", "/api/v1/sessions/kzzzzzzzzzzz".into(), "", 404, "unknown_session"),
        ("GET", "/api/v1/sessions/..%2f..%2fetc".into(), "", 404, "unknown_session"),
        ("DELETE", "/api/v1/sessions/kzzzzzzzzzzz".into(), "", 404, "unknown_session"),
        ("GET", "/api/v1/operations/nope".into(), "", 404, "unknown_operation"),
        ("GET", "/api/v1/nope".into(), "", 404, "unknown_route"),
        ("GET", format!("{own}/diff"), "", 409, "not_a_repository"),
        ("GET", format!("{own}/scrollback?lines=0"), "", 400, "bad_request"),
        ("GET", format!("{own}/scrollback?lines=x"), "", 400, "bad_request"),
    ];
    let mut wrong = vec![];
    for (method, path, body, status, code) in cases {
        let told = stage.ask(method, &path, &[], body.as_bytes()).problem();
        if told != (status, code.to_owned()) {
            wrong.push(format!("{method} {path} {body}: {told:?}, not {status} {code}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");

    // A body of 100 MB is refused by its length, and read by nobody.
    let (address, token) = (stage.address(), format!("Bearer {}", stage.token()));
    let headers = [
        ("Host", address.as_str()),
        ("Authorization", token.as_str()),
        ("Content-Type", "application/json"),
        ("Content-Length", "104857600"),
    ];
    let answer = over_tcp(&address, &request("POST", "/api/v1/sessions", &headers, b""));
    assert_eq!(answer.problem(), (413, "body_too_large".to_owned()));
    // And one that does not say how long it is, once it is too long.
    let headers = [&headers[..3], &[("Transfer-Encoding", "chunked")]].concat();
    let mut bytes = request("POST", "/api/v1/sessions", &headers, b"");
    for _ in 0..40 {
        bytes.extend_from_slice(b"10000\r\n");
        bytes.extend_from_slice(&[b' '; 0x10000]);
        bytes.extend_from_slice(b"\r\n");
    }
    if let Some(answer) = super::http::try_over_tcp(&address, &bytes) {
        assert_eq!(answer.problem(), (413, "body_too_large".to_owned()));
    }
    let headers = [("Host", address.as_str()), ("Authorization", token.as_str())];
    let plain = over_tcp(&address, &request("POST", "/api/v1/sessions", &headers, b"repo=/tmp"));
    assert!(plain.problem().0 >= 400);
    assert_eq!(stage.show(&id)["state"], "running");
    assert_eq!(stage.get("/api/v1/sessions").json().as_array().unwrap().len(), 1);
}

/// A folder with a program `tmux` that does this, and what else is needed beside it.
fn path_with(stage: &Stage, name: &str, script: Option<&str>) -> String {
    let folder = stage.dir().join(name);
    std::fs::create_dir(&folder).unwrap();
    for program in ["git", "sh", "cat", "env"] {
        let found = stage.shell(&format!("command -v {program}"));
        std::os::unix::fs::symlink(found.trim(), folder.join(program)).unwrap();
    }
    if let Some(script) = script {
        let tmux = folder.join("tmux");
        script::program(&tmux, script);
    }
    folder.display().to_string()
}

#[test]
fn tmux_missing_or_too_old() {
    let dirs = Stage::start();
    let none = path_with(&dirs, "none", None);
    let old = path_with(&dirs, "old", Some("#!/bin/sh\necho tmux 2.1\n"));
    for (path, code) in [(none, "tmux_missing"), (old, "tmux_too_old")] {
        let stage = Stage::with(&[("PATH", &path)]);
        let fields = json!({"repo": dirs.dir(), "in_place": true, "command": ["cat"]});
        let answer = stage.post("/api/v1/sessions", &fields);
        let (status, told) = answer.problem();
        assert_eq!(told, code);
        assert!(status >= 400);
        assert_eq!(stage.get("/api/v1/sessions").json(), json!([]));
        assert_eq!(tree(&stage.root()), Vec::<String>::new());
        let said = stage.qd(&["doctor", "--json"]);
        assert!(said.out.contains("tmux"), "{said:?}");
        assert_eq!(said.json()["ok"], false, "{said:?}");
    }
}

#[test]
fn ports_and_homes_that_cannot_be_had() {
    let stage = Stage::start();
    let serve = |home: &str, listen: &str| {
        let mut serve = stage.command(&["serve", "--json", "--listen", listen, "--home", home]);
        crate::program::Said::from(serve.output().unwrap())
    };
    let other = stage.dir().join("other").display().to_string();
    let said = serve(&other, &stage.address());
    assert_eq!((said.error().as_str(), said.code), ("port_taken", 4));
    let message = said.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&stage.pid().to_string()), "{message}");
    assert!(message.contains("qd"), "{message}");

    std::fs::write(stage.dir().join("file"), "").unwrap();
    let said = serve(&stage.dir().join("file").display().to_string(), "127.0.0.1:0");
    assert_eq!((said.error().as_str(), said.code), ("home_not_writable", 1));
    let said = serve("/proc/nothing/here", "127.0.0.1:0");
    assert_eq!((said.error().as_str(), said.code), ("home_not_writable", 1));
    let said = serve(&stage.root().display().to_string(), "127.0.0.1:0");
    assert_eq!((said.error().as_str(), said.code), ("home_in_use", 4));
    // By another name it is the same home.
    std::os::unix::fs::symlink(stage.root(), stage.dir().join("alias")).unwrap();
    let said = serve(&stage.dir().join("alias").display().to_string(), "127.0.0.1:0");
    assert_eq!((said.error().as_str(), said.code), ("home_in_use", 4));
    let said = serve(&other, "0.0.0.0:0");
    assert_eq!((said.error().as_str(), said.code), ("listen_refused", 4));
    // The one that serves was not disturbed.
    until("it serves", || (stage.get("/api/v1/sessions").status == 200).then_some(()));
    stage.qd(&["ls"]).well();
}
