//! The gate before everything that destroys: what it says, whom it protects, what it keeps.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use qd_api::NewSession;
use qd_core::{Action, SessionId};
use qd_daemon::{Clock, Daemon, DaemonConfig};
use serde_json::{Value, json};

use super::seen::GIT;
use super::stage::{Stage, until};

fn id(view: &Value) -> String {
    view["id"].as_str().unwrap().to_owned()
}

fn path(view: &Value) -> PathBuf {
    PathBuf::from(view["worktree"].as_str().unwrap())
}

impl Stage {
    fn worker(&self, title: &str) -> Value {
        let repo = self.dir().join("repo");
        if !repo.exists() {
            self.repo("repo");
        }
        let view = self.new_session(json!({"repo": repo, "command": ["cat"], "title": title}));
        assert!(view["problem"].is_null(), "{view}");
        view
    }

    fn sharer(&self, worktree: &Path) -> Value {
        let view = self.new_session(json!({
            "repo": worktree, "worktree": worktree, "shared": true, "command": ["cat"], "title": "Guest"
        }));
        assert!(view["problem"].is_null(), "{view}");
        view
    }

    fn loss(&self, id: &str) -> Value {
        self.get(&format!("/api/v1/sessions/{id}/loss")).well().json()
    }

    fn act(&self, id: &str, action: &str) -> super::http::Answer {
        if action == "trash" {
            return self.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"");
        }
        self.post(&format!("/api/v1/sessions/{id}/{action}"), &json!({}))
    }
}

#[test]
fn nothing_is_moved_under_another_session_and_nothing_ends_for_it() {
    let stage = Stage::start();
    let host = stage.worker("Host");
    let (host_id, at) = (id(&host), path(&host));
    std::fs::create_dir(at.join("deep")).unwrap();
    let guest = stage.sharer(&at);
    let before = stage.show(&host_id)["version"].clone();
    for action in ["trash", "pause"] {
        let answer = stage.act(&host_id, action);
        assert_eq!(answer.status, 409, "{action}");
        let problem = answer.json();
        assert_eq!(problem["code"], "worktree_in_use", "{problem}");
        assert!(problem["title"].as_str().unwrap().contains("Guest"), "{problem}");
        assert!(problem["hint"].as_str().unwrap().contains(&id(&guest)), "{problem}");
    }
    let view = stage.show(&host_id);
    assert_eq!((&view["state"], &view["version"]), (&json!("running"), &before), "{view}");
    assert_eq!(stage.loss(&host_id)["sharers"], json!([id(&guest)]));
    let said = stage.qd(&["rm", "--json", &host_id]);
    assert_eq!((said.code, said.error().as_str()), (4, "worktree_in_use"));

    // The guest goes, and nothing of the host's moves with it.
    stage.act(&id(&guest), "trash").well();
    stage.until_state(&id(&guest), "trashed");
    assert!(at.join("deep").exists());
    stage.act(&host_id, "trash").well();
    stage.until_state(&host_id, "trashed");
    assert!(!at.exists());

    // Nobody is let into what is in the trash and moves back or goes for good.
    let kept = stage.root().join("trash").join(&host_id).join("worktree");
    let squatter = stage.new_session(json!({"repo": kept, "in_place": true, "command": ["cat"]}));
    assert!(squatter["problem"].is_null(), "{squatter}");
    for action in ["restore", "purge"] {
        stage.act(&host_id, action).well();
        let view = until("the refusal", || {
            let view = stage.show(&host_id);
            (view["pending"].is_null()).then_some(view)
        });
        assert_eq!(view["problem"]["code"], "worktree_in_use", "{action}: {view}");
        assert!(kept.join("deep").exists(), "{action}");
    }
    stage.act(&id(&squatter), "trash").well();
    stage.until_state(&id(&squatter), "trashed");
    stage.act(&host_id, "restore").well();
    stage.until_state(&host_id, "exited");
    assert!(at.join("deep").exists());
}

#[test]
fn shells_go_with_the_worktree_they_are_in() {
    let stage = Stage::start();
    let host = stage.worker("Host");
    let (host_id, at) = (id(&host), path(&host));
    std::fs::write(at.join("untracked"), "work").unwrap();
    let made = stage.qd(&["shell", "--json", &host_id]).well().json();
    let shell = id(&made);
    assert_eq!(made["parent"], json!(host_id), "{made}");
    assert_eq!(made["title"], "Host (shell)");
    let shell_view = stage.until_state(&shell, "running");
    assert_eq!((path(&shell_view), &shell_view["kind"]), (at.clone(), &json!("in-place")));
    let script = "echo $$ > pid; trap '' HUP; while :; do sleep 1; done";
    let made = stage.qd(&["shell", "--json", &shell, "--title", "Loop", "--", "sh", "-c", script]);
    let second = made.well().json();
    assert_eq!((&second["parent"], &second["title"]), (&json!(host_id), &json!("Loop")));
    let pid = until("the loop runs", || {
        std::fs::read_to_string(at.join("pid")).ok().filter(|pid| pid.ends_with('\n'))
    });
    let loss = stage.loss(&host_id);
    assert_eq!(loss["children"].as_array().unwrap().len(), 2, "{loss}");

    stage.act(&host_id, "pause").well();
    stage.until_state(&host_id, "paused");
    for shell in [&shell, &id(&second)] {
        assert_eq!(stage.show(shell)["state"], "trashed");
    }
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "its program has ended");
    assert!(!at.exists());
    let refused = stage.post(&format!("/api/v1/sessions/{host_id}/shell"), &json!({}));
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("state_conflict")));

    // Back with the host, they can go on.
    stage.act(&host_id, "resume").well();
    stage.until_state(&host_id, "running");
    assert_eq!(std::fs::read_to_string(at.join("untracked")).unwrap(), "work");
    stage.act(&shell, "restore").well();
    stage.until_state(&shell, "exited");
    stage.act(&shell, "restart").well();
    stage.until_state(&shell, "running");

    // A daemon that is killed while they go finishes it at its next start.
    let mut stage = stage;
    stage.act(&host_id, "trash").well();
    stage.kill();
    stage.serve();
    stage.until_state(&host_id, "trashed");
    stage.until_state(&shell, "trashed");
    assert!(!at.exists());
}

