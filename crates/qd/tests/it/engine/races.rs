//! What races elsewhere: creating against deleting, bringing back against everything, hibernating
//! against waking, and closing many times. `QD_RACES` is how many rounds each is given, in
//! percent of what a usual run does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::seen::{kinds, times};
use super::stage::{Stage, until};

/// Rounds: so many in a usual run, more when asked for.
fn rounds(usual: usize) -> usize {
    let percent = std::env::var("QD_RACES").ok().and_then(|text| text.parse().ok());
    usual * percent.unwrap_or(100) / 100
}

fn delete(stage: &Stage, id: &str) -> u16 {
    stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").status
}

fn act(stage: &Stage, id: &str, action: &str) -> (u16, Value) {
    let answer = stage.post(&format!("/api/v1/sessions/{id}/{action}"), &json!({}));
    (answer.status, answer.json())
}

fn create(stage: &Stage, repo: &Path, title: &str) -> String {
    let fields = json!({"repo": repo, "command": ["sleep", "1000"], "title": title});
    stage.post("/api/v1/sessions", &fields).well().json()["id"].as_str().unwrap().to_owned()
}

/// Trashes and purges, however far it has come, and waits until it is gone.
fn be_rid_of(stage: &Stage, id: &str) {
    stage.until_state(id, "trashed");
    assert_eq!(act(stage, id, "purge").0, 202);
    until("its end", || (stage.get(&format!("/api/v1/sessions/{id}")).status == 404).then_some(()));
}

/// Processes that carry the mark of this home, but for those of no session.
pub fn processes(stage: &Stage) -> Vec<(u32, String)> {
    let home = format!("QD_HOME={}", stage.root().display());
    let mut found = vec![];
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(environ) = std::fs::read(entry.path().join("environ")) else { continue };
        let environ = String::from_utf8_lossy(&environ).into_owned();
        let mut vars = environ.split('\0');
        if !vars.clone().any(|var| var == home) {
            continue;
        }
        if let Some(id) = vars.find_map(|var| var.strip_prefix("QD_SESSION=")) {
            found.push((pid, id.to_owned()));
        }
    }
    found
}

/// What is left of sessions anywhere: processes, tmux sessions, sockets, worktrees, branches, rows.
pub fn leftovers(stage: &Stage, repo: &Path) -> BTreeSet<String> {
    let mut left = BTreeSet::new();
    left.extend(processes(stage).into_iter().map(|(pid, id)| format!("process {pid} of {id}")));
    if stage.root().join("tmux.path").exists() {
        let sessions = stage.tmux(&["list-sessions", "-F", "#{session_name} #{@qd-session}"]).out;
        let ours = sessions.lines().filter(|line| !line.ends_with(' '));
        left.extend(ours.map(|line| format!("tmux session {line}")));
        let run = std::fs::read_to_string(stage.root().join("tmux.path")).unwrap();
        let run = Path::new(&run).parent().unwrap();
        for entry in std::fs::read_dir(run).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("p-") {
                left.insert(format!("socket {name}"));
            }
        }
    }
    let quoted = repo.display();
    let git = format!("git -C '{quoted}'");
    let refs = stage.shell(&format!("{git} for-each-ref --format='%(refname)'"));
    left.extend(refs.lines().filter(|name| *name != "refs/heads/main").map(|r| format!("ref {r}")));
    let worktrees = stage.shell(&format!("{git} worktree list --porcelain"));
    let more = worktrees.lines().filter(|line| line.starts_with("worktree ")).skip(1);
    left.extend(more.map(str::to_owned));
    for folder in ["worktrees", "trash", "panes", "sessions"] {
        let Ok(entries) = std::fs::read_dir(stage.root().join(folder)) else { continue };
        for entry in entries.flatten() {
            // The folder of a repository's worktrees stays; what is in it must not.
            let inside: Vec<PathBuf> = match std::fs::read_dir(entry.path()) {
                Ok(inside) => inside.flatten().map(|entry| entry.path()).collect(),
                Err(_) => vec![entry.path()],
            };
            left.extend(inside.iter().map(|path| format!("file {}", path.display())));
        }
    }
    let database = rusqlite::Connection::open(stage.root().join("quarterdeck.db")).unwrap();
    let rows: i64 = database
        .query_row("SELECT count(*) FROM projections WHERE name = 'session'", [], |row| row.get(0))
        .unwrap();
    if rows > 0 {
        left.insert(format!("{rows} rows"));
    }
    left
}

