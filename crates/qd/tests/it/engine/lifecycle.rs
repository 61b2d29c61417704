//! Paused, resumed, hibernated, woken and started again, from the command line.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::native::Person;
use super::seen::{GIT, files, kinds, times};
use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::PLAYER;

fn text(view: &Value, name: &str) -> String {
    view[name].as_str().unwrap_or_else(|| panic!("no {name}: {view}")).to_owned()
}

/// A session in a worktree of its own.
#[track_caller]
fn session(stage: &Stage, repo: &Path, title: &str, command: &[&str]) -> (String, PathBuf, String) {
    let view = stage.new_session(json!({"repo": repo, "command": command, "title": title}));
    assert_eq!(view["state"], "running", "{view}");
    (text(&view, "id"), PathBuf::from(text(&view, "worktree")), text(&view, "branch"))
}

/// Leaves a change of every kind, and gives what git says of them.
fn change_all(stage: &Stage, worktree: &Path) -> String {
    let at = worktree.display();
    stage.shell(&format!(
        "cd '{at}' && echo committed > c && git add c && {GIT} commit -q -m work && \
         echo staged > s && git add s && echo unstaged >> a && echo both > c && git add c && echo more >> c && \
         echo later > later && git add -N later && mkdir -p new/deep empty && echo untracked > new/deep/u && \
         echo x > ignored.log && head -c 300000 /dev/urandom > ignored.bin && chmod +x new/deep/u && \
         ln -s ../nowhere new/link && printf 'no newline' > 'name with space'"
    ));
    status(stage, worktree)
}

fn status(stage: &Stage, worktree: &Path) -> String {
    let at = worktree.display();
    stage.shell(&format!(
        "cd '{at}' && git status --porcelain=v2 --ignored --branch && git diff --cached && git diff && \
         ls -lR --time-style=+ . && git symbolic-ref HEAD"
    ))
}

#[test]
fn a_pause_keeps_every_kind_of_change_and_a_resume_brings_all_back() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, at, branch) = session(&stage, &repo, "Work", &["cat"]);
    let before = (change_all(&stage, &at), files(&at));
    let said = stage.qd(&["pause", &id]).well();
    assert_eq!(said.out.lines().count(), 1, "{said:?}");
    assert!(said.out.contains("is put away, every file in it as it was"), "{said:?}");
    assert!(said.out.contains(&format!("Undo with `qd resume {id}`.")), "{said:?}");
    let view = stage.show(&id);
    assert_eq!((&view["state"], &view["pending"]), (&"paused".into(), &Value::Null), "{view}");
    assert!(view["pane"].is_null(), "{view}");
    assert!(!at.exists());
    assert!(!stage.tmux(&["list-sessions"]).out.contains(&id));
    // The branch is free for somebody else.
    stage.shell(&format!("cd repo && git switch -q {branch} && git switch -q main"));
    for (args, line) in [(&["ls"][..], "= paused"), (&["show", &id], "paused for")] {
        assert!(stage.qd(args).well().out.contains(line));
    }
    stage.qd(&["wait", &id, "--for", "paused", "--timeout", "60"]).well();
    let listed = stage.qd(&["ls", "--filter", "state:paused", "--json"]).well().json();
    assert_eq!(listed[0]["id"], id.as_str());
    assert_eq!(stage.qd(&["ls", "--filter", "state:idle", "--json"]).well().json(), json!([]));

    let said = stage.qd(&["resume", &id]).well();
    assert!(said.out.contains("runs again"), "{said:?}");
    assert_eq!((status(&stage, &at), files(&at)), before);
    let view = stage.show(&id);
    assert_eq!((text(&view, "state"), text(&view, "branch")), ("running".to_owned(), branch));
    assert!(view["exit"].is_null() && view["kept"].is_null() && !view["pane"].is_null(), "{view}");
    stage.qd(&["send", &id, "heard", "--enter"]).well();
    stage.until_line(&id, |line| line == "heard");
}

