use std::time::{Duration, Instant};

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::Result;
use crate::plain::PlainTmux;
use crate::program::argv;
use crate::pty::Pty;
use crate::statistics::{median, percentile};
use crate::viewer::{Told, Viewer};

/// Keys that are in no escape sequence that tmux writes.
const KEYS: &[u8] = b"%&=+*~^_";

/// Between keys, so that each is typed into a terminal at rest, as people type.
const BETWEEN: Duration = Duration::from_millis(5);

/// One key to its echo, through the WebSocket and through `tmux attach` in a pseudo-terminal.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let (rounds, keys) = (setting.pick(5, 2), setting.pick(200, 100));
    let program = argv(&["echo"])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let mut daemon = Daemon::start(&setting.qd)?;
    let folder = daemon.folder("echo")?;
    let id = daemon.session(&folder, &words)?;
    daemon.shows(&id, "ready")?;
    let (mut viewer, _) = Viewer::attach(&daemon, &id, 0)?;
    let plain = PlainTmux::start(&words)?;
    plain.shows("ready")?;
    let mut native = Pty::spawn(plain.attach())?;
    native.settle(Duration::from_millis(500))?;

    let (mut ours, mut theirs) = (vec![], vec![]);
    for round in 0..=rounds {
        for number in 0..keys {
            let key = KEYS[number % KEYS.len()];
            std::thread::sleep(BETWEEN);
            let took = echo(&mut viewer, key)?;
            if round > 0 {
                ours.push(took.as_secs_f64() * 1e3);
            }
        }
        for number in 0..keys {
            std::thread::sleep(BETWEEN);
            let took = native.echo(KEYS[number % KEYS.len()])?;
            if round > 0 {
                theirs.push(took.as_secs_f64() * 1e3);
            }
        }
    }
    let (our_median, their_median) = (median(&ours), median(&theirs));
    let (our_tail, their_tail) = (percentile(&ours, 99.0), percentile(&theirs, 99.0));
    let how = format!("{rounds} x {keys} keys in turn");
    sheet
        .lower("echo: median beyond tmux attach", our_median - their_median, "ms")
        .bar(0.3)
        .note(&how);
    sheet
        .lower("echo: p99 beyond what tmux attach allows", our_tail - allowed(their_tail), "ms")
        .bar(0.0)
        .note("allowed is twice that of tmux attach, or 2 ms more");
    sheet.lower("echo: median through the WebSocket", our_median, "ms");
    sheet.lower("echo: median of tmux attach", their_median, "ms");
    sheet.lower("echo: p99 through the WebSocket", our_tail, "ms");
    sheet.lower("echo: p99 of tmux attach", their_tail, "ms");
    Ok(())
}

/// The larger of the two allowances.
fn allowed(theirs: f64) -> f64 {
    (theirs * 2.0).max(theirs + 2.0)
}

/// Types one key, and gives the time until it came back.
pub fn echo(viewer: &mut Viewer, key: u8) -> Result<Duration> {
    let start = Instant::now();
    viewer.type_bytes(&[key])?;
    loop {
        if let Told::Output(data) = viewer.hear()?
            && data.contains(&key)
        {
            return Ok(start.elapsed());
        }
    }
}
