//! From a session's work to a branch on a remote, with nothing of anybody else in it.

use serde_json::{Value, json};

use super::stage::{Stage, until};

pub const GIT: &str = "git -c user.name=n -c user.email=e";

/// A repository with a bare remote, and `ahead` commits of the person that are only here.
pub fn repo(stage: &Stage, ahead: u32) -> String {
    let repo = stage.repo("repo");
    stage.shell(&format!(
        "git init -q --bare -b main origin.git && cd repo && git config user.name Ann && \
         git config user.email ann@example.org && git remote add origin ../origin.git && \
         git push -q origin main && git remote set-head origin main && \
         for n in $(seq 1 {ahead}); do echo $n > private-$n && git add . && {GIT} commit -q -m \"private $n\"; done"
    ));
    repo.to_string_lossy().into_owned()
}

pub fn text<'a>(view: &'a Value, field: &str) -> &'a str {
    view[field].as_str().unwrap_or_else(|| panic!("no {field}: {view}"))
}

pub fn begin(stage: &Stage, repo: &str) -> (String, String) {
    let view = stage
        .new_session(json!({"repo": repo, "title": "Work", "base": "main", "command": ["cat"]}));
    (text(&view, "id").to_owned(), text(&view, "worktree").to_owned())
}

fn whose(ship: &Value) -> Vec<(String, String)> {
    let commits = ship["commits"].as_array().unwrap().iter();
    commits.map(|one| (text(one, "subject").to_owned(), text(one, "whose").to_owned())).collect()
}

#[test]
fn a_session_delivers_only_its_own_commits_to_a_bare_remote() {
    let stage = Stage::start();
    let repo = repo(&stage, 6);
    let (id, at) = begin(&stage, &repo);
    stage.shell(&format!("cd '{at}' && echo x > n && echo more >> a"));
    // Somebody else is quicker.
    stage.shell(&format!(
        "git clone -q origin.git other && cd other && echo t > t && git add . && \
         {GIT} commit -q -m theirs && git push -q"
    ));

    let said = stage.qd(&["ship", &id]).well();
    assert!(said.out.contains("0 commits of this session"), "{said:?}");
    assert!(said.out.contains("Not committed: 1 changed, 1 untracked."), "{said:?}");
    let said =
        stage.qd(&["ship", &id, "--commit", "-m", "Add n\n\nbecause", "--json"]).well().json();
    assert_eq!(said["steps"][0]["what"], "commit");
    assert_eq!(said["steps"][0]["state"], "done");
    let ship = &said["ship"];
    assert_eq!(
        (&ship["base"]["name"], &ship["base"]["behind"]),
        (&json!("origin/main"), &json!(1))
    );
    assert_eq!(ship["foreign"], 6);
    assert_eq!(whose(ship)[0], ("Add n".to_owned(), "own".to_owned()));
    assert_eq!(whose(ship)[6], ("private 1".to_owned(), "nobody".to_owned()));
    assert_eq!(ship["commits"][6]["on"], "main");
    assert_eq!(ship["uncommitted"]["unstaged"], 0);

    let refused = stage.qd(&["ship", &id, "--push", "--json"]);
    assert_eq!((refused.code, refused.error().as_str()), (4, "foreign_commits"));
    assert_eq!(
        stage.shell("git -C origin.git for-each-ref --format='%(refname)'"),
        "refs/heads/main\n"
    );

    // What would be done, and nothing is.
    let dry = stage.qd(&["ship", &id, "--dry-run", "--keep-out", "--push", "--json"]).well().json();
    assert_eq!((&dry["steps"], &dry["rebuild"]["ready"]), (&json!([]), &json!(true)));
    assert_eq!(dry["rebuild"]["left_out"].as_array().unwrap().len(), 6);
    assert_eq!(dry["ship"]["foreign"], 6);
    let told = stage.qd(&["ship", &id, "--dry-run", "--keep-out"]).well().out;
    assert!(told.contains("  keep Add n\n  leave out private 6\n"), "{told}");

    let before = stage.shell(&format!("git -C '{at}' rev-parse HEAD"));
    let said = stage.qd(&["ship", &id, "--keep-out"]).well();
    assert_eq!(said.out, "Rebuilt on origin/main: 1 kept, 6 left out.\n");
    let view = stage.show(&id);
    let tip = stage.shell("git -C other rev-parse HEAD");
    assert_eq!((&view["base"], &view["base_commit"]), (&json!("origin/main"), &json!(tip.trim())));
    let diff = stage.qd(&["diff", &id, "--stat", "--json"]).well().json();
    assert_eq!(diff["totals"]["files"], 2, "only what the session changed: {diff}");
    let said = stage.qd(&["ship", &id, "--undo", "--json"]).well().json();
    assert_eq!(said["ship"]["foreign"], 6);
    assert_eq!(stage.shell(&format!("git -C '{at}' rev-parse HEAD")), before);
    assert_eq!(stage.show(&id)["base"], "main");
    assert_eq!(stage.qd(&["ship", &id, "--undo", "--json"]).error(), "nothing_to_undo");

    let said = stage.qd(&["ship", &id, "--keep-out", "--push"]).well();
    let branch = text(&view, "branch");
    assert!(said.out.ends_with(&format!("Pushed {branch} to origin.\n")), "{said:?}");
    let log = stage.shell(&format!("git -C origin.git log --format=%s main..{branch}"));
    assert_eq!(log, "Add n\n");
    let said = stage.qd(&["ship", &id, "--push"]).well();
    assert!(said.out.contains("is up to date"), "{said:?}");

    // The log of events has each attempt with its end.
    let events = stage.get("/api/v1/sessions").json();
    assert_eq!(events[0]["shipping"]["state"], "done");
    let log = stage.qd(&["events", "--json"]).well().out;
    let shipped: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["kind"] == "shipped")
        .map(|event| json!([event["data"]["what"], event["data"]["problem"]["code"]]))
        .collect();
    assert_eq!(
        json!(shipped),
        json!([
            ["commit", null],
            ["push", "foreign_commits"],
            ["rebuild", null],
            ["undo", null],
            ["undo", "nothing_to_undo"],
            ["rebuild", null],
            ["push", null],
            ["push", null]
        ])
    );
}

