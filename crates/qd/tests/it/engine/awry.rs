//! Repositories, worktrees and the trash as they should not be: a clear error, nothing lost, and a
//! state that can be left.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::seen::files;
use super::stage::{Stage, until};

const GIT: &str = "git -c user.name=n -c user.email=e -c protocol.file.allow=always";

fn text<'a>(view: &'a Value, field: &str) -> &'a str {
    view[field].as_str().unwrap_or_else(|| panic!("no {field}: {view}"))
}

/// A session at work: its id, its worktree and its branch.
struct Work {
    id: String,
    at: PathBuf,
    branch: String,
}

fn work(stage: &Stage, repo: &Path, title: &str) -> Work {
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": title}));
    assert!(view["problem"].is_null(), "{view}");
    let work = Work {
        id: text(&view, "id").to_owned(),
        at: text(&view, "worktree").into(),
        branch: text(&view, "branch").to_owned(),
    };
    stage.shell(&format!("cd '{}' && echo mine > mine", work.at.display()));
    work
}

fn act(stage: &Stage, id: &str, action: &str) {
    match action {
        "trash" => stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well(),
        _ => stage.post(&format!("/api/v1/sessions/{id}/{action}"), &json!({})).well(),
    };
}

/// What a session has become when nothing is under way any more.
fn settled(stage: &Stage, id: &str) -> Value {
    until("it is settled", || {
        let view = stage.show(id);
        view["pending"].is_null().then_some(view)
    })
}

#[track_caller]
fn refused(stage: &Stage, id: &str, action: &str, state: &str, code: &str) -> Value {
    act(stage, id, action);
    let view = settled(stage, id);
    assert_eq!((text(&view, "state"), &view["problem"]["code"]), (state, &json!(code)), "{view}");
    assert!(text(&view["problem"], "hint").len() > 10, "{view}");
    view
}

fn purge(stage: &Stage, id: &str) {
    act(stage, id, "purge");
    until("it is gone", || {
        (stage.get(&format!("/api/v1/sessions/{id}")).status == 404).then_some(())
    });
}

#[test]
fn a_branch_that_is_not_as_it_was_holds_up_a_resume_and_says_the_way_out() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    for restore in [false, true] {
        let Work { id, at, branch } = work(&stage, &repo, "Work");
        stage.shell(&format!("cd '{}' && {GIT} commit -q --allow-empty -m tip", at.display()));
        let (away, back, state, then) = if restore {
            ("trash", "restore", "trashed", "exited")
        } else {
            ("pause", "resume", "paused", "running")
        };
        let kept = stage.root().join("trash").join(&id).join("worktree");
        act(&stage, &id, away);
        stage.until_state(&id, state);
        let tip = stage.shell(&format!("cd repo && git rev-parse {branch}")).trim().to_owned();
        let awry = [
            (
                format!("git branch -f {branch} main"),
                format!("git branch -f {branch} {tip}"),
                "branch_moved",
            ),
            (
                format!("git branch -D {branch}"),
                format!("git branch {branch} {tip}"),
                "branch_missing",
            ),
            (
                format!("git worktree add -q ../there {branch}"),
                "git worktree remove ../there".into(),
                "branch_checked_out",
            ),
        ];
        for (meddle, mend, code) in awry {
            stage.shell(&format!("cd repo && {meddle}"));
            let view = refused(&stage, &id, back, state, code);
            assert!(text(&view["problem"], "hint").contains("nothing is lost"), "{view}");
            assert_eq!(std::fs::read_to_string(kept.join("mine")).unwrap(), "mine\n");
            stage.shell(&format!("cd repo && {mend}"));
        }
        std::fs::create_dir_all(&at).unwrap();
        std::fs::write(at.join("stranger"), "x").unwrap();
        refused(&stage, &id, back, state, "path_taken");
        assert!(at.join("stranger").exists());
        std::fs::remove_dir_all(&at).unwrap();
        act(&stage, &id, back);
        stage.until_state(&id, then);
        assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "mine\n");
        act(&stage, &id, "trash");
        stage.until_state(&id, "trashed");
        purge(&stage, &id);
    }
}

