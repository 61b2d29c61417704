use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::Result;
use crate::http::Http;
use crate::plain::PlainTmux;
use crate::process;
use crate::statistics::{median, percentile};

/// Files in the repository.
const FILES: usize = 300;

/// From asking for a session to its running program, against the same git and tmux commands.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let rounds = setting.pick(20, 6);
    let mut daemon = Daemon::start(&setting.qd)?;
    let repo = daemon.folder("repo")?;
    make_repository(&repo)?;
    let plain = PlainTmux::start(&["cat"])?;
    let mut events = Http::open(&daemon.socket())?.follow()?;
    let (mut ours, mut theirs, mut answers) = (vec![], vec![], vec![]);
    for round in 0..=rounds {
        let start = Instant::now();
        let id = daemon.ask(&json!({
            "repo": repo, "title": format!("ours {round}"), "command": ["cat"],
        }))?;
        let answered = start.elapsed();
        events.until(&id, "running")?;
        let mine = start.elapsed();

        let start = Instant::now();
        let folder = plain.folder().join(format!("theirs-{round}"));
        let mut git = process::command(&repo, "git");
        git.args(["worktree", "add", "--no-track", "-b", &format!("theirs-{round}")]);
        process::output(git.arg(&folder).arg("main"))?;
        let name = format!("t{round}");
        let folder = folder.to_string_lossy();
        plain.run(&[
            "new-session",
            "-d",
            "-s",
            &name,
            "-c",
            &folder,
            "-x",
            "120",
            "-y",
            "40",
            "cat",
        ])?;
        let by_hand = start.elapsed();
        // The first is to warm up.
        if round > 0 {
            answers.push(answered.as_secs_f64() * 1e3);
            ours.push(mine.as_secs_f64() * 1e3);
            theirs.push(by_hand.as_secs_f64() * 1e3);
        }
        daemon.http.delete(&format!("/sessions/{id}"))?;
        events.until(&id, "trashed")?;
        plain.run(&["kill-session", "-t", &name])?;
    }
    sheet
        .lower(
            "create: until it runs, to git and tmux by hand",
            median(&ours) / median(&theirs),
            "x",
        )
        .bar(1.5)
        .note(format!(
            "median of {rounds} in turn; a worktree of {FILES} files, tmux, the program"
        ));
    sheet.lower("create: until it runs", median(&ours), "ms");
    sheet.lower("create: p95 until it runs", percentile(&ours, 95.0), "ms");
    sheet.lower("create: until the answer", median(&answers), "ms");
    sheet
        .lower("create: by hand", median(&theirs), "ms")
        .note("`git worktree add --no-track -b`, `tmux new-session -d`");
    Ok(())
}

fn make_repository(repo: &Path) -> Result<()> {
    for number in 0..FILES {
        let folder = repo.join(format!("src/part{}", number % 20));
        std::fs::create_dir_all(&folder)?;
        let line = format!("// line of file {number}\n");
        std::fs::write(folder.join(format!("file{number}.rs")), line.repeat(100))?;
    }
    let steps: [&[&str]; 3] =
        [&["init", "-q", "-b", "main"], &["add", "."], &["commit", "-q", "-m", "first"]];
    for step in steps {
        process::output(process::command(repo, "git").args(step))?;
    }
    Ok(())
}