#[test]
fn a_hook_that_hangs_is_shown_can_be_stopped_and_holds_up_no_deletion() {
    let stage = Stage::start();
    let repo = repo(&stage, 0);
    let (id, at) = begin(&stage, &repo);
    stage.shell(&format!(
        "cd '{at}' && echo x > n && hooks=$(git rev-parse --git-path hooks) && \
         printf '#!/bin/sh\\necho checking >&2\\nexec sleep 1000\\n' > \"$hooks/pre-commit\" && \
         chmod 755 \"$hooks/pre-commit\""
    ));
    let path = format!("/api/v1/sessions/{id}/ship");
    let commit = || {
        let answer = stage.post(&format!("{path}/commit"), &json!({"message": "m"}));
        assert_eq!(answer.status, 202);
        assert_eq!(answer.json()["id"], format!("{id}-commit"));
        until("the hook's words", || {
            (stage.show(&id)["shipping"]["said"] == "checking").then_some(())
        });
    };
    commit();
    let operation = stage.get(&format!("/api/v1/operations/{id}-commit")).json();
    assert_eq!(operation["state"], "running");
    // One thing at a time; the same thing again is that one.
    let answer = stage.post(&format!("{path}/commit"), &json!({"message": "m"}));
    assert_eq!((answer.status, &answer.json()["state"]), (202, &json!("running")));
    let answer = stage.post(&format!("{path}/undo"), &json!({}));
    assert_eq!((answer.status, &answer.json()["code"]), (409, &json!("state_conflict")));

    stage.qd(&["ship", &id, "--stop"]).well();
    let shipping = until("its end", || {
        let shipping = stage.show(&id)["shipping"].clone();
        (shipping["state"] == "failed").then_some(shipping)
    });
    assert_eq!(shipping["problem"]["code"], "cancelled");
    let refused = stage.qd(&["ship", &id, "--stop", "--json"]);
    assert_eq!(refused.error(), "state_conflict");
    let status = stage.shell(&format!("git -C '{at}' status --porcelain"));
    assert_eq!(status, "?? n\n");

    commit();
    stage.qd(&["rm", &id]).well();
    assert_eq!(stage.show(&id)["state"], "trashed");
    let answer = stage.get(&path);
    assert_eq!((answer.status, &answer.json()["code"]), (409, &json!("state_conflict")));
}

