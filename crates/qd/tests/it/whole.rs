//! From end to end, against a daemon of its own.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::program::{Home, Said};

/// A daemon in a home of its own. Dropped, it ends with all its sessions.
struct Daemon {
    home: Home,
    child: Child,
    serving: Value,
}

impl Daemon {
    /// Starts one, on a port that is free.
    fn start() -> Self {
        let home = Home::new();
        let mut serve = home.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        let mut child = serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let serving: Value = serde_json::from_str(&line).unwrap();
        assert!(serving["error"].is_null(), "{serving}");
        Self { home, child, serving }
    }

    fn qd(&self, args: &[&str]) -> Said {
        self.home.qd(args)
    }

    /// A repository with one commit.
    fn repo(&self) -> PathBuf {
        let repo = self.home.path().join("repo");
        let script = "git init -q -b main repo && cd repo && echo one > a && git add a && \
            git -c user.name=n -c user.email=e commit -q -m first";
        let done = self.home.shell(script);
        assert_eq!(done.code, 0, "{done:?}");
        repo
    }

    /// Makes a session that runs a command, and waits until it runs.
    fn session(&self, title: &str, command: &str) -> String {
        let repo = self.repo();
        let args = ["new", "--json", "--repo", repo.to_str().unwrap(), "--title", title];
        let more = ["--command", command, "--wait", "running", "--timeout", "60"];
        let said = self.qd(&[&args[..], &more].concat()).well();
        said.json()["id"].as_str().unwrap().to_owned()
    }

    /// Looks at the screen until it is as wanted.
    #[track_caller]
    fn until(&self, id: &str, wanted: impl Fn(&str) -> bool) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        loop {
            let screen = self.qd(&["screen", id]).well().out;
            if wanted(&screen) {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "{screen}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.home.command(&["stop", "--sessions"]).output();
        let _ = self.child.kill();
        let _ = self.child.wait();
        // After a failure the terminals may be left: this home's tmux, and no other.
        self.home.shell("[ ! -f tmux.path ] || tmux -S \"$(cat tmux.path)\" kill-server");
    }
}

#[test]
fn a_daemon_tells_where_it_serves_and_stops() {
    let daemon = Daemon::start();
    for field in ["url", "login_url", "socket", "pid", "home", "version"] {
        assert!(!daemon.serving[field].is_null(), "{field}: {}", daemon.serving);
    }
    assert_eq!(daemon.qd(&["ls", "--json"]).well().json(), Value::Array(vec![]));
    let link = daemon.qd(&[]).well().out;
    assert!(link.contains("/login#"), "{link}");
    assert_ne!(link.trim(), daemon.serving["login_url"], "a code is good once");
    daemon.qd(&["stop"]).well();
    assert_eq!(daemon.qd(&["ls"]).code, 6);
    assert_eq!(daemon.qd(&["stop"]).code, 6);
}

#[test]
fn a_second_daemon_in_the_same_home_is_refused() {
    let daemon = Daemon::start();
    let said = daemon.qd(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("home_in_use", 4));
    let said = daemon.qd(&["serve", "--detach", "--listen", "127.0.0.1:0", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("home_in_use", 4));
}

#[test]
fn a_detached_daemon_outlives_its_starter() {
    let first = Daemon::start();
    first.qd(&["stop"]).well();
    let said = first.qd(&["serve", "--detach", "--listen", "127.0.0.1:0", "--json"]).well();
    assert!(said.json()["pid"].is_u64());
    first.qd(&["ls"]).well();
    use std::os::unix::fs::PermissionsExt as _;
    let log = first.home.path().join("daemon.log");
    assert_eq!(log.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_is_typed_comes_back_on_the_screen() {
    let daemon = Daemon::start();
    let id = daemon.session("An echo", "cat");
    daemon.qd(&["send", &id[..4], "hello there", "--enter"]).well();
    daemon.qd(&["send", "title:An echo", "--enter", "--", "-x $(id)"]).well();
    daemon.until(&id, |screen| screen.matches("hello there").count() == 2);
    daemon.until(&id, |screen| screen.matches("-x $(id)").count() == 2);
    daemon.qd(&["resize", &id, "90x20"]).well();
    let screen = daemon.qd(&["screen", &id, "--json"]).well().json();
    assert_eq!((&screen["cols"], &screen["rows"]), (&90.into(), &20.into()));
    assert!(daemon.qd(&["logs", &id]).well().out.contains("hello there"));
    daemon.qd(&["keys", &id, "C-c"]).well();
    daemon.qd(&["wait", &id, "--for", "exited", "--timeout", "60"]).well();
    let shown = daemon.qd(&["show", &id, "--json"]).well().json();
    assert_eq!(shown["state"], "exited");
    assert_eq!(daemon.qd(&["wait", &id, "--for", "idle", "--timeout", "0.2"]).code, 5);
}

#[test]
fn a_session_goes_to_the_trash_and_back_and_away() {
    let daemon = Daemon::start();
    let id = daemon.session("Short-lived", "cat");
    let worktree = daemon.qd(&["show", &id, "--json"]).well().json()["worktree"].clone();
    std::fs::write(PathBuf::from(worktree.as_str().unwrap()).join("new"), "two\n").unwrap();
    let patch = daemon.qd(&["diff", &id]).well().out;
    assert!(patch.contains("+++ b/new\n") && patch.contains("\n+two\n"), "{patch}");
    assert!(daemon.qd(&["rm", &id]).well().out.contains("qd restore"));
    assert_eq!(daemon.qd(&["ls", "--json"]).well().json(), Value::Array(vec![]));
    assert_eq!(daemon.qd(&["trash", "--json"]).well().json()[0]["id"], *id);
    daemon.qd(&["restore", &id]).well();
    assert_eq!(daemon.qd(&["ls", "--json"]).well().json()[0]["id"], *id);
    assert!(daemon.qd(&["diff", &id]).well().out.contains("\n+two\n"));
    assert_eq!(daemon.qd(&["purge", &id, "--yes"]).code, 4, "it is not in the trash");
    daemon.qd(&["rm", &id]).well();
    daemon.qd(&["purge", &id, "--yes"]).well();
    assert_eq!(daemon.qd(&["show", &id]).code, 3);
    let events = daemon.qd(&["events", "--json"]).well().out;
    let kinds: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].clone())
        .collect();
    assert_eq!(kinds.first(), Some(&"created".into()));
    assert_eq!(kinds.last(), Some(&"purged".into()));
}
