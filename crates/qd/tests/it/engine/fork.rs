//! A session that begins where another one is, while that one goes on.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::seen::{GIT, files};
use super::stage::Stage;

fn text<'a>(view: &'a Value, field: &str) -> &'a str {
    view[field].as_str().unwrap_or_else(|| panic!("no {field}: {view}"))
}

#[test]
fn a_fork_has_all_the_work_and_the_source_runs_on() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let source = stage.new_session(json!({
        "repo": repo, "title": "Try", "command": ["sh", "-c", "while read x; do echo got $x $MARK; done"],
        "env": {"MARK": "marked"}, "tags": ["x"]
    }));
    let (id, at) = (text(&source, "id").to_owned(), PathBuf::from(text(&source, "worktree")));
    stage.shell(&format!(
        "cd '{}' && echo c > c && git add c && {GIT} commit -q -m work && echo s > s && git add s && echo more >> s && \
         echo u >> a && mkdir -p n/deep && printf 'no end' > 'n/deep/a b' && echo '#!/bin/sh' > run && chmod 755 run && \
         echo i > ignored.log && echo later > later && git add -N later && git rm -q --cached c",
        at.display()
    ));
    symlink("/nowhere", at.join("link")).unwrap();
    let status =
        |at: &Path| stage.shell(&format!("cd '{}' && git status --porcelain=v2", at.display()));
    let (before, said) = (files(&at), status(&at));
    let shown = stage.show(&id);
    let made = stage.qd(&["fork", "--json", &id]).well().json();
    assert_eq!(made["title"], "Try (fork)");
    let fork = stage.until_state(text(&made, "id"), "running");
    let there = PathBuf::from(text(&fork, "worktree"));
    let mut wanted = before.clone();
    wanted.remove(Path::new("ignored.log"));
    assert_eq!(files(&there), wanted);
    assert_eq!(status(&there), said);
    assert_ne!(fork["branch"], source["branch"]);
    for same in ["agent", "command", "repo", "base", "base_commit", "tags"] {
        assert_eq!(fork[same], source[same], "{same}");
    }
    assert!(fork["parent"].is_null());
    stage.qd(&["send", text(&fork, "id"), "there", "--enter"]).well();
    stage.until_line(text(&fork, "id"), |line| line == "got there marked");
    // The source was only read.
    assert_eq!((files(&at), status(&at)), (before, said));
    assert_eq!(stage.show(&id)["version"], shown["version"]);
    stage.qd(&["send", &id, "here", "--enter"]).well();
    stage.until_line(&id, |line| line == "got here marked");

    // The two part: each goes to the trash and back by itself.
    stage.qd(&["rm", text(&fork, "id")]).well();
    assert!(at.exists() && !there.exists());
    stage.qd(&["restore", text(&fork, "id")]).well();
    assert_eq!(files(&there), wanted);
}

#[test]
fn a_fork_on_a_named_branch_with_a_prompt_or_a_refusal_that_leaves_nothing() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let source = stage.new_session(json!({"repo": repo, "title": "Try", "command": ["cat"]}));
    let id = text(&source, "id").to_owned();
    let before = stage.traces(&repo);
    let path = format!("/api/v1/sessions/{id}/fork");
    let refused = [
        (json!({"branch": "main"}), 409, "branch_exists"),
        (json!({"branch": "a..b"}), 422, "branch_invalid"),
        (json!({"title": ""}), 422, "title_invalid"),
        (json!({"prompt": "go on"}), 422, "field_invalid"),
        (json!({"repo": "/"}), 400, "bad_request"),
    ];
    for (body, status, code) in refused {
        let answer = stage.post(&path, &body);
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)), "{body}");
    }
    let plain = stage.run("exec cat");
    let answer = stage.post(&format!("/api/v1/sessions/{plain}/fork"), &json!({}));
    assert_eq!(answer.json()["code"], "not_a_repository");
    assert_eq!(stage.traces(&repo), before);

    let made =
        stage.qd(&["fork", "--json", &id, "--branch", "mine", "--title", "Mine"]).well().json();
    let fork = stage.until_state(text(&made, "id"), "running");
    assert_eq!((text(&fork, "branch"), text(&fork, "title")), ("mine", "Mine"));
    stage.post(&format!("/api/v1/sessions/{id}/pause"), &json!({})).well();
    stage.until_state(&id, "paused");
    assert_eq!(stage.post(&path, &json!({})).json()["code"], "state_conflict");
    // One in the main checkout can be forked as well.
    let own = stage.new_session(json!({"repo": repo, "in_place": true, "command": ["cat"]}));
    std::fs::write(repo.join("wip"), "x").unwrap();
    let made = stage.post(&format!("/api/v1/sessions/{}/fork", text(&own, "id")), &json!({}));
    let fork = stage.until_state(text(&made.well().json(), "id"), "running");
    assert_eq!(
        std::fs::read_to_string(Path::new(text(&fork, "worktree")).join("wip")).unwrap(),
        "x"
    );
    assert_eq!(fork["kind"], "worktree");
}

#[test]
fn a_fork_that_is_called_off_or_cannot_start_takes_all_back() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let source = stage.new_session(json!({"repo": repo, "title": "Try", "command": ["./tool"]}));
    assert_eq!(source["state"], "failed", "{source}");
    std::fs::write(repo.join("tool"), "#!/bin/sh\nexec cat\n").unwrap();
    stage.shell(&format!("cd repo && chmod +x tool && git add tool && {GIT} commit -q -m tool"));
    let source = stage.new_session(json!({"repo": repo, "title": "Try", "command": ["./tool"]}));
    assert_eq!(source["state"], "running", "{source}");
    let (id, at) = (text(&source, "id").to_owned(), PathBuf::from(text(&source, "worktree")));
    // Its program is not there any more for the fork, which begins with work that is no commit.
    std::fs::remove_file(at.join("tool")).unwrap();
    std::fs::write(at.join("work"), "x").unwrap();
    let before = stage.traces(&repo);
    let path = format!("/api/v1/sessions/{id}/fork");
    let made = stage.post(&path, &json!({})).well().json();
    let view = stage.until_state(text(&made, "id"), "failed");
    assert_eq!(view["problem"]["code"], "program_missing", "{view}");
    assert_eq!(stage.traces(&repo), before);
    for _ in 0..10 {
        let made = stage.post(&path, &json!({})).well().json();
        let fork = text(&made, "id");
        stage.ask("DELETE", &format!("/api/v1/sessions/{fork}"), &[], b"").well();
        stage.until_state(fork, "trashed");
        assert_eq!(stage.traces(&repo), before);
    }
    assert_eq!(std::fs::read_to_string(at.join("work")).unwrap(), "x");
}
