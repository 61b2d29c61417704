use std::path::Path;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::Setting;
use crate::bar::Sheet;
use crate::daemon::Daemon;
use crate::fault::{Result, fault};
use crate::plain::PlainTmux;
use crate::program::{MARKER, argv};
use crate::statistics::median;
use crate::text;
use crate::viewer::Viewer;
use crate::waiting::{monotonic, until};

/// Text printed in a pane until its end is with a viewer, against `pipe-pane` to `cat > file`.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let bytes = setting.pick(20_000_000, 4_000_000);
    let rounds = setting.pick(5, 3);
    let mut daemon = Daemon::start(&setting.qd)?;
    let folder = daemon.folder("flood")?;
    let source = folder.join("source");
    std::fs::write(&source, text::coloured(bytes))?;
    let expected = [std::fs::read(&source)?.as_slice(), MARKER].concat();

    let times = folder.join("times");
    let program = argv(&["flood", &source.to_string_lossy(), &times.to_string_lossy()])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let id = daemon.session(&folder, &words)?;
    daemon.shows(&id, "ready")?;
    let (mut viewer, _) = Viewer::attach(&daemon, &id, 0)?;

    let plain_times = folder.join("plain-times");
    let program = argv(&["flood", &source.to_string_lossy(), &plain_times.to_string_lossy()])?;
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let plain = PlainTmux::start(&words)?;
    plain.shows("ready")?;

    let (mut ours, mut theirs) = (vec![], vec![]);
    for round in 0..=rounds {
        let seconds = (
            through_viewer(&mut viewer, &expected, &times)?,
            through_pipe(&plain, &expected, &plain_times)?,
        );
        // The first is to warm up.
        if round > 0 {
            ours.push(expected.len() as f64 / 1e6 / seconds.0);
            theirs.push(expected.len() as f64 / 1e6 / seconds.1);
        }
    }
    let (ours, theirs) = (median(&ours), median(&theirs));
    let megabytes = bytes / 1_000_000;
    sheet
        .higher("throughput: rate to a viewer, to that of pipe-pane", ours / theirs, "x")
        .bar(0.9)
        .note(format!("{megabytes} MB, median of {rounds} in turn; every byte by SHA-256"));
    sheet.higher("throughput: to a viewer", ours, "MB/s").note("WebSocket over TCP, acknowledging");
    sheet.higher("throughput: pipe-pane to a file", theirs, "MB/s").note("plain tmux of its own");
    Ok(())
}

fn through_viewer(viewer: &mut Viewer, expected: &[u8], times: &Path) -> Result<f64> {
    let _ = std::fs::remove_file(times);
    let mut got = Vec::with_capacity(expected.len());
    viewer.type_bytes(b"g")?;
    viewer.collect(&mut got, MARKER)?;
    let end = monotonic();
    viewer.ack()?;
    same(expected, &got)?;
    Ok((end - began(times)?) as f64 / 1e9)
}

fn through_pipe(plain: &PlainTmux, expected: &[u8], times: &Path) -> Result<f64> {
    let _ = std::fs::remove_file(times);
    let sink = plain.folder().join("sink");
    std::fs::write(&sink, "")?;
    plain.run(&["pipe-pane", "-t", "a", &format!("exec cat > {}", sink.display())])?;
    plain.run(&["send-keys", "-t", "a", "g"])?;
    let wanted = expected.len() as u64;
    until("the file has all", || {
        std::thread::sleep(Duration::from_micros(500));
        Ok((std::fs::metadata(&sink)?.len() >= wanted).then_some(()))
    })?;
    let end = monotonic();
    same(expected, &std::fs::read(&sink)?)?;
    plain.run(&["pipe-pane", "-t", "a"])?;
    Ok((end - began(times)?) as f64 / 1e9)
}

/// When the program began to print.
fn began(times: &Path) -> Result<u64> {
    let text = until("the program is done", || Ok(std::fs::read_to_string(times).ok()))?;
    Ok(text.split(' ').next().unwrap_or_default().parse()?)
}

fn same(expected: &[u8], got: &[u8]) -> Result<()> {
    if Sha256::digest(expected) == Sha256::digest(got) {
        return Ok(());
    }
    fault(format!("what came is not what was printed: {} of {} bytes", got.len(), expected.len()))
}
