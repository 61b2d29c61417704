use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::{Result, fault};
use crate::program::argv;
use crate::statistics::percentile;
use crate::viewer::{Back, Viewer};
use crate::waiting::until;

const SESSIONS: usize = 50;
/// How many of them are looked at.
const VIEWERS: usize = 10;
/// Milliseconds between two lines of a program.
const PAUSE: &str = "50";
/// A program that was lost sooner after its start is not started again.
const SOON: Duration = Duration::from_secs(10);

/// The daemon goes while 50 programs print and ten viewers look: in order, and by SIGKILL.
pub fn restart(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let mut stage = Stage::start(setting, "stop")?;
    for (how, rounds) in [("in order", setting.pick(5, 2)), ("killed", setting.pick(5, 2))] {
        let (mut answers, mut joins, mut resumed, mut drawn) = (vec![], vec![], 0, 0);
        for _ in 0..rounds {
            let mut viewers = stage.viewers()?;
            for viewer in &mut viewers {
                viewer.hear_for(Duration::from_millis(300))?;
            }
            stage.daemon.end(how == "killed")?;
            let (answered, started) = stage.daemon.again(&setting.qd)?;
            answers.push(answered.as_secs_f64() * 1e3);
            stage.until_all("every stream is taken again", |view| !view["pane"].is_null())?;
            joins.push(started.elapsed().as_secs_f64());
            for (viewer, id) in viewers.into_iter().zip(&stage.ids) {
                match viewer.come_back(&stage.daemon, id)? {
                    Back::Resumed => resumed += 1,
                    Back::Drawn => drawn += 1,
                }
            }
        }
        let name = |what: &str| format!("restart 50, {how}: {what}");
        let most = answers.iter().copied().fold(0.0, f64::max);
        sheet.lower(&name("to the first answer"), most, "ms").bar(200.0).note(format!(
            "from the start of the process to the list of all; the longest of {rounds}"
        ));
        let most = joins.iter().copied().fold(0.0, f64::max);
        sheet
            .lower(&name("until all streams are taken again"), most, "s")
            .bar(5.0)
            .note(format!("from the start of the process; the longest of {rounds}"));
        let measure = sheet.lower(&name("viewers that were drawn anew"), f64::from(drawn), "");
        measure.note(format!("of {}; all others went on by number", resumed + drawn));
        if how == "in order" {
            measure.bar(0.0);
        }
    }
    let (wrong, lines) = stage.wrong_lines()?;
    sheet
        .lower("restart 50: programs with lines missing or doubled", wrong as f64, "")
        .bar(0.0)
        .note(format!("of 50, after all of this; {lines} numbered lines on screens and in history"));
    Ok(())
}

/// The tmux server is killed under 50 programs that are to run again.
pub fn tmux_loss(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let mut stage = Stage::start(setting, "rerun")?;
    let rounds = setting.pick(3, 1);
    let (mut answers, mut whole) = (vec![], vec![]);
    for _ in 0..rounds {
        std::thread::sleep(SOON + Duration::from_millis(500));
        let pid = i32::try_from(stage.daemon.tmux_pid()?)?;
        let Some(pid) = rustix::process::Pid::from_raw(pid) else {
            return fault("the tmux server has no process");
        };
        let before = stage.panes()?;
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)?;
        let start = Instant::now();
        until("all run again", || {
            let asked = Instant::now();
            let list = stage.daemon.http.json("/sessions")?;
            answers.push(asked.elapsed().as_secs_f64() * 1e3);
            std::thread::sleep(Duration::from_millis(5));
            let views = list.as_array().map(Vec::as_slice).unwrap_or_default();
            let again = |view: &&Value| {
                let id = view["id"].as_str().unwrap_or_default();
                view["state"] == "running"
                    && view["version"].as_u64() > before.iter().find(|(b, _)| b == id).map(|b| b.1)
                    && !view["pane"].is_null()
            };
            Ok((views.iter().filter(again).count() == SESSIONS).then_some(()))
        })?;
        whole.push(start.elapsed().as_secs_f64());
    }
    let most = answers.iter().copied().fold(0.0, f64::max);
    sheet
        .lower("tmux lost 50: longest answer meanwhile", most, "ms")
        .bar(200.0)
        .note(format!("GET sessions, {} times until all ran again", answers.len()));
    sheet.lower("tmux lost 50: p95 of the answers", percentile(&answers, 95.0), "ms");
    let most = whole.iter().copied().fold(0.0, f64::max);
    sheet
        .lower("tmux lost 50: until all run again", most, "s")
        .note(format!("four at a time; the longest of {rounds}"));
    Ok(())
}