#[test]
fn a_resume_whose_place_or_branch_is_taken_changes_nothing_and_can_be_tried_again() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, at, branch) = session(&stage, &repo, "Work", &["cat"]);
    std::fs::write(at.join("mine"), "untracked").unwrap();
    stage.qd(&["pause", &id]).well();
    let kept = stage.root().join("trash").join(&id).join("worktree");
    let before = files(&kept);
    let refused = |code: &str| {
        let said = stage.qd(&["resume", &id, "--json"]);
        assert_eq!((said.error().as_str(), said.code), (code, 4), "{said:?}");
        let view = stage.show(&id);
        assert_eq!((text(&view, "state"), &view["pending"]), ("paused".to_owned(), &Value::Null));
        assert_eq!(view["problem"]["code"], code, "{view}");
        assert_eq!(files(&kept), before);
        let shown = stage.qd(&["show", &id]).well().out;
        assert!(shown.contains("problem") && shown.contains(&format!("qd resume {id}")), "{shown}");
    };
    stage.shell(&format!("cd repo && git switch -q {branch}"));
    refused("branch_checked_out");
    stage.shell("cd repo && git switch -q main");
    std::fs::create_dir_all(&at).unwrap();
    std::fs::write(at.join("theirs"), "somebody else's").unwrap();
    refused("path_taken");
    assert_eq!(std::fs::read_to_string(at.join("theirs")).unwrap(), "somebody else's");
    std::fs::remove_dir_all(&at).unwrap();
    stage.qd(&["resume", &id]).well();
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
    assert!(stage.show(&id)["problem"].is_null());
}

/// A program whose child has left its process group and its session, and hears no hang-up.
fn with_a_stray(stage: &Stage) -> (String, PathBuf) {
    let mark = stage.dir().join("stray.pid");
    let script = format!(
        "(trap '' HUP; setsid sh -c 'trap \"\" HUP TERM INT; echo $$ > {0}; exec sleep 4321' &) ; \
         while [ ! -s {0} ]; do :; done; echo up $$; exec cat",
        mark.display()
    );
    (script, mark)
}

fn alive(pid: &str) -> bool {
    Path::new(&format!("/proc/{}", pid.trim())).exists()
}

#[test]
fn a_hibernation_ends_the_whole_tree_and_a_wake_starts_it_again() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (script, mark) = with_a_stray(&stage);
    let (id, at, _) = session(&stage, &repo, "Work", &["sh", "-c", &script]);
    std::fs::write(at.join("mine"), "untracked").unwrap();
    let line = stage.until_line(&id, |line| line.starts_with("up "));
    let program = line.trim_start_matches("up ").to_owned();
    let stray = std::fs::read_to_string(&mark).unwrap();
    assert!(alive(&stray) && alive(&program));
    let said = stage.qd(&["hibernate", &id]).well();
    assert!(said.out.contains(&format!("Undo with `qd wake {id}`.")), "{said:?}");
    let view = stage.show(&id);
    assert_eq!((text(&view, "state"), &view["pane"]), ("hibernated".to_owned(), &Value::Null));
    assert!(!alive(&program));
    // What it left behind is asked first, and then made to.
    until("the end of what it left behind", || (!alive(&stray)).then_some(()));
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
    assert!(stage.qd(&["screen", &id]).well().out.contains(&line), "the last screen is kept");
    stage.qd(&["wait", &id, "--for", "hibernated", "--timeout", "60"]).well();
    std::fs::remove_file(&mark).unwrap();
    let said = stage.qd(&["wake", &id]).well();
    assert!(said.out.contains("runs again"), "{said:?}");
    let view = stage.until_state(&id, "running");
    assert!(view["exit"].is_null(), "{view}");
    let again = stage.until_line(&id, |now| now.starts_with("up ") && now != line);
    assert!(alive(again.trim_start_matches("up ")));
    assert!(stage.qd(&["wake", &id]).well().out.contains("runs already"));
    assert_eq!(times(&kinds(&stage, &id), "started"), 2);
}

#[test]
fn attaching_to_a_hibernated_session_wakes_it_and_looking_at_it_does_not() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, ..) = session(&stage, &repo, "Work", &["sh", "-c", "echo awake; exec cat"]);
    stage.qd(&["hibernate", &id]).well();
    let mut person = Person::attach(&stage, &["attach", &id, "--read-only"], 100, 30);
    assert_eq!(person.ends(), Some(4));
    person.until_shown("it is hibernated");
    person.until_shown("qd wake");
    let mut person = Person::attach(&stage, &["attach", &id], 100, 30);
    person.until_shown("awake");
    assert_eq!(stage.show(&id)["state"], "running");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn a_restart_keeps_the_worktree_and_the_output_of_before() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let script = "echo life $$; exec cat";
    let (id, at, _) = session(&stage, &repo, "Work", &["sh", "-c", script]);
    std::fs::write(at.join("mine"), "untracked").unwrap();
    let first = stage.until_line(&id, |line| line.starts_with("life "));
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown(&first);
    // While it runs.
    let said = stage.qd(&["restart", &id]).well();
    assert!(said.out.contains("its history"), "{said:?}");
    viewer.until("that it was told", |viewer| viewer.resyncs.iter().any(|why| why == "restarted"));
    let second = stage.until_line(&id, |line| line.starts_with("life ") && line != first);
    assert!(!alive(first.trim_start_matches("life ")));
    viewer.until_shown(&second);
    viewer.input(b"typed\n");
    viewer.until_shown("typed");
    viewer.agrees(&stage, &id);
    let history = || {
        let screen = stage.get(&format!("/api/v1/sessions/{id}/screen?history=true")).well().json();
        let lines = screen["lines"].as_array().unwrap().iter();
        lines.filter_map(|line| Some(line.as_str()?.to_owned())).collect::<Vec<_>>()
    };
    assert!(history().contains(&first), "{:?}", history());
    // After it has ended.
    viewer.input(b"\x04");
    stage.until_state(&id, "exited");
    stage.qd(&["restart", &id]).well();
    let third = stage.until_line(&id, |l| l.starts_with("life ") && l != first && l != second);
    assert!(history().contains(&first) && history().contains(&second), "{:?}", history());
    viewer.until_shown(&third);
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
    assert!(stage.show(&id)["exit"].is_null());
}