#[test]
fn shells_of_a_folder_that_stays_go_to_the_trash_with_its_session_only() {
    let stage = Stage::start();
    let host = stage.run("exec cat");
    let shell = id(&stage.qd(&["shell", "--json", &host, "--", "cat"]).well().json());
    let view = stage.until_state(&shell, "running");
    assert_eq!(view["worktree"], stage.show(&host)["worktree"]);
    stage.act(&host, "pause").well();
    stage.until_state(&host, "paused");
    assert_eq!(stage.show(&shell)["state"], "running", "nothing was moved");
    stage.act(&host, "trash").well();
    stage.until_state(&host, "trashed");
    stage.until_state(&shell, "trashed");
}

#[test]
fn many_at_once_end_with_one_answer_and_no_shell_left() {
    let stage = Stage::start();
    let host = stage.worker("Host");
    let (host_id, at) = (id(&host), path(&host));
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (stage, host_id) = (&stage, host_id.as_str());
            scope.spawn(move || {
                if n == 4 {
                    stage.act(host_id, "trash").well();
                } else {
                    let body = json!({"command": ["cat"]});
                    let answer = stage.post(&format!("/api/v1/sessions/{host_id}/shell"), &body);
                    assert!([201, 409].contains(&answer.status), "{}", answer.json());
                }
            });
        }
    });
    stage.until_state(&host_id, "trashed");
    assert!(!at.exists());
    until("no shell runs", || {
        let list = stage.get("/api/v1/sessions").well().json();
        let states: Vec<_> = list.as_array().unwrap().iter().map(|s| s["state"].clone()).collect();
        states.iter().all(|state| state == "failed").then_some(())
    });
}

#[test]
fn what_is_at_stake_is_said_before_and_kept_after() {
    let stage = Stage::start();
    let host = stage.worker("Work");
    let (host_id, at, branch) = (id(&host), path(&host), host["branch"].as_str().unwrap());
    stage.shell(&format!(
        "cd '{}' && echo c > c && git add c && {GIT} commit -q -m 'the work' && echo s > s && git add s && \
         echo u >> a && mkdir n && echo x > n/1 && echo x > n/2 && echo i > ignored.log",
        at.display()
    ));
    let locks = stage.shell("cd repo && find .git -name '*.lock'");
    let loss = stage.loss(&host_id);
    assert_eq!(locks, "");
    let files =
        json!({"staged": 1, "unstaged": 1, "untracked": 2, "ignored": 1, "at_least": false});
    assert_eq!(loss["files"], files, "{loss}");
    assert_eq!(loss["running"], true);
    assert_eq!((&loss["commits"]["count"], &loss["commits"]["loose"]), (&json!(1), &json!(0)));
    assert_eq!(loss["commits"]["newest"][0]["subject"], "the work");
    assert_eq!((&loss["branch"], &loss["made_branch"]), (&json!(branch), &json!(true)));
    let said = stage.qd(&["rm", "--dry-run", &host_id]).well().out;
    for part in ["runs", "1 staged, 1 unstaged, 2 untracked, 1 ignored", "the work", branch] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(stage.show(&host_id)["state"], "running", "a look changes nothing");
    let session = stage.qd(&["rm", "--dry-run", "--json", &host_id]).well().json();
    assert_eq!(session["files"], files);

    stage.act(&host_id, "trash").well();
    let view = stage.until_state(&host_id, "trashed");
    let after = stage.loss(&host_id);
    assert_eq!((&after["files"], &after["running"]), (&files, &json!(false)), "{after}");
    assert_eq!(after["until"], view["purge_at"]);
    let said = stage.qd(&["trash"]).well();
    let at: jiff::Timestamp = view["purge_at"].as_str().unwrap().parse().unwrap();
    let at = at.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M");
    assert!(said.err.contains(&format!("is purged on {at}.")), "{said:?}");
    // The second belt: what is tracked, and nothing else.
    let belt = format!("refs/quarterdeck/snapshot/{host_id}");
    let names = stage.shell(&format!("cd repo && git ls-tree -r --name-only {belt}"));
    assert_eq!(names.split_whitespace().collect::<Vec<_>>(), [".gitignore", "a", "c", "s"]);
    // Merged, it is at stake no more.
    stage.shell(&format!("cd repo && git merge -q {branch}"));
    assert_eq!(stage.loss(&host_id)["commits"]["count"], 0);
    stage.act(&host_id, "purge").well();
    until("it is gone", || {
        (stage.get(&format!("/api/v1/sessions/{host_id}")).status == 404).then_some(())
    });
    assert_eq!(stage.shell("cd repo && git for-each-ref refs/quarterdeck"), "");
    // One in a folder of the person's puts nothing at stake.
    let own = stage.run("exec cat");
    let loss = stage.loss(&own);
    assert!(loss["files"].is_null() && loss["commits"].is_null(), "{loss}");
    assert!(loss["kept"].as_str().unwrap().contains("left as it is"), "{loss}");
}

