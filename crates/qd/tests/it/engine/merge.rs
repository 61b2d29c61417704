//! From a session's work into its base: on a bare remote, and in the person's own repository.

use serde_json::{Value, json};

use super::ship::{GIT, begin, repo, text};
use super::stage::{Stage, until};

fn commit(stage: &Stage, at: &str, file: &str, subject: &str) {
    stage.shell(&format!(
        "cd '{at}' && echo '{subject}' > {file} && git add . && {GIT} commit -q -m '{subject}'"
    ));
}

fn log(stage: &Stage, at: &str) -> String {
    stage.shell(&format!("git -C {at} log --first-parent --format=%s main"))
}

#[test]
fn work_gets_into_the_base_of_a_remote_by_each_way_and_nothing_foreign_with_it() {
    let stage = Stage::start();
    let repo = repo(&stage, 2);
    let (id, at) = begin(&stage, &repo);
    commit(&stage, &at, "n", "first");
    commit(&stage, &at, "m", "second");
    let start = log(&stage, "origin.git");
    for way in ["--merge", "--merge=squash"] {
        let refused = stage.qd(&["ship", &id, way, "--json"]);
        assert_eq!((refused.code, refused.error().as_str()), (4, "foreign_commits"));
    }
    let told = stage.qd(&["ship", &id, "--merge", "--dry-run"]).well().out;
    assert!(told.contains("A merge would bring 4 commits into origin/main"), "{told}");
    assert!(told.contains("2 of them not of this session"), "{told}");
    assert_eq!(log(&stage, "origin.git"), start);

    let said = stage.qd(&["ship", &id, "--merge=rebase"]).well().out;
    assert!(said.contains("into origin/main as "), "{said}");
    assert_eq!(log(&stage, "origin.git"), format!("second\nfirst\n{start}"));
    let again = stage.qd(&["ship", &id, "--merge=rebase"]).well().out;
    assert_eq!(again, "origin/main has all of it already.\n");

    // Somebody else goes on meanwhile, and the base of the next one is theirs, too.
    stage.shell(&format!(
        "git clone -q origin.git other && cd other && echo t > t && git add . && \
         {GIT} commit -q -m theirs && git push -q"
    ));
    let view = stage.new_session(
        json!({"repo": repo, "title": "Two", "base": "origin/main", "command": ["cat"]}),
    );
    let (two, at) = (text(&view, "id"), text(&view, "worktree"));
    commit(&stage, at, "two", "third");
    commit(&stage, at, "two", "fourth");
    stage.qd(&["ship", two, "--merge=squash", "--merge-message", "Both\n\nof them"]).well();
    assert_eq!(log(&stage, "origin.git"), format!("Both\ntheirs\nsecond\nfirst\n{start}"));
    let made = stage.shell("git -C origin.git log -1 --format='%P|%b|%an' main");
    assert!(made.split('|').next().is_some_and(|parents| parents.len() == 40), "{made}");
    assert!(made.ends_with("|of them\n|Ann\n"), "{made}");

    let view = stage.new_session(
        json!({"repo": repo, "title": "Three", "base": "origin/main", "command": ["cat"]}),
    );
    let (three, at) = (text(&view, "id"), text(&view, "worktree"));
    let tip = stage.shell(&format!("cd '{at}' && git rev-parse HEAD"));
    stage.shell(&format!("cd '{at}' && echo open > open"));
    let said = stage.qd(&["ship", three, "--commit", "-m", "fifth", "--merge", "--json"]).well();
    let said = said.json();
    let what: Vec<_> = said["steps"].as_array().unwrap().iter().map(|one| &one["what"]).collect();
    assert_eq!(json!(what), json!(["commit", "merge"]));
    let branch = text(&view, "branch");
    let made = stage.shell("git -C origin.git log -1 --format='%s|%P' main");
    let head = stage.shell(&format!("cd '{at}' && git rev-parse HEAD"));
    assert!(made.starts_with(&format!("Merge branch '{branch}'|")), "{made}");
    assert!(made.ends_with(&format!("{} {head}", tip.trim())), "{made}");
    // The session's own branch and files stay.
    assert_eq!(stage.shell(&format!("cd '{at}' && git status --porcelain")), "");
}