#[test]
fn a_worktree_that_somebody_took_away_or_replaced_can_be_left() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    // Taken away.
    let gone = work(&stage, &repo, "Gone");
    stage.shell(&format!("rm -rf '{}'", gone.at.display()));
    act(&stage, &gone.id, "pause");
    stage.until_state(&gone.id, "paused");
    refused(&stage, &gone.id, "resume", "hibernated", "worktree_missing");
    act(&stage, &gone.id, "trash");
    stage.until_state(&gone.id, "trashed");
    stage.shell(&format!("cd repo && git rev-parse {}", gone.branch));
    purge(&stage, &gone.id);
    // It held nothing that its base does not.
    let left = stage.shell(&format!("cd repo && git for-each-ref refs/heads/{}", gone.branch));
    assert_eq!(left, "");

    // Replaced by another folder, and by a link to one: what is there is kept.
    let folder = work(&stage, &repo, "Folder");
    stage.shell(&format!(
        "cd '{0}' && rm -rf '{0}' && mkdir '{0}' && echo new > '{0}/new'",
        folder.at.display()
    ));
    let link = work(&stage, &repo, "Link");
    stage.shell(&format!(
        "mkdir elsewhere; echo x > elsewhere/x; rm -rf '{0}'; ln -s \"$PWD/elsewhere\" '{0}'",
        link.at.display()
    ));
    for Work { id, .. } in [&folder, &link] {
        act(&stage, id, "pause");
        stage.until_state(id, "paused");
        act(&stage, id, "resume");
        stage.until_state(id, "running");
    }
    assert_eq!(std::fs::read_to_string(folder.at.join("new")).unwrap(), "new\n");
    assert!(link.at.is_symlink());
    for Work { id, .. } in [&folder, &link] {
        act(&stage, id, "trash");
        stage.until_state(id, "trashed");
        purge(&stage, id);
    }
    assert_eq!(std::fs::read_to_string(stage.dir().join("elsewhere/x")).unwrap(), "x\n");

    // The trash itself was touched.
    let touched = work(&stage, &repo, "Touched");
    act(&stage, &touched.id, "trash");
    stage.until_state(&touched.id, "trashed");
    let kept = stage.root().join("trash").join(&touched.id).join("worktree");
    std::fs::rename(&kept, stage.dir().join("aside")).unwrap();
    refused(&stage, &touched.id, "restore", "trashed", "git_failed");
    std::fs::rename(stage.dir().join("aside"), &kept).unwrap();
    act(&stage, &touched.id, "restore");
    stage.until_state(&touched.id, "exited");
    act(&stage, &touched.id, "trash");
    stage.until_state(&touched.id, "trashed");
    std::fs::remove_dir_all(&kept).unwrap();
    purge(&stage, &touched.id);
    assert_eq!(stage.shell("cd repo && git worktree list").lines().count(), 1);
}

#[test]
fn a_corrupt_repository_refuses_and_a_lock_of_the_agent_does_not_matter() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let Work { id, at, .. } = work(&stage, &repo, "Work");
    let head = std::fs::read(repo.join(".git/HEAD")).unwrap();
    std::fs::write(repo.join(".git/HEAD"), "\0garbage").unwrap();
    let loss = stage.get(&format!("/api/v1/sessions/{id}/loss")).well().json();
    assert!(loss["files"].is_null() && text(&loss, "unknown").len() > 10, "{loss}");
    refused(&stage, &id, "pause", "exited", "not_a_repository");
    refused(&stage, &id, "trash", "exited", "not_a_repository");
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "mine\n");
    std::fs::write(repo.join(".git/HEAD"), head).unwrap();
    act(&stage, &id, "restart");
    stage.until_state(&id, "running");

    // The link to the repository is the agent's to break, and is not believed.
    std::fs::write(at.join(".git"), "gitdir: /nowhere\n").unwrap();
    let admin = stage.shell("ls repo/.git/worktrees");
    std::fs::write(repo.join(".git/worktrees").join(admin.trim()).join("index.lock"), "").unwrap();
    for (action, state) in
        [("pause", "paused"), ("resume", "running"), ("trash", "trashed"), ("restore", "exited")]
    {
        act(&stage, &id, action);
        stage.until_state(&id, state);
    }
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "mine\n");
    assert!(repo.join(".git/worktrees").join(admin.trim()).join("index.lock").exists());
}