#[test]
fn a_new_title_changes_nothing_else() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, at, branch) = session(&stage, &repo, "Before", &["sh", "-c", "echo $$; exec cat"]);
    let pid = stage.until_line(&id, |line| !line.is_empty());
    let said = stage.qd(&["rename", "title:Before", "it's\t new 🚀"]);
    assert_eq!(said.code, 2, "a control character: {said:?}");
    let said = stage.qd(&["rename", "title:Before", "it's new 🚀"]).well();
    assert!(said.out.contains(&format!("Undo with `qd rename {id} Before`.")), "{said:?}");
    let view = stage.show(&id);
    assert_eq!(view["title"], "it's new 🚀");
    assert_eq!(
        (text(&view, "worktree"), text(&view, "branch")),
        (at.display().to_string(), branch)
    );
    assert!(view["state"] == "running" && alive(&pid), "{view}");
    stage.qd(&["rename", &id, "Before"]).well();
    // While it is away, too.
    stage.qd(&["pause", &id]).well();
    stage.qd(&["rename", &id, "Away"]).well();
    stage.qd(&["resume", "title:Away"]).well();
}

#[test]
fn tags_pin_and_note_are_changed_by_the_word_and_undone_by_what_it_says() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, ..) = session(&stage, &repo, "Before", &["cat"]);
    let edit = |args: &[&str]| stage.qd(&[&["edit", &id], args].concat()).well();
    edit(&["+one", "+two", "--note", "first\nsecond"]);
    let said = edit(&["-one", "+three", "--title", "After", "--pin", "--note", ""]);
    let now = stage.show(&id);
    assert_eq!(
        json!([now["title"], now["tags"], now["pinned"], now["notes"]]),
        json!(["After", ["two", "three"], true, ""]),
    );
    let undo = said.out.split('`').nth(1).unwrap();
    let undo = undo.strip_prefix("qd edit ").unwrap();
    stage.shell(&format!(
        "{} --home {} edit {undo}",
        env!("CARGO_BIN_EXE_qd"),
        stage.root().display()
    ));
    let now = stage.show(&id);
    assert_eq!(
        json!([now["title"], now["tags"], now["pinned"], now["notes"]]),
        json!(["Before", ["two", "one"], false, "first\nsecond"]),
    );
    assert!(edit(&["+one", "--unpin"]).out.contains("nothing was changed"));
    let said = stage.qd(&["edit", &id, "+four", "--json"]).well();
    assert_eq!(said.json()["tags"], json!(["two", "one", "four"]));
    let said = stage.qd(&["edit", &id, "--title", " ", "--json"]);
    assert_eq!((said.code, said.error().as_str()), (2, "title_invalid"), "{said:?}");
}

