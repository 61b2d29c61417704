use std::time::Instant;

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::{Result, fault};
use crate::plain::PlainTmux;
use crate::program::argv;
use crate::statistics::{median, percentile};
use crate::viewer::Viewer;

/// Lines that are printed: more than the history holds.
const LINES: &str = "10200";

/// From asking for a terminal with a long history to its snapshot.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let rounds = setting.pick(30, 10);
    let program = argv(&["history", LINES])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let mut daemon = Daemon::start(&setting.qd)?;
    let folder = daemon.folder("attach")?;
    let id = daemon.session(&folder, &words)?;
    daemon.shows(&id, "settled")?;
    let plain = PlainTmux::start(&words)?;
    plain.shows("settled")?;

    let mut taken: [Vec<f64>; 5] = Default::default();
    for round in 0..=rounds {
        let values = [
            snapshot(&daemon, &id, 1000)?,
            snapshot(&daemon, &id, 10_000)?,
            capture(&plain, &["-S", "-1000"])?,
            capture(&plain, &["-S", "-"])?,
            capture(&plain, &["-e", "-S", "-"])?,
        ];
        if round > 0 {
            values.iter().zip(&mut taken).for_each(|(value, all)| all.push(*value));
        }
    }
    let [usual, whole, short, long, coloured] = taken;
    let how = format!("connect, attach, snapshot frame there; median of {rounds} in turn");
    sheet.lower("attach: to the snapshot, 1,000 lines", median(&usual), "ms").bar(20.0).note(&how);
    sheet.lower("attach: p95, 1,000 lines", percentile(&usual, 95.0), "ms");
    sheet.lower("attach: to the snapshot, 10,000 lines", median(&whole), "ms").bar(20.0).note(&how);
    sheet.lower("attach: p95, 10,000 lines", percentile(&whole, 95.0), "ms");
    sheet
        .lower("attach: 10,000 lines, to capture-pane", median(&whole) / median(&coloured), "x")
        .note("a `tmux capture-pane -e -p -S -` process, with colours as the snapshot has");
    sheet.lower("attach: capture-pane -S -1000", median(&short), "ms");
    sheet.lower("attach: capture-pane -S -", median(&long), "ms").note("without colours");
    sheet.lower("attach: capture-pane -e -S -", median(&coloured), "ms");
    Ok(())
}

fn snapshot(daemon: &Daemon, id: &str, lines: u32) -> Result<f64> {
    let start = Instant::now();
    let mut viewer = Viewer::connect(daemon, id)?;
    let data = viewer.ask_snapshot(lines)?;
    let took = viewer.heard.duration_since(start).as_secs_f64() * 1e3;
    let ends = data.iter().filter(|byte| **byte == b'\n').count();
    // Each line has its end or fills its row; short of both, something is missing.
    if ends < lines as usize {
        return fault(format!("a snapshot of {lines} lines has {ends} line ends"));
    }
    Ok(took)
}

fn capture(plain: &PlainTmux, args: &[&str]) -> Result<f64> {
    let mut words = vec!["capture-pane", "-p", "-t", "a"];
    words.extend(args);
    let start = Instant::now();
    let lines = plain.run(&words)?.iter().filter(|byte| **byte == b'\n').count();
    let took = start.elapsed().as_secs_f64() * 1e3;
    if lines < 1000 { fault(format!("capture-pane gave {lines} lines")) } else { Ok(took) }
}
