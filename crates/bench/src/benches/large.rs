use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Setting, echo};
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::Result;
use crate::http::Http;
use crate::process;
use crate::program::argv;
use crate::statistics::percentile;
use crate::viewer::Viewer;

/// Lines of the index, one each for as many files.
const FILES: usize = 50_000;
/// Keys typed while nothing else is asked of the daemon.
const QUIET_KEYS: usize = 1500;
/// Between keys.
const BETWEEN: Duration = Duration::from_millis(2);

/// What is done one after the other, and the state that it ends in. A session is asked for before.
const ACTS: [(&str, &str); 5] = [
    ("create", "running"),
    ("pause", "paused"),
    ("resume", "running"),
    ("delete", "trashed"),
    ("restore", "exited"),
];

/// Typing into one session while another, with 50,000 files, is created, paused, resumed, deleted
/// and restored.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let rounds = setting.pick(3, 1);
    let mut daemon = Daemon::start(&setting.qd)?;
    let repo = daemon.folder("repo")?;
    make_repository(&repo)?;
    let folder = daemon.folder("echo")?;
    let program = argv(&["echo"])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let id = daemon.session(&folder, &words)?;
    daemon.shows(&id, "ready")?;
    let (mut viewer, _) = Viewer::attach(&daemon, &id, 0)?;

    let (mut quiet, mut busy) = (vec![], vec![]);
    let mut times = vec![];
    for round in 0..rounds {
        for _ in 0..QUIET_KEYS / rounds {
            quiet.push(key(&mut viewer)?);
        }
        let large = daemon.ask(&json!({
            "repo": repo, "title": format!("large {round}"), "command": ["cat"],
        }))?;
        for (act, state) in ACTS {
            let (took, keys) = while_typing(&daemon, &large, act, state, &mut viewer)?;
            times.push((act, took.as_secs_f64(), percentile(&keys, 99.0)));
            busy.extend(keys);
        }
        daemon.http.delete(&format!("/sessions/{large}"))?;
    }
    let (rest, load) = (percentile(&quiet, 99.0), percentile(&busy, 99.0));
    sheet
        .lower("50,000 files: echo p99 of another session, to an idle daemon", load / rest, "x")
        .bar(1.5)
        .note(format!("{} keys while files are moved, {} before", busy.len(), quiet.len()));
    sheet.lower("50,000 files: echo p99 meanwhile", load, "ms");
    sheet.lower("50,000 files: echo p99 before", rest, "ms");
    for (name, _) in ACTS {
        let of = || times.iter().filter(|(act, ..)| *act == name);
        let echo = of().map(|(.., p99)| *p99).fold(0.0, f64::max);
        sheet
            .lower(
                &format!("50,000 files: {name}"),
                of().map(|(_, took, _)| *took).fold(0.0, f64::max),
                "s",
            )
            .note(format!("the longest of {rounds}; echo p99 meanwhile at most {echo:.1} ms"));
    }
    Ok(())
}

/// Does something with a session, and types into another until that session has the state.
fn while_typing(
    daemon: &Daemon,
    id: &str,
    act: &str,
    state: &str,
    viewer: &mut Viewer,
) -> Result<(Duration, Vec<f64>)> {
    let mut events = Http::open(&daemon.socket())?.follow()?;
    let mut http = Http::open(&daemon.socket())?;
    let done = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let acting = scope.spawn(|| {
            let acted = ask(&mut http, id, act)
                .and_then(|()| settled(&mut http, &mut events, id, state))
                .map(|()| start.elapsed())
                .map_err(|error| error.to_string());
            done.store(true, Ordering::Relaxed);
            acted
        });
        let mut keys = vec![];
        while !done.load(Ordering::Relaxed) {
            keys.push(key(viewer)?);
        }
        match acting.join() {
            Ok(Ok(took)) => Ok((took, keys)),
            Ok(Err(words)) => Err(words.into()),
            Err(_) => Err("what was asked for fell over".into()),
        }
    })
}

fn ask(http: &mut Http, id: &str, act: &str) -> Result<()> {
    match act {
        "create" => Ok(()),
        "delete" => http.delete(&format!("/sessions/{id}")),
        act => http.post(&format!("/sessions/{id}/{act}"), &json!({})).map(|_| ()),
    }
}

/// Waits by the event stream, unless it is so already.
fn settled(http: &mut Http, events: &mut crate::http::Events, id: &str, state: &str) -> Result<()> {
    let view = http.json(&format!("/sessions/{id}"))?;
    if view["state"] == state && view["pending"].is_null() {
        return Ok(());
    }
    events.until(id, state)
}

fn key(viewer: &mut Viewer) -> Result<f64> {
    std::thread::sleep(BETWEEN);
    Ok(echo::echo(viewer, b'%')?.as_secs_f64() * 1e3)
}

fn make_repository(repo: &Path) -> Result<()> {
    for number in 0..FILES {
        let folder = repo.join(format!("part{}/of{}", number % 50, number % 20));
        if number < 1000 {
            std::fs::create_dir_all(&folder)?;
        }
        std::fs::write(folder.join(format!("file{number}.rs")), format!("// file {number}\n"))?;
    }
    let steps: [&[&str]; 3] =
        [&["init", "-q", "-b", "main"], &["add", "."], &["commit", "-q", "-m", "first"]];
    for step in steps {
        process::output(process::command(repo, "git").args(step))?;
    }
    Ok(())
}
