use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use qd_screen::{Screen, Size};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::{Result, fault};
use crate::procfs;
use crate::program::{MARKER, argv};
use crate::statistics::median;
use crate::text;
use crate::viewer::{Told, Viewer};
use crate::waiting::until;

/// How long after its last byte a viewer is taken to be up to date.
const QUIET: Duration = Duration::from_millis(500);

/// A flood with two viewers of whom one stops reading.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let bytes = setting.pick(60_000_000, 10_000_000);
    let rounds = setting.pick(3, 2);
    let mut flood = Flood::start(setting, bytes)?;
    let (mut reader, _) = Viewer::attach(&flood.daemon, &flood.id, 0)?;
    flood.run(&mut reader)?;

    let (mut alone, mut beside) = (vec![], vec![]);
    let (mut daemon_growth, mut tmux_growth) = (0, 0);
    for _ in 0..rounds {
        alone.push(flood.run(&mut reader)?.seconds);
        let (mut stalled, drawing) = Viewer::attach(&flood.daemon, &flood.id, 1000)?;
        let told = flood.run(&mut reader)?;
        beside.push(told.seconds);
        daemon_growth = daemon_growth.max(told.daemon_growth);
        tmux_growth = tmux_growth.max(told.tmux_growth);
        flood.reads_again(&mut stalled, &drawing)?;
    }
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let ratio = median(&beside) / median(&alone);
    let megabytes = bytes / 1_000_000;
    sheet
        .lower("stalled viewer: program's time, to that without", ratio, "x")
        .bar(1.1)
        .note(format!("{megabytes} MB, median of {rounds} in turn; the other viewer by SHA-256"));
    sheet
        .lower("stalled viewer: growth of the daemon", mib(daemon_growth), "MiB")
        .bar(16.0)
        .note("largest resident memory while it prints");
    sheet.lower("stalled viewer: growth of tmux", mib(tmux_growth), "MiB").bar(16.0);
    sheet
        .lower("stalled viewer: wrong screens after it reads again", 0.0, "")
        .bar(0.0)
        .note("resync, snapshot, and the same lines as GET screen");
    Ok(())
}

struct Flood {
    daemon: Daemon,
    tmux: u32,
    id: String,
    times: PathBuf,
    digest: [u8; 32],
    bytes: usize,
}

struct Outcome {
    seconds: f64,
    daemon_growth: u64,
    tmux_growth: u64,
}

impl Flood {
    fn start(setting: &Setting, bytes: usize) -> Result<Self> {
        let mut daemon = Daemon::start(&setting.qd)?;
        let folder = daemon.folder("flood")?;
        let (source, times) = (folder.join("source"), folder.join("times"));
        let text = [text::coloured(bytes).as_slice(), MARKER].concat();
        std::fs::write(&source, &text[..text.len() - MARKER.len()])?;
        let program = argv(&["flood", &source.to_string_lossy(), &times.to_string_lossy()])?;
        let words: Vec<&str> = program.iter().map(String::as_str).collect();
        let id = daemon.session(&folder, &words)?;
        daemon.shows(&id, "ready")?;
        let tmux = daemon.tmux_pid()?;
        let digest = Sha256::digest(&text).into();
        Ok(Self { daemon, tmux, id, times, digest, bytes: text.len() })
    }

    /// Prints once, with the reader reading, and tells how it went.
    fn run(&mut self, reader: &mut Viewer) -> Result<Outcome> {
        let _ = std::fs::remove_file(&self.times);
        let mut got = Vec::with_capacity(self.bytes);
        let watched = [self.daemon.pid(), self.tmux];
        let before = [procfs::resident(watched[0])?, procfs::resident(watched[1])?];
        let done = AtomicBool::new(false);
        let peaks = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| peaks(watched, &done));
            let collected = reader
                .type_bytes(b"g")
                .and_then(|()| reader.collect(&mut got, MARKER).map(|_| ()))
                .and_then(|()| reader.ack());
            done.store(true, Ordering::Relaxed);
            let peaks = watcher.join().map_err(|_| "the watcher of memory panicked")?;
            collected.map(|()| peaks)
        })?;
        if Sha256::digest(&got)[..] != self.digest[..] {
            return fault("the viewer that reads did not get what was printed");
        }
        Ok(Outcome {
            seconds: seconds(&self.times)?,
            daemon_growth: peaks[0].saturating_sub(before[0]),
            tmux_growth: peaks[1].saturating_sub(before[1]),
        })
    }

    /// The viewer that had stopped reads all that there is for it, and must come to the screen
    /// that the daemon has, by way of a resync.
    fn reads_again(&mut self, stalled: &mut Viewer, drawing: &[u8]) -> Result<()> {
        let mut screen = Screen::new(Size::new(120, 40), 1000);
        screen.feed(drawing);
        let mut resyncs = 0;
        let shown: Value = self.daemon.http.json(&format!("/sessions/{}/screen", self.id))?;
        let end = shown["seq"].as_u64().unwrap_or(0);
        let asked = std::time::Instant::now();
        while stalled.next < end {
            match stalled.hear()? {
                Told::Output(data) => screen.feed(&data),
                Told::Resync(_) => resyncs += 1,
                Told::Snapshot { data, size } => {
                    screen = Screen::new(Size::new(size.0, size.1), 1000);
                    screen.feed(&data);
                }
                Told::Resumed | Told::Other => {}
            }
            if asked.elapsed() > QUIET * 60 {
                return fault("the viewer that reads again does not come to the end");
            }
        }
        let lines: Vec<&str> =
            shown["lines"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if resyncs == 0 {
            return fault("the viewer that had stopped was not told to begin anew");
        }
        if screen.lines() != lines {
            return fault("the screen of the viewer that reads again is not that of the daemon");
        }
        Ok(())
    }
}

/// The largest resident memory of two processes until it is done.
fn peaks(watched: [u32; 2], done: &AtomicBool) -> [u64; 2] {
    let mut peaks = [0; 2];
    while !done.load(Ordering::Relaxed) {
        for (peak, pid) in peaks.iter_mut().zip(watched) {
            *peak = (*peak).max(procfs::resident(pid).unwrap_or(0));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    peaks
}

fn seconds(times: &Path) -> Result<f64> {
    let text = until("the program is done", || Ok(std::fs::read_to_string(times).ok()))?;
    let (start, end) = text.split_once(' ').ok_or("no times")?;
    Ok((end.parse::<u64>()? - start.parse::<u64>()?) as f64 / 1e9)
}