/// Nothing is left, at the latest when all that was asked for has been done.
#[track_caller]
fn nothing_is_left(stage: &Stage, repo: &Path) {
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    loop {
        let left = leftovers(stage, repo);
        if left.is_empty() {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "left: {left:#?} {}", stage.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_delete_at_any_time_of_a_creation_leaves_nothing() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    for round in 0..rounds(3) {
        std::thread::scope(|scope| {
            for wait in [0, 1, 2, 5, 10, 20, 50] {
                let (stage, repo) = (&stage, &repo);
                scope.spawn(move || {
                    let id = create(stage, repo, &format!("r{round} w{wait}"));
                    std::thread::sleep(Duration::from_millis(wait));
                    assert_eq!(delete(stage, &id), 202);
                    be_rid_of(stage, &id);
                });
            }
        });
    }
    nothing_is_left(&stage, &repo);
}

#[test]
fn a_delete_at_each_step_of_a_creation_leaves_nothing() {
    let holds = tempfile::Builder::new().prefix("qd-hold-").tempdir_in("/tmp").unwrap();
    let stage = Stage::with(&[("QUARTERDECK_HOLD", holds.path().to_str().unwrap())]);
    let repo = stage.repo("repo");
    let steps = ["create-fetch", "create-worktree", "create-made", "create-start", "create-opened"];
    for round in 0..rounds(2) {
        for step in steps {
            let hold = holds.path().join(step);
            let reached = holds.path().join(format!("{step}.reached"));
            std::fs::write(&hold, "").unwrap();
            let id = create(&stage, &repo, &format!("{step} {round}"));
            until("the step", || reached.exists().then_some(()));
            assert_eq!(delete(&stage, &id), 202, "at {step}");
            // Asked for again it is the same delete.
            assert_eq!(delete(&stage, &id), 202, "at {step}");
            std::fs::remove_file(&hold).unwrap();
            std::fs::remove_file(&reached).unwrap();
            be_rid_of(&stage, &id);
        }
    }
    nothing_is_left(&stage, &repo);
}

/// Fifty threads at once, each with a number.
fn at_once(work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for number in 0..50 {
            let work = &work;
            scope.spawn(move || work(number));
        }
    });
}

#[test]
fn fifty_that_bring_back_attach_and_delete_at_once_have_one_result() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let id = create(&stage, &repo, "one");
    stage.until_state(&id, "running");
    delete(&stage, &id);
    stage.until_state(&id, "trashed");
    at_once(|_| {
        let (status, _) = act(&stage, &id, "restore");
        assert!(status == 202 || status == 409, "{status}");
    });
    stage.until_state(&id, "exited");
    assert_eq!(times(&kinds(&stage, &id), "restored"), 1);
    for round in 1..=rounds(2) {
        // Whoever comes first, comes first; the worktree is in one place, and it is the one that
        // the session says.
        at_once(|number| match number % 3 {
            0 => drop(act(&stage, &id, "restore")),
            1 => drop(delete(&stage, &id)),
            _ => drop(stage.screen(&id)),
        });
        let view = until("an end of it", || {
            let view = stage.show(&id);
            view["pending"].is_null().then_some(view)
        });
        let at = PathBuf::from(view["worktree"].as_str().unwrap());
        let away = stage.root().join("trash").join(&id).join("worktree");
        let trashed = view["state"] == "trashed";
        assert_eq!((at.exists(), away.exists()), (!trashed, trashed), "round {round} {view}");
    }
    delete(&stage, &id);
    be_rid_of(&stage, &id);
    nothing_is_left(&stage, &repo);
}

#[test]
fn hibernating_waking_and_deleting_at_once_never_start_two() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    for round in 0..rounds(2) {
        let id = create(&stage, &repo, &format!("h{round}"));
        stage.until_state(&id, "running");
        let ours = || processes(&stage).into_iter().filter(|(_, of)| *of == id).count();
        assert_eq!(ours(), 1);
        at_once(|number| {
            let action = if number % 2 == 0 { "hibernate" } else { "wake" };
            let (status, body) = act(&stage, &id, action);
            assert!(status == 202 || status == 409, "{body}");
        });
        let view = until("an end of it", || {
            assert!(ours() <= 1, "two programs run");
            let view = stage.show(&id);
            view["pending"].is_null().then_some(view)
        });
        let runs = usize::from(view["state"] == "running");
        assert!(runs == 1 || view["state"] == "hibernated", "{view}");
        until("as many as it says", || (ours() == runs).then_some(()));
        at_once(|number| match number % 3 {
            0 => drop(act(&stage, &id, "hibernate")),
            1 => drop(act(&stage, &id, "wake")),
            _ => assert_eq!(delete(&stage, &id), 202),
        });
        stage.until_state(&id, "trashed");
        until("the end of its program", || (ours() == 0).then_some(()));
        be_rid_of(&stage, &id);
    }
    nothing_is_left(&stage, &repo);
}

#[test]
fn fifty_closes_are_one_and_hold_up_nobody() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let other = stage.run("cat");
    let fields = json!({"repo": repo, "title": "stubborn", "command":
        ["sh", "-c", "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done"]});
    let id = stage.new_session(fields)["id"].as_str().unwrap().to_owned();
    stage.until_line(&id, |line| line == "ready");
    at_once(|_| assert_eq!(delete(&stage, &id), 202));
    // It is on its way still, and the others answer.
    stage.qd(&["send", &other, "hello", "--enter"]).well();
    stage.until_line(&other, |line| line == "hello");
    assert_eq!(stage.show(&id)["pending"], "trash", "the other answered before it had ended");
    stage.until_state(&id, "trashed");
    let kinds = kinds(&stage, &id);
    assert_eq!((times(&kinds, "trash-began"), times(&kinds, "trashed")), (1, 1), "{kinds:?}");
    assert_eq!(times(&kinds, "exited"), 1, "{kinds:?}");
    assert!(processes(&stage).iter().all(|(_, of)| *of != id));
}