/// A daemon with 50 sessions that print.
struct Stage {
    daemon: Daemon,
    ids: Vec<String>,
    stop: PathBuf,
}

impl Stage {
    fn start(setting: &Setting, on_loss: &str) -> Result<Self> {
        let mut daemon = Daemon::start(&setting.qd)?;
        let folder = daemon.folder("work")?;
        let stop = folder.join("stop");
        let program = argv(&["steady", path(&stop)?, PAUSE])?;
        let mut ids = vec![];
        for _ in 0..SESSIONS {
            let id = daemon.ask(&json!({
                "repo": folder, "in_place": true, "shared": true, "command": program,
                "on_loss": on_loss,
            }))?;
            daemon.running(&id)?;
            ids.push(id);
        }
        let mut stage = Self { daemon, ids, stop };
        stage.until_all("all run", |view| view["state"] == "running")?;
        Ok(stage)
    }

    fn until_all(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Result<()> {
        until(what, || {
            let list = self.daemon.http.json("/sessions")?;
            let views = list.as_array().map(Vec::as_slice).unwrap_or_default();
            Ok((views.iter().filter(|view| is(view)).count() == SESSIONS).then_some(()))
        })
    }

    /// Sessions and their versions.
    fn panes(&mut self) -> Result<Vec<(String, u64)>> {
        let list = self.daemon.http.json("/sessions")?;
        let views = list.as_array().into_iter().flatten();
        let pair = |view: &Value| Some((view["id"].as_str()?.to_owned(), view["version"].as_u64()?));
        Ok(views.filter_map(pair).collect())
    }

    fn viewers(&self) -> Result<Vec<Viewer>> {
        let ids = self.ids.iter().take(VIEWERS);
        ids.map(|id| Ok(Viewer::attach(&self.daemon, id, 100)?.0)).collect()
    }

    /// Has all programs end, and counts those whose numbered lines are not one after another from
    /// the first to the last.
    fn wrong_lines(&mut self) -> Result<(usize, usize)> {
        std::fs::write(&self.stop, "")?;
        self.until_all("all have ended", |view| view["state"] == "exited")?;
        let (mut wrong, mut all) = (0, 0);
        for id in &self.ids {
            let screen = self.daemon.http.json(&format!("/sessions/{id}/screen?history=true"))?;
            let lines = screen["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
            let words = lines.iter().filter_map(Value::as_str);
            let numbers: Vec<u64> =
                words.filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
            let last = words_after(lines, "last ");
            let whole = numbers.iter().zip(1..).all(|(number, wanted)| *number == wanted);
            if !whole || last != numbers.last().copied() || numbers.is_empty() {
                eprintln!("  {id}: {} lines, the last {:?} of {last:?}", numbers.len(), numbers.last());
                wrong += 1;
            }
            all += numbers.len();
        }
        Ok((wrong, all))
    }
}

/// The number on the line that begins so.
fn words_after(lines: &[Value], prefix: &str) -> Option<u64> {
    lines.iter().rev().find_map(|line| line.as_str()?.strip_prefix(prefix)?.parse().ok())
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| "a path that is not text".into())
}
