//! Tokens stay where they belong, and nobody else can read the home.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::stage::Stage;

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = path.symlink_metadata().unwrap();
        // What is in a worktree is the person's, and what is in the scratch folder git's own, for
        // a moment; nobody else can enter either.
        if about.is_dir() && !path.ends_with("worktrees") && !path.ends_with("scratch") {
            walk(&path, found);
        }
        found.push(path);
    }
}

#[test]
fn nobody_else_can_read_the_home() {
    let mut stage = Stage::start();
    let repo = stage.repo("repo");
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"]}));
    let id = view["id"].as_str().unwrap().to_owned();
    stage.run("exit 3");
    let check = |stage: &Stage| {
        let mut all = vec![stage.root()];
        walk(&stage.root(), &mut all);
        assert!(all.len() > 15, "{all:?}");
        for path in &all {
            // Folders of git's short-lived files come and go while the diff is counted.
            let Ok(about) = path.symlink_metadata() else { continue };
            // Within them git decides: nobody else can get there.
            if path.starts_with(stage.root().join("scratch")) && !about.is_dir() {
                continue;
            }
            // The program has to be executable, and tmux marks its socket so while it has clients.
            let program = path.parent().is_some_and(|folder| folder.ends_with("bin"));
            let marked = path.ends_with("run/tmux") && about.mode() & 0o100 != 0;
            let wanted = if about.is_dir() || program || marked { 0o700 } else { 0o600 };
            assert_eq!(about.mode() & 0o7777, wanted, "{}", path.display());
        }
    };
    check(&stage);
    stage.stop();
    check(&stage);
    stage.serve();
    stage.qd(&["rm", &id]).well();
    stage.until_state(&id, "trashed");
    let folder = stage.root().join("trash").join(&id);
    assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
}

#[test]
fn no_token_shows_in_processes_logs_or_answers() {
    let mut stage = Stage::with(&[("QD_LOG", "trace")]);
    let repo = stage.repo("repo");
    let device = stage.device_token("phone");
    let script = "env > env.txt; cat /proc/$PPID/environ > parent.txt; sleep 1000";
    let view = stage.new_session(json!({"repo": repo, "command": ["sh", "-c", script]}));
    let id = view["id"].as_str().unwrap().to_owned();
    let worktree = PathBuf::from(view["worktree"].as_str().unwrap());
    let seen = super::stage::until("what the program sees", || {
        let parent = std::fs::read(worktree.join("parent.txt")).ok().filter(|p| !p.is_empty())?;
        Some([std::fs::read(worktree.join("env.txt")).unwrap(), parent].concat())
    });
    let mut viewer =
        super::socket::Viewer::attach(&stage, &device, &id, json!({"cols": 80, "rows": 24}));
    viewer.until("a snapshot", |viewer| viewer.snapshots > 0);
    let login = stage.serving["login_url"].as_str().unwrap().rsplit('#').next().unwrap().to_owned();
    let secrets = [stage.token(), device.clone(), login];
    let clean = |what: &str, bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        for (at, secret) in secrets.iter().enumerate() {
            assert!(secret.len() >= 8 && !text.contains(secret.as_str()), "{what} has secret {at}");
        }
    };
    clean("the program's environment", &seen);
    let tmux: u32 =
        stage.tmux(&["display-message", "-p", "#{pid}"]).well().out.trim().parse().unwrap();
    let (daemon, mut looked_at) = (stage.pid(), 0);
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        for file in ["cmdline", "environ"] {
            // Processes come and go, and some are not ours.
            let Ok(bytes) = std::fs::read(format!("/proc/{pid}/{file}")) else { continue };
            clean(&format!("{file} of {pid}"), &bytes);
            looked_at += usize::from(pid == tmux || pid == daemon);
        }
    }
    assert_eq!(looked_at, 4);
    for path in [
        "/api/v1/sessions",
        "/api/v1/devices",
        "/api/v1/doctor",
        "/api/v1/agents",
        "/api/v1/repos",
        "/api/v1/openapi.json",
        "/healthz",
        "/",
        "/no/such/page",
    ] {
        clean(path, &stage.get(path).body);
    }
    let wrong = stage.ask("GET", "/api/v1/sessions", &[("Host", "x")], b"");
    clean("a refusal", &wrong.body);
    let tmux = stage.tmux(&["show-environment", "-g"]).well().out;
    clean("tmux's environment", tmux.as_bytes());
    viewer.leave();
    stage.stop();
    let log = stage.log();
    assert!(log.len() > 100, "a log at this level says something: {log}");
    clean("the log", log.as_bytes());
    let database = std::fs::read(stage.root().join("quarterdeck.db")).unwrap();
    assert!(database.starts_with(b"SQLite format 3"));
    clean("the database", &database);
    for entry in std::fs::read_dir(stage.root()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        // The owner's token stands in its own file.
        if name != "token" && entry.path().is_file() {
            clean(&name, &std::fs::read(entry.path()).unwrap());
        }
    }
}