#[test]
fn many_at_once_are_each_tried() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let ids: Vec<String> =
        ["one", "two", "three"].map(|t| session(&stage, &repo, t, &["cat"]).0).to_vec();
    let with = |word: &'static str, more: &[&'static str]| {
        let mut args = vec![word];
        args.extend(ids.iter().map(String::as_str));
        args.extend(more);
        stage.qd(&args)
    };
    let said = with("pause", &["title:none"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert_eq!(said.out.matches("is paused.").count(), 3, "{said:?}");
    assert!(said.err.contains("title:none: "), "{said:?}");
    let list = with("resume", &["--json"]).well().json();
    assert_eq!(list.as_array().unwrap().len(), 3);
    assert!(list.as_array().unwrap().iter().all(|view| view["state"] == "running"), "{list}");
    // One of them cannot: the others do.
    stage.qd(&["pause", &ids[1]]).well();
    let said = with("hibernate", &[]);
    assert_eq!((said.code, said.out.lines().count()), (4, 2), "{said:?}");
    assert!(said.err.contains("it is paused"), "{said:?}");
    assert_eq!(with("rm", &[]).well().out.lines().count(), 3);
    let said = with("restore", &[]).well();
    // Each is as it was before.
    assert!(said.out.contains(&format!("go on with `qd resume {}`", ids[1])), "{said:?}");
    assert!(said.out.contains(&format!("`qd wake {}`", ids[0])), "{said:?}");
    let states = ids.iter().map(|id| text(&stage.show(id), "state")).collect::<Vec<_>>();
    assert_eq!(states, ["hibernated", "paused", "hibernated"]);
    // The same one named twice.
    let said = stage.qd(&["wake", &ids[0], &ids[0]]).well();
    assert_eq!(said.out.lines().count(), 2, "{said:?}");
    assert_eq!(times(&kinds(&stage, &ids[0]), "wake-began"), 1);
    with("rm", &[]).well();
    assert_eq!(with("purge", &["--yes"]).well().out.matches("is purged.").count(), 3);
    assert_eq!(stage.qd(&["trash", "--json"]).well().json(), json!([]));
}

#[test]
fn the_same_asked_twenty_times_at_once_is_done_once() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, at, _) = session(&stage, &repo, "Work", &["cat"]);
    std::fs::write(at.join("mine"), "untracked").unwrap();
    for (action, state, event) in [
        ("hibernate", "hibernated", "hibernate-began"),
        ("wake", "running", "wake-began"),
        ("pause", "paused", "paused"),
        ("resume", "running", "resume-began"),
        ("rm", "trashed", "trashed"),
        ("restore", "exited", "restored"),
    ] {
        let said: Vec<_> = std::thread::scope(|scope| {
            let ask = |_| scope.spawn(|| stage.qd(&[action, &id, "--json"]));
            let asked: Vec<_> = (0..20).map(ask).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        // Who asks for a restore once it is back is told so; all else has one answer.
        let late = |said: &crate::program::Said| action == "restore" && said.code == 4;
        for said in said.iter().filter(|said| !late(said)) {
            assert_eq!((said.code, &said.json()["state"]), (0, &state.into()), "{action} {said:?}");
        }
        assert!(said.iter().any(|said| said.code == 0), "{action}");
        let view = stage.until_state(&id, state);
        assert!(view["problem"].is_null(), "{action} {view}");
        assert_eq!(times(&kinds(&stage, &id), event), 1, "{action}");
    }
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
}

#[test]
fn a_pause_that_cannot_be_says_why_and_leaves_the_files_where_they_are() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, at, branch) = session(&stage, &repo, "Work", &["cat"]);
    std::fs::write(at.join("mine"), "untracked").unwrap();
    // Somebody has locked the worktree, with git's own command.
    stage.shell(&format!("cd repo && git worktree lock --reason 'on a stick' '{}'", at.display()));
    let said = stage.qd(&["pause", &id]);
    assert!(said.code != 0 && said.err.contains("locked: on a stick"), "{said:?}");
    assert!(said.err.contains("git worktree unlock"), "{said:?}");
    let view = stage.until_state(&id, "exited");
    assert!(view["problem"]["hint"].as_str().unwrap().contains("git worktree unlock"), "{view}");
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
    // From there it can be started again, and be paused once that is mended.
    stage.qd(&["restart", &id]).well();
    assert!(stage.show(&id)["problem"].is_null());
    stage.shell(&format!("cd repo && git worktree unlock '{}'", at.display()));
    let said = stage.qd(&["pause", &id]).well();
    assert!(!at.exists(), "{said:?}");
    stage.qd(&["resume", &id]).well();
    assert_eq!(stage.show(&id)["branch"], branch.as_str());
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "untracked");
}

#[test]
fn what_works_in_a_folder_of_the_person_s_is_paused_without_touching_it() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let folder = PathBuf::from(text(&stage.show(&id), "worktree"));
    std::fs::write(folder.join("mine"), "untracked").unwrap();
    let said = stage.qd(&["pause", &id]).well();
    assert!(said.out.contains("was left as it is"), "{said:?}");
    assert_eq!(std::fs::read_to_string(folder.join("mine")).unwrap(), "untracked");
    stage.qd(&["resume", &id]).well();
    until("its program", || (stage.show(&id)["state"] == "running").then_some(()));
}
