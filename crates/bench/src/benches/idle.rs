use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::{Result, fault};
use crate::process;
use crate::procfs;
use crate::program::argv;

/// Between two looks at the processes.
const LOOK: Duration = Duration::from_millis(20);

/// How long what follows output, such as the counting of a diff, may take to come and go.
const SETTLE: Duration = Duration::from_secs(8);

/// 20 sessions that wait: no process may start.
pub fn twenty(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let seconds = setting.pick(30, 10);
    let mut daemon = Daemon::start(&setting.qd)?;
    let repo = daemon.folder("repo")?;
    for step in [&["init", "-q"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
        process::output(process::command(&repo, "git").args(step))?;
    }
    let mut ids = vec![];
    for number in 0..20 {
        ids.push(
            daemon.session(&repo, if number % 2 == 0 { &["cat"] } else { &["sleep", "9999"] })?,
        );
    }
    std::thread::sleep(SETTLE);
    let roots = [daemon.pid(), daemon.tmux_pid()?];
    let mut watch = Watch::begin(&roots)?;
    let (cpu, sleeps) = (procfs::cpu(daemon.pid())?, procfs::sleeps(daemon.pid())?);
    let started = watch.look(Duration::from_secs(seconds))?;
    let cpu = (procfs::cpu(daemon.pid())? - cpu) / seconds as f64 * 100.0;
    let woken: u64 = procfs::sleeps(daemon.pid())?
        .iter()
        .map(|(thread, count)| count - sleeps.get(thread).copied().unwrap_or(0).min(*count))
        .sum();
    let wakeups = woken as f64 / seconds as f64;
    sheet
        .lower("idle 20: processes started", started as f64, "")
        .bar(0.0)
        .note(format!("{seconds} s; seen in /proc, or by the page faults of children that ended"));
    sheet.lower("idle 20: processor", cpu, "% of a core").bar(1.0);
    sheet.lower("idle 20: wake-ups of the daemon", wakeups, "a second");

    // A watch that sees nothing proves nothing: this starts git, and has to be seen.
    let mut watch = Watch::begin(&roots)?;
    daemon.http.get(&format!("/sessions/{}/diff", ids[0]))?;
    if watch.look(Duration::from_millis(500))? == 0 {
        return fault("the watch for processes did not see the git of a diff");
    }
    Ok(())
}

/// 100 sessions that wait, each with 10,000 lines of history: processor and memory.
pub fn hundred(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let mut daemon = Daemon::start(&setting.qd)?;
    let folder = daemon.folder("idle")?;
    let program = argv(&["history", "10200"])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let empty = procfs::resident(daemon.pid())?;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    sheet.lower("idle 0: memory of the daemon", mib(empty), "MiB").note("resident, just started");
    let mut ids = vec![];
    for count in [1, 10, 50, 100] {
        while ids.len() < count {
            ids.push(daemon.session(&folder, &words)?);
        }
        for id in &ids {
            daemon.shows(id, "settled")?;
            let kept = daemon.http.json(&format!("/sessions/{id}/scrollback?from=0&lines=1"))?;
            if kept["total"].as_u64() != Some(10_000) {
                return fault(format!("{} lines of history are kept, not 10,000", kept["total"]));
            }
        }
        std::thread::sleep(SETTLE / 2);
        let seconds = if count == 100 { setting.pick(30, 10) } else { setting.pick(10, 3) };
        let before = procfs::cpu(daemon.pid())?;
        std::thread::sleep(Duration::from_secs(seconds));
        let cpu = (procfs::cpu(daemon.pid())? - before) / seconds as f64 * 100.0;
        let resident = procfs::resident(daemon.pid())?;
        let each = mib(resident.saturating_sub(empty)) / count as f64;
        let tmux = procfs::resident(daemon.tmux_pid()?)?;

        let measure = sheet.lower(&format!("idle {count}: processor"), cpu, "% of a core");
        measure.note(format!("{seconds} s, all threads of the daemon"));
        if count == 100 {
            measure.bar(1.0);
        }
        let measure = sheet.lower(&format!("idle {count}: memory a session"), each, "MiB");
        measure.note("resident beyond the empty daemon; 10,000 lines of 80 columns each");
        if count == 100 {
            measure.bar(2.0);
        }
        sheet.lower(
            &format!("idle {count}: memory of tmux a session"),
            mib(tmux) / count as f64,
            "MiB",
        );
    }
    sheet.lower("idle 100: memory of the init of a pane", init_memory(&daemon)?, "MiB");
    Ok(())
}

/// Resident memory of a pane's init, on average, in MiB. Most of it is the program's own pages,
/// which all of them share.
fn init_memory(daemon: &Daemon) -> Result<f64> {
    let inits = procfs::children(daemon.tmux_pid()?);
    let all: u64 = inits.iter().filter_map(|pid| procfs::resident(*pid).ok()).sum();
    Ok(all as f64 / f64::from(1 << 20) / inits.len().max(1) as f64)
}

/// Watches for processes that start beneath others.
struct Watch {
    roots: Vec<u32>,
    seen: BTreeSet<u32>,
    ended: Vec<(u32, u64)>,
}

impl Watch {
    fn begin(roots: &[u32]) -> Result<Self> {
        let seen = procfs::tree(roots);
        let ended = seen
            .iter()
            .map(|pid| Ok((*pid, procfs::faults_of_ended_children(*pid)?)))
            .collect::<Result<_>>()?;
        Ok(Self { roots: roots.to_vec(), seen, ended })
    }

    /// How many started during this time: those seen alive, and parents of whom children ended.
    fn look(&mut self, time: Duration) -> Result<usize> {
        let start = Instant::now();
        let mut started = 0;
        while start.elapsed() < time {
            for pid in procfs::tree(&self.roots) {
                started += usize::from(self.seen.insert(pid));
            }
            std::thread::sleep(LOOK);
        }
        let mut unseen = 0;
        for (pid, before) in &self.ended {
            unseen += usize::from(procfs::faults_of_ended_children(*pid)? > *before);
        }
        Ok(started.max(unseen))
    }
}
