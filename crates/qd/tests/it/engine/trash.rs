//! To the trash and back, without losing a byte.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::seen::{GIT, files};
use super::stage::{Stage, until};

#[test]
fn all_kinds_of_changes_go_to_the_trash_and_come_back() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Work"}));
    let id = view["id"].as_str().unwrap().to_owned();
    let (worktree, branch) = (view["worktree"].as_str().unwrap(), view["branch"].as_str().unwrap());
    let at = PathBuf::from(worktree);
    stage.shell(&format!(
        "cd '{worktree}' && echo committed > c && git add c && {GIT} commit -q -m work && \
         echo staged > s && git add s && echo unstaged >> a && echo both > c && git add c && echo more >> c && \
         mkdir -p new/deep && echo untracked > new/deep/u && echo x > ignored.log && \
         head -c 300000 /dev/urandom > ignored.bin && printf 'no newline' > 'name with space'"
    ));
    let (before, status) = (
        files(&at),
        stage.shell(&format!("cd '{worktree}' && git status --porcelain=v2 --ignored")),
    );
    let tip = stage.shell(&format!("cd '{worktree}' && git rev-parse HEAD"));
    let said = stage.qd(&["rm", &id]).well();
    assert!(said.out.contains("qd restore") || said.err.contains("qd restore"), "{said:?}");
    let view = stage.until_state(&id, "trashed");
    assert!(view["kept"].as_str().unwrap().contains(branch), "{view}");
    assert!(!at.exists());
    let kept = stage.root().join("trash").join(&id).join("worktree");
    assert_eq!(files(&kept), before);
    // The branch is free: somebody else may check it out.
    assert_eq!(stage.shell(&format!("cd repo && git rev-parse {branch}")), tip);
    stage.shell(&format!("cd repo && git switch -q {branch}"));

    // Then it cannot come back; it says so and stays where it is.
    stage.qd(&["restore", &id]);
    let view = until("the refusal", || {
        let view = stage.show(&id);
        (view["pending"].is_null() && !view["problem"].is_null()).then_some(view)
    });
    assert_eq!(view["state"], "trashed", "{view}");
    assert_eq!(view["problem"]["code"], "branch_checked_out", "{view}");
    assert!(view["problem"]["hint"].as_str().unwrap().len() > 10);
    assert_eq!(files(&kept), before);
    stage.shell("cd repo && git switch -q main");
    stage.qd(&["restore", &id]).well();
    let view = stage.until_state(&id, "exited");
    assert_eq!(view["branch"], branch);
    assert!(view["problem"].is_null(), "{view}");
    assert_eq!(files(&at), before);
    let now = stage.shell(&format!("cd '{worktree}' && git status --porcelain=v2 --ignored"));
    assert_eq!(now, status);
    assert_eq!(
        stage.shell(&format!("cd '{worktree}' && git symbolic-ref --short HEAD")).trim(),
        branch
    );

    // Purged, its commits stay, by their branch.
    stage.qd(&["rm", &id]).well();
    stage.until_state(&id, "trashed");
    stage.qd(&["purge", "--yes", &id]).well();
    until("it is gone", || {
        (stage.get(&format!("/api/v1/sessions/{id}")).status == 404).then_some(())
    });
    assert!(!kept.exists() && !at.exists());
    assert_eq!(stage.shell(&format!("cd repo && git rev-parse {branch}")), tip);
    assert_eq!(stage.shell("cd repo && git worktree list").lines().count(), 1);
    assert_eq!(stage.shell("cd repo && git for-each-ref refs/quarterdeck"), "");
}

#[test]
fn a_branch_without_commits_goes_with_its_session() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let before = stage.traces(&repo);
    let view =
        stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Nothing done"}));
    let id = view["id"].as_str().unwrap();
    stage.qd(&["rm", id]).well();
    stage.until_state(id, "trashed");
    stage.qd(&["purge", "--yes", id]).well();
    assert_eq!(
        stage.traces(&repo).replace(&stage.root().display().to_string(), ""),
        before.replace(&stage.root().display().to_string(), "")
    );
}

