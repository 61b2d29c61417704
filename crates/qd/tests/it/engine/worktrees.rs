//! Where sessions work.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::stage::Stage;

const GIT: &str = "git -c user.name=n -c user.email=e";

fn path_of(view: &Value) -> PathBuf {
    PathBuf::from(view["worktree"].as_str().unwrap_or_else(|| panic!("no worktree: {view}")))
}

fn git(stage: &Stage, at: &Path, args: &str) -> String {
    stage.shell(&format!("cd '{}' && {GIT} {args}", at.display())).trim().to_owned()
}

/// A clone whose remote has moved on since.
fn clone(stage: &Stage) -> PathBuf {
    stage.shell(&format!(
        "git init -q --bare -b main origin.git && git clone -q origin.git other 2>/dev/null && cd other && \
         echo one > a && printf 'secret*\\nbuild/\\n' > .gitignore && \
         printf 'secret.env\\nsecret-dir/\\n' > .worktreeinclude && git add -A && \
         {GIT} commit -q -m one && git push -q origin HEAD:main && cd .. && \
         git clone -q origin.git repo 2>/dev/null && cd other && \
         echo two > a && {GIT} commit -q -am two && git push -q origin HEAD:main"
    ));
    stage.dir().join("repo")
}

#[test]
fn a_new_branch_starts_from_what_the_remote_has_now() {
    let stage = Stage::start();
    let repo = clone(&stage);
    let fields = json!({"repo": repo, "command": ["cat"], "title": "Fix the login"});
    let view = stage.new_session(fields);
    let worktree = path_of(&view);
    assert_eq!(std::fs::read_to_string(worktree.join("a")).unwrap(), "two\n");
    assert_eq!(view["base"], "origin/main");
    let newest = git(&stage, &stage.dir().join("origin.git"), "rev-parse main");
    assert_eq!(view["base_commit"], newest);
    let branch = view["branch"].as_str().unwrap();
    assert!(branch.contains("fix-the-login"), "{branch}");
    assert_eq!(git(&stage, &worktree, "symbolic-ref --short HEAD"), branch);
    let config =
        stage.home.shell(&format!("cd repo && git config --get-regexp '^branch[.]{branch}'"));
    assert_eq!(config.out, "", "no upstream is set: a bare push would go to main");
    // The person's checkout and branch are as they were.
    assert_eq!(std::fs::read_to_string(repo.join("a")).unwrap(), "one\n");
    assert_eq!(git(&stage, &repo, "status --porcelain"), "");
    let messages = view["messages"].to_string();
    assert!(messages.contains("fetched just now"), "{messages}");

    // The remote is away: what is here is taken, and that is said.
    std::fs::rename(stage.dir().join("origin.git"), stage.dir().join("away.git")).unwrap();
    let view =
        stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Fix the login"}));
    assert_eq!(view["state"], "running", "{view}");
    let messages = view["messages"].to_string();
    assert!(messages.contains("as last seen"), "{messages}");
    assert_eq!(view["base_commit"], newest);
    assert_ne!(view["branch"].as_str().unwrap(), branch, "the same title, another branch");
}

#[test]
fn wanted_files_come_along() {
    let stage = Stage::start();
    let repo = clone(&stage);
    stage.shell(
        "cd repo && mkdir -p build secret-dir && echo key > secret.env && echo deep > secret-dir/x && \
         echo no > secret-other && echo no > build/out && echo draft > untracked",
    );
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"]}));
    let worktree = path_of(&view);
    assert_eq!(std::fs::read_to_string(worktree.join("secret.env")).unwrap(), "key\n");
    assert_eq!(std::fs::read_to_string(worktree.join("secret-dir/x")).unwrap(), "deep\n");
    for absent in ["secret-other", "build", "untracked"] {
        assert!(!worktree.join(absent).exists(), "{absent}");
    }
    assert_eq!(git(&stage, &worktree, "status --porcelain"), "");
}

#[test]
fn a_branch_a_worktree_or_the_folder_itself() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    stage.shell(&format!(
        "cd repo && git switch -q -c theirs && echo their > b && git add b && {GIT} commit -q -m b && \
         git switch -q main && git worktree add -q ../mine -b mine"
    ));
    let tip = git(&stage, &repo, "rev-parse theirs");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "branch": "theirs"}));
    assert_eq!(
        (view["state"].as_str(), view["branch"].as_str()),
        (Some("running"), Some("theirs")),
        "{view}"
    );
    assert_eq!(git(&stage, &path_of(&view), "rev-parse HEAD"), tip);
    let view = stage.new_session(json!({
        "repo": repo, "command": ["cat"], "branch": "mine-too", "base": "theirs"
    }));
    assert_eq!(view["branch"], "mine-too", "{view}");
    assert_eq!(git(&stage, &path_of(&view), "rev-parse HEAD"), tip);

    let mine = stage.dir().join("mine");
    let view = stage.new_session(json!({"repo": repo, "worktree": mine, "command": ["cat"]}));
    assert_eq!(
        (view["kind"].as_str(), view["branch"].as_str()),
        (Some("existing-worktree"), Some("mine"))
    );
    assert_eq!(path_of(&view), mine);
    let id = view["id"].as_str().unwrap();
    stage.qd(&["rm", id]).well();
    stage.until_state(id, "trashed");
    assert!(mine.join("a").exists(), "a worktree that was there before stays");

    let view =
        stage.new_session(json!({"repo": repo.join("."), "in_place": true, "command": ["cat"]}));
    assert_eq!((view["kind"].as_str(), view["branch"].as_str()), (Some("in-place"), Some("main")));
    assert_eq!(path_of(&view), repo);
    let id = view["id"].as_str().unwrap();
    stage.qd(&["rm", id]).well();
    stage.until_state(id, "trashed");
    assert!(repo.join("a").exists());
    stage.qd(&["purge", "--yes", id]).well();
    assert!(repo.join("a").exists());
}