#[test]
fn what_cannot_be_shipped_is_refused_with_a_way_on() {
    let stage = Stage::start();
    let repo = repo(&stage, 0);
    let (id, at) = begin(&stage, &repo);
    let path = format!("/api/v1/sessions/{id}/ship");
    for (step, body, status, code) in [
        ("commit", json!({"message": " "}), 422, "field_invalid"),
        ("commit", json!({"message": "m", "files": []}), 422, "field_invalid"),
        ("commit", json!({"message": "m", "files": ["../x"]}), 422, "field_invalid"),
        ("commit", json!({"message": "m", "files": ["x"], "staged": true}), 422, "field_invalid"),
        ("commit", json!({"message": "m", "all": true}), 400, "bad_request"),
        ("push", json!({"tip": "HEAD"}), 422, "field_invalid"),
        ("rebuild", json!({}), 400, "bad_request"),
    ] {
        let answer = stage.post(&format!("{path}/{step}"), &body);
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (status, &json!(code)),
            "{step} {body}"
        );
    }
    assert_eq!(
        stage.qd(&["ship", &id, "--commit", "-m", "m", "--json"]).error(),
        "nothing_to_commit"
    );
    assert_eq!(stage.qd(&["ship", &id, "--commit"]).code, 2);
    let tip = stage.get(&path).json()["tip"].clone();
    stage.shell(&format!("cd '{at}' && echo x > n && git add n && {GIT} commit -q -m own"));
    let problem = |step: &str, body: Value| {
        assert_eq!(stage.post(&format!("{path}/{step}"), &body).status, 202);
        until("its end", || {
            let shipping = stage.show(&id)["shipping"].clone();
            (shipping["what"] == step && shipping["state"] == "failed")
                .then(|| text(&shipping["problem"], "code").to_owned())
        })
    };
    // What was shown is what goes.
    assert_eq!(problem("push", json!({"tip": tip})), "branch_moved");
    assert_eq!(problem("rebuild", json!({"tip": tip})), "branch_moved");
    stage.shell("mv origin.git away");
    let said = stage.qd(&["ship", &id, "--push", "--json"]);
    assert_eq!((said.code, said.error().as_str()), (1, "remote_unreachable"));
    stage.shell("mv away origin.git");
    // A conflict is predicted, and nothing is done.
    stage.shell(&format!(
        "git clone -q origin.git other && cd other && echo other > n && git add . && \
         {GIT} commit -q -m theirs && git push -q"
    ));
    let refused = stage.qd(&["ship", &id, "--keep-out"]);
    assert_eq!(refused.code, 4);
    assert!(
        refused
            .err
            .contains("\u{201c}own\u{201d} does not fit onto origin/main: n would conflict."),
        "{refused:?}"
    );
    // In the person's own checkout the default branch is neither rebuilt nor pushed.
    let own = stage.new_session(json!({"repo": repo, "in_place": true, "command": ["cat"]}));
    let own = text(&own, "id");
    assert_eq!(stage.qd(&["ship", own, "--push", "--json"]).error(), "branch_protected");
    let plain = stage.new_session(json!({"repo": "/tmp", "in_place": true, "command": ["cat"]}));
    assert_eq!(stage.qd(&["ship", text(&plain, "id"), "--json"]).error(), "not_a_repository");
    assert_eq!(stage.get("/api/v1/operations/kaaaaaaaaaaa-commit").status, 404);
}