#[test]
fn a_deletion_during_the_creation_leaves_nothing() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let refs = "cd repo && git for-each-ref && git worktree list | wc -l";
    let before = stage.shell(refs);
    for round in 0..2 {
        for pause in [0, 1, 2, 5, 10, 20, 50] {
            let fields = json!({"repo": repo, "command": ["sleep", "987"], "title": "Short"});
            let made = stage.post("/api/v1/sessions", &fields).well().json();
            let id = made["id"].as_str().unwrap().to_owned();
            // Not a wait for anything: a moment in the creation.
            let then = Instant::now() + Duration::from_millis(pause);
            while Instant::now() < then {
                std::thread::yield_now();
            }
            let path = format!("/api/v1/sessions/{id}");
            let answer = stage.ask("DELETE", &path, &[], b"");
            assert_eq!(answer.status, 202, "{}", String::from_utf8_lossy(&answer.body));
            let view = stage.until_state(&id, "trashed");
            assert!(view["pane"].is_null(), "{round} {pause}: {view}");
            stage.qd(&["purge", "--yes", &id]).well();
            until("gone", || (stage.get(&path).status == 404).then_some(()));
            assert_eq!(stage.shell(refs), before, "{round} {pause} {}", stage.log());
            assert!(!stage.tmux(&["list-sessions"]).out.contains(&id));
        }
    }
    let left = std::fs::read_dir(stage.root().join("trash")).unwrap().count();
    assert_eq!(left, 0);
    let mut folders = vec![];
    for repo in std::fs::read_dir(stage.root().join("worktrees")).unwrap() {
        folders.extend(std::fs::read_dir(repo.unwrap().path()).unwrap());
    }
    assert!(folders.is_empty(), "{folders:?}");
    assert_eq!(std::fs::read_dir(stage.root().join("sessions")).unwrap().count(), 0);
}

/// Makes a session, puts an untracked file into its worktree, and puts it in the trash.
fn trashed(stage: &Stage, repo: &Path) -> (String, PathBuf) {
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Work"}));
    let id = view["id"].as_str().unwrap().to_owned();
    let at = PathBuf::from(view["worktree"].as_str().unwrap());
    std::fs::write(at.join("mine"), "untracked").unwrap();
    stage.qd(&["rm", &id]).well();
    (id, at)
}

#[test]
fn work_on_a_submodule_and_beside_a_separate_git_folder_comes_back() {
    let stage = Stage::start();
    stage.repo("inner");
    stage.repo("outer");
    stage.shell(&format!(
        "cd outer && {GIT} -c protocol.file.allow=always submodule --quiet add ../inner sub && \
         {GIT} commit -q -m sub && cd .. && mkdir elsewhere && git init -q --separate-git-dir=elsewhere/git apart && \
         cd apart && {GIT} commit -q --allow-empty -m first"
    ));
    for (repo, refs) in [("outer/sub", "outer/sub"), ("apart", "apart")] {
        let (id, at) = trashed(&stage, &stage.dir().join(repo));
        stage.until_state(&id, "trashed");
        stage.qd(&["restore", &id]).well();
        stage.until_state(&id, "exited");
        assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked", "{repo}");
        stage.shell(&format!("cd '{}' && git status", at.display()));
        stage.qd(&["rm", &id]).well();
        stage.until_state(&id, "trashed");
        stage.qd(&["purge", "--yes", &id]).well();
        until("it is gone", || {
            (stage.get(&format!("/api/v1/sessions/{id}")).status == 404).then_some(())
        });
        assert_eq!(stage.shell(&format!("cd {refs} && git for-each-ref refs/quarterdeck")), "");
        assert_eq!(stage.shell(&format!("cd {refs} && git worktree list")).lines().count(), 1);
    }
}

#[test]
fn a_session_whose_repository_is_gone_can_be_deleted_and_its_files_come_back() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Work"}));
    let id = view["id"].as_str().unwrap().to_owned();
    let at = PathBuf::from(view["worktree"].as_str().unwrap());
    std::fs::write(at.join("mine"), "untracked").unwrap();
    std::fs::remove_dir_all(&repo).unwrap();
    stage.qd(&["rm", &id]).well();
    let view = stage.until_state(&id, "trashed");
    assert!(view["kept"].as_str().unwrap().contains("its files are kept"), "{view}");
    assert!(!at.exists());
    stage.qd(&["restore", &id]).well();
    stage.until_state(&id, "exited");
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
    stage.qd(&["rm", &id]).well();
    stage.until_state(&id, "trashed");
    stage.qd(&["purge", "--yes", &id]).well();
    until("it is gone", || {
        (stage.get(&format!("/api/v1/sessions/{id}")).status == 404).then_some(())
    });
    assert!(!stage.root().join("trash").join(&id).exists());
}