#[test]
fn two_sessions_never_share_a_folder_unless_they_are_asked_to() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    stage.shell("cd repo && git worktree add -q ../mine -b mine && mkdir sub");
    let mine = stage.dir().join("mine");
    let own = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "own"}));
    let own = path_of(&own);
    let first = stage.new_session(json!({"repo": repo, "in_place": true, "command": ["cat"]}));
    assert_eq!(first["state"], "running");
    let there = stage.new_session(json!({"repo": repo, "worktree": mine, "command": ["cat"]}));
    assert_eq!(there["state"], "running");
    let before = stage.get("/api/v1/sessions").json().as_array().unwrap().len();
    for fields in [
        json!({"repo": repo, "in_place": true}),
        json!({"repo": repo.join("sub"), "in_place": true}),
        json!({"repo": mine, "in_place": true}),
        json!({"repo": repo, "worktree": mine}),
        json!({"repo": repo, "worktree": own}),
        json!({"repo": own, "in_place": true}),
    ] {
        let mut asked = fields.clone();
        asked["command"] = json!(["cat"]);
        let answer = stage.post("/api/v1/sessions", &asked);
        if answer.status < 300 {
            let id = answer.json()["id"].as_str().unwrap().to_owned();
            let view = super::stage::until("the end of its making", || {
                Some(stage.show(&id)).filter(|view| view["state"] != "creating")
            });
            assert_eq!(view["state"], "failed", "{fields}: {view}");
            assert_eq!(view["problem"]["code"], "worktree_in_use", "{fields}: {view}");
            stage.qd(&["rm", &id]).well();
            stage.until_state(&id, "trashed");
        } else {
            assert_eq!(answer.problem(), (409, "worktree_in_use".to_owned()), "{fields}");
        }
        asked["shared"] = true.into();
        let view = stage.new_session(asked);
        assert_eq!(view["state"], "running", "{fields}: {view}");
        let id = view["id"].as_str().unwrap();
        stage.qd(&["rm", id]).well();
        stage.until_state(id, "trashed");
    }
    assert_eq!(stage.get("/api/v1/sessions").json().as_array().unwrap().len(), before);
    assert!(own.join("a").exists() && mine.join("a").exists() && repo.join("a").exists());
    // When the first is gone, its folder is free.
    let id = first["id"].as_str().unwrap();
    stage.qd(&["rm", id]).well();
    stage.until_state(id, "trashed");
    let next = stage.new_session(json!({"repo": repo, "in_place": true, "command": ["cat"]}));
    assert_eq!(next["state"], "running", "{next}");
}

#[test]
fn the_same_title_many_times_at_once() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (stage, repo) = (&stage, &repo);
            scope.spawn(move || {
                let view =
                    stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Same"}));
                assert_eq!(view["state"], "running", "{n}: {view}");
            });
        }
    });
    let sessions = stage.get("/api/v1/sessions").json();
    let mut branches: Vec<_> =
        sessions.as_array().unwrap().iter().map(|view| view["branch"].to_string()).collect();
    branches.sort();
    branches.dedup();
    assert_eq!(branches.len(), 8, "{sessions}");
}

#[test]
fn a_repository_may_get_a_remote_and_another_default_branch_while_the_daemon_runs() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let first = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "First"}));
    assert!(first["base"].as_str().is_some(), "{first}");
    stage.shell("cd repo && git branch -m main trunk && git clone -q --bare . ../up.git");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Renamed"}));
    assert_eq!(view["base"], "trunk", "{view}");
    stage.shell("cd repo && git remote add origin ../up.git && git fetch -q origin && git remote set-head origin -a");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Remote"}));
    assert_eq!(view["base"], "origin/trunk", "{view}");
}

#[test]
fn the_diff_does_not_believe_a_worktree_that_says_it_belongs_elsewhere() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Work"}));
    let (id, at) = (view["id"].as_str().unwrap(), view["worktree"].as_str().unwrap());
    stage.shell(&format!(
        "cd '{at}' && echo new > new && rm .git && git init -q . && \
         git config core.fsmonitor 'touch {at}/ran; false' && \
         git config filter.x.clean 'touch {at}/ran; cat' && echo '* filter=x' > .gitattributes"
    ));
    let diff = stage.get(&format!("/api/v1/sessions/{id}/diff")).well().json();
    let paths: Vec<_> = diff["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert!(paths.contains(&"new") && paths.contains(&".gitattributes"), "{diff}");
    assert!(!Path::new(at).join("ran").exists());
}

#[test]
fn a_patch_is_asked_for_inside_the_worktree_only() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Work"}));
    let (id, at) = (view["id"].as_str().unwrap(), view["worktree"].as_str().unwrap());
    stage.shell(&format!("cd '{at}' && echo new > new"));
    let file = format!("/api/v1/sessions/{id}/diff/file");
    for out in ["/etc/passwd", "../../../token", "..", ".", "", "new/../../x", "%00"] {
        let told = stage.get(&format!("{file}?path={out}")).problem();
        assert_eq!(told, (422, "field_invalid".to_owned()), "{out:?}");
        let told = stage.get(&format!("{file}?path=new&old_path={out}")).problem();
        assert_eq!(told, (422, "field_invalid".to_owned()), "old {out:?}");
    }
    assert!(stage.get(&format!("{file}?path=new")).well().json()["patch"].is_string());
}