#[test]
fn what_does_not_fit_or_was_not_shown_is_not_merged() {
    let stage = Stage::start();
    let repo = repo(&stage, 0);
    let (id, at) = begin(&stage, &repo);
    commit(&stage, &at, "n", "own");
    let path = format!("/api/v1/sessions/{id}/ship/merge");
    let shown = stage.get(&path).json();
    assert_eq!((&shown["ready"], &shown["remote"]), (&json!(true), &json!(true)));
    stage.shell(&format!(
        "git clone -q origin.git other && cd other && echo other > n && git add . && \
         {GIT} commit -q -m theirs && git push -q"
    ));
    let start = log(&stage, "origin.git");
    let ask = json!({"tip": shown["tip"], "onto_commit": shown["onto_commit"], "way": "merge"});
    let problem = |ask: &Value| {
        assert_eq!(stage.post(&path, ask).status, 202);
        until("its end", || {
            let shipping = stage.show(&id)["shipping"].clone();
            (shipping["state"] == "failed").then(|| text(&shipping["problem"], "code").to_owned())
        })
    };
    assert_eq!(problem(&ask), "branch_moved");
    let refused = stage.qd(&["ship", &id, "--merge"]);
    assert_eq!(refused.code, 4);
    assert!(
        refused.err.contains("does not fit onto origin/main: n would conflict."),
        "{refused:?}"
    );
    assert_eq!(log(&stage, "origin.git"), start);
    for (body, code) in [
        (json!({"tip": "HEAD", "onto_commit": ask["tip"], "way": "merge"}), "field_invalid"),
        (json!({"tip": ask["tip"], "onto_commit": "x", "way": "merge"}), "field_invalid"),
        (json!({"tip": ask["tip"], "onto_commit": ask["tip"], "way": "fast"}), "field_invalid"),
        (
            json!({"tip": ask["tip"], "onto_commit": ask["tip"], "way": "squash", "message": " "}),
            "field_invalid",
        ),
    ] {
        let answer = stage.post(&path, &body);
        assert_eq!((answer.status, &answer.json()["code"]), (422, &json!(code)), "{body}");
    }
    assert_eq!(stage.get(&format!("{path}?way=fast")).status, 422);
    // A remote that refuses is told as it is, and nothing moved.
    stage.shell(
        "printf '#!/bin/sh\\necho closed today >&2\\nexit 1\\n' > origin.git/hooks/pre-receive && \
         chmod 755 origin.git/hooks/pre-receive && cd other && git reset -q --hard HEAD~",
    );
    stage.shell(&format!("cd '{at}' && git rm -q n && {GIT} commit -q -m gone && echo y > k && git add k && {GIT} commit -q -m k"));
    let refused = stage.qd(&["ship", &id, "--merge=squash", "--json"]);
    assert_eq!(refused.error(), "push_declined", "{refused:?}");
    assert_eq!(log(&stage, "origin.git"), start);
}

#[test]
fn a_local_base_moves_with_the_files_of_its_checkout_and_spares_what_is_not_committed() {
    let stage = Stage::start();
    let repo = stage.repo("repo").to_string_lossy().into_owned();
    stage.shell("cd repo && git config user.name Ann && git config user.email ann@example.org");
    let (id, at) = begin(&stage, &repo);
    commit(&stage, &at, "n", "own");
    let before = stage.shell("git -C repo rev-parse main");
    // The person has a file of their own in the way: nothing is done.
    stage.shell("echo precious > repo/n; echo note > repo/note");
    let refused = stage.qd(&["ship", &id, "--merge", "--json"]);
    assert_eq!((refused.code, refused.error().as_str()), (4, "work_in_the_way"));
    assert_eq!(
        stage.shell("git -C repo rev-parse main; cat repo/n"),
        format!("{before}precious\n")
    );
    stage.shell("rm repo/n; echo staged > repo/s; git -C repo add s");
    let said = stage.qd(&["ship", &id, "--merge"]).well().out;
    assert!(said.starts_with("Merged qd/work into main as "), "{said}");
    assert_eq!(stage.shell("cat repo/n repo/note repo/s"), "own\nnote\nstaged\n");
    assert_eq!(stage.shell("git -C repo status --porcelain"), "A  s\n?? note\n");
    let parents = stage.shell("git -C repo log -1 --format=%P main");
    assert!(parents.starts_with(before.trim()), "{parents}");
    // Checked out nowhere, it moves alone.
    stage.shell("git -C repo commit -q -m s && git -C repo switch -q -c elsewhere");
    commit(&stage, &at, "m", "more");
    stage.qd(&["ship", &id, "--merge=squash"]).well();
    assert_eq!(stage.shell("git -C repo log -1 --format=%s main"), "more\n");
    assert_eq!(stage.shell("git -C repo log -1 --format=%s"), "s\n");
    assert!(!std::path::Path::new(&repo).join("m").exists());
}