#[test]
fn a_snapshot_that_has_no_room_moves_nothing() {
    // Only root can make a file system as small as that.
    let stage = Stage::start();
    let host = stage.worker("Work");
    let (host_id, at) = (id(&host), path(&host));
    std::fs::write(at.join("a"), "changed").unwrap();
    let scratch = stage.root().join("scratch");
    let mounted = stage.home.shell(&format!(
        "mount -t tmpfs -o size=4k qd-test '{0}' && head -c 8192 /dev/zero > '{0}/fill' 2>/dev/null; mountpoint -q '{0}'",
        scratch.display()
    ));
    if mounted.code != 0 {
        return;
    }
    struct Unmount<'a>(&'a Stage, &'a Path);
    impl Drop for Unmount<'_> {
        fn drop(&mut self) {
            self.0.home.shell(&format!("umount '{}'", self.1.display()));
        }
    }
    let unmount = Unmount(&stage, &scratch);
    stage.act(&host_id, "pause").well();
    let view = stage.until_state(&host_id, "exited");
    assert_eq!(view["problem"]["code"], "disk_full", "{view}");
    assert_eq!(std::fs::read_to_string(at.join("a")).unwrap(), "changed");
    assert_eq!(stage.shell("cd repo && git for-each-ref refs/quarterdeck"), "");
    drop(unmount);
    stage.act(&host_id, "pause").well();
    stage.until_state(&host_id, "paused");
}

#[test]
fn after_fourteen_days_the_trash_ends_by_itself() {
    const DAY: i64 = 24 * 3_600_000;
    let home = crate::program::Home::new();
    let now = Arc::new(AtomicI64::new(1_800_000_000_000));
    let vars =
        ["PATH", "TERM"].map(|name| (name.into(), std::env::var_os(name).unwrap_or_default()));
    let config = DaemonConfig {
        home: home.path().join("qd"),
        program: env!("CARGO_BIN_EXE_qd").into(),
        env: vars.to_vec(),
        clock: Clock::Manual(Arc::clone(&now)),
        version: "test",
    };
    let folder = home.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (daemon, handle) = Daemon::start(config).await.unwrap();
        let wanted = NewSession {
            repo: folder.to_string_lossy().into_owned(),
            command: Some(vec!["true".into()]),
            in_place: true,
            ..NewSession::default()
        };
        let made = handle.create(wanted).await.unwrap();
        let id = SessionId::parse(&made.id).unwrap();
        let state = async |wanted: Option<&str>| {
            let deadline = Instant::now() + Duration::from_secs(60);
            loop {
                let view = handle.find(id.as_str()).ok();
                let now = view.as_ref().filter(|view| view.pending.is_none());
                if wanted == now.map(|view| view.state.as_str())
                    && view.is_some() == wanted.is_some()
                {
                    return view;
                }
                assert!(Instant::now() < deadline, "never {wanted:?}: {view:?}");
                tokio::time::sleep(Duration::from_millis(15)).await;
            }
        };
        state(Some("exited")).await;
        handle.act(&id, Action::Trash, None).await.unwrap();
        let view = state(Some("trashed")).await.unwrap();
        let kept_until = view.purge_at.clone().unwrap();
        assert_eq!(
            kept_until,
            qd_api::rfc3339(qd_core::Millis(now.load(Ordering::Relaxed) + 14 * DAY))
        );
        let due = now.load(Ordering::Relaxed) + 14 * DAY;
        while now.fetch_add(DAY / 4, Ordering::Relaxed) < due - DAY {
            tokio::time::sleep(Duration::from_millis(30)).await;
            assert!(handle.find(id.as_str()).is_ok(), "it was purged early");
        }
        now.store(due + 1, Ordering::Relaxed);
        // Time goes on until it was looked at, often enough to be certain.
        let deadline = Instant::now() + Duration::from_secs(60);
        while handle.find(id.as_str()).is_ok() {
            assert!(Instant::now() < deadline, "it is never purged");
            now.fetch_add(DAY / 24, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
        state(None).await;
        handle.stop(true).await.unwrap();
        daemon.stop().await;
    });
}