/// Work of the odd kinds, which comes back as it was.
fn odd(stage: &Stage, repo: &Path) {
    let Work { id, at, .. } = work(stage, repo, "Odd");
    stage.shell(&format!(
        "cd '{}' && git sparse-checkout set in && echo x >> in/a && echo later > later && git add -N later && \
         mkdir -p empty/inner && git init -q nested && echo n > nested/n && \
         {GIT} submodule add -q \"$HOME/other\" sub 2>/dev/null; echo dirty > sub/dirty; true",
        at.display()
    ));
    symlink("../../../..", at.join("out")).unwrap();
    let status =
        || stage.shell(&format!("cd '{}' && git status --porcelain=v2 --ignored", at.display()));
    let (before, said) = (files(&at), status());
    for (action, state) in
        [("pause", "paused"), ("resume", "running"), ("trash", "trashed"), ("restore", "exited")]
    {
        act(stage, &id, action);
        let view = stage.until_state(&id, state);
        assert!(view["problem"].is_null(), "{action}: {view}");
    }
    assert_eq!(files(&at), before);
    assert_eq!(status(), said);
}

fn with_folders(stage: &Stage, repo: &Path) {
    stage.repo("other");
    stage.shell(&format!(
        "cd '{}' && mkdir in out && echo a > in/a && echo b > out/b && git add -A && {GIT} commit -q -m folders",
        repo.display()
    ));
}

#[test]
fn odd_work_goes_and_comes_back() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    with_folders(&stage, &repo);
    odd(&stage, &repo);
}

#[test]
fn odd_work_goes_and_comes_back_over_another_disk() {
    let other = Path::new("/dev/shm");
    if !other.is_dir() {
        return;
    }
    let disk = tempfile::Builder::new().prefix("qd-").tempdir_in(other).unwrap();
    let mut stage = Stage::start();
    stage.stop();
    // The trash on one disk, the worktrees on another.
    let trash = stage.root().join("trash");
    std::fs::remove_dir_all(&trash).unwrap();
    std::fs::create_dir(disk.path().join("trash")).unwrap();
    symlink(disk.path().join("trash"), &trash).unwrap();
    stage.serve();
    let repo = stage.repo("repo");
    with_folders(&stage, &repo);
    odd(&stage, &repo);
    // The repository on one disk, the home on another.
    let away = disk.path().join("repo");
    stage.shell(&format!("mv repo '{}' && ln -s '{0}' repo", away.display()));
    stage.shell(&format!("cd '{}' && git worktree repair", away.display()));
    odd(&stage, &away);
}

#[test]
fn two_homes_work_on_one_repository_and_names_that_collide_stay_apart() {
    let (one, two) = (Stage::start(), Stage::start());
    let repo = one.repo("repo");
    let titles = ["a b", "a/b", "a-b", "A B", "a  b!"];
    let mine: Vec<_> = titles.iter().map(|title| work(&one, &repo, title)).collect();
    let theirs: Vec<_> = titles.iter().map(|title| work(&two, &repo, title)).collect();
    let mut branches: Vec<_> = mine.iter().chain(&theirs).map(|work| work.branch.clone()).collect();
    branches.sort();
    branches.dedup();
    assert_eq!(branches.len(), 10, "{branches:?}");
    for (stage, all) in [(&one, &mine), (&two, &theirs)] {
        for work in all {
            act(stage, &work.id, "trash");
        }
        for work in all {
            stage.until_state(&work.id, "trashed");
        }
    }
    for work in &mine {
        purge(&one, &work.id);
    }
    for work in &theirs {
        act(&two, &work.id, "restore");
        two.until_state(&work.id, "exited");
        assert_eq!(std::fs::read_to_string(work.at.join("mine")).unwrap(), "mine\n");
    }
    assert_eq!(one.shell("cd repo && git worktree list").lines().count(), 6);
}
