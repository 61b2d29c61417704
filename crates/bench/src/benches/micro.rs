//! The insides, without a daemon.

mod stored;

use std::hint::black_box;
use std::time::Instant;

use qd_screen::{Ring, Screen, Size};
use qd_tmux::control::{Limits, Parser};

use super::Setting;
use crate::bar::Sheet;
use crate::fault::Result;
use crate::statistics::median;
use crate::text;

/// Bytes that come from a pane at a time.
const CHUNK: usize = 32 * 1024;

/// Parsers, screens, rings, and the store.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let rounds = setting.pick(7, 3);
    let data = text::coloured(setting.pick(32 << 20, 8 << 20));
    let mib = data.len() as f64 / f64::from(1 << 20);
    let (mut copies, mut feeds, mut pushes, mut parses) = (vec![], vec![], vec![], vec![]);
    let control = control_stream(data.len());
    for round in 0..=rounds {
        let values = [copy(&data), feed(&data), push(&data), parse(&control)?];
        if round > 0 {
            for (all, value) in
                [&mut copies, &mut feeds, &mut pushes, &mut parses].into_iter().zip(values)
            {
                all.push(value);
            }
        }
    }
    let (copy, feed, push) = (median(&copies), median(&feeds), median(&pushes));
    sheet
        .higher("screen: feed", mib / feed, "MiB/s")
        .note("coloured text into 120x40, full history");
    sheet.lower("screen: feed, to copying", feed / copy, "x").note("time, against memcpy of it");
    sheet.higher("ring: push", data.len() as f64 / 1e9 / push, "GB/s").note("32 KiB at a time");
    sheet.lower("ring: push, to copying", push / copy, "x").note("time, against memcpy of it");
    let rate = control.len() as f64 / 1e6 / median(&parses);
    sheet.higher("control mode: parse", rate, "MB/s").note("notices and blocks of answers");
    snapshots(&data, rounds, sheet);
    stored::run(setting, sheet)
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn copy(data: &[u8]) -> f64 {
    let mut to = vec![0; 256 * 1024];
    seconds(|| {
        for chunk in data.chunks(CHUNK) {
            let at = black_box(CHUNK);
            to[at..at + chunk.len()].copy_from_slice(chunk);
            black_box(&mut to);
        }
    })
}

fn feed(data: &[u8]) -> f64 {
    let mut screen = Screen::new(Size::new(120, 40), 10_000);
    seconds(|| {
        for chunk in data.chunks(CHUNK) {
            screen.feed(chunk);
        }
        black_box(&screen);
    })
}

fn push(data: &[u8]) -> f64 {
    let mut ring = Ring::new(256 * 1024, 0);
    seconds(|| {
        for chunk in data.chunks(CHUNK) {
            ring.push(chunk);
        }
        black_box(&ring);
    })
}

fn parse(control: &[u8]) -> Result<f64> {
    let mut parser = Parser::new(Limits::default());
    let (mut events, mut count) = (vec![], 0);
    let start = Instant::now();
    for chunk in control.chunks(CHUNK) {
        parser.feed(chunk, &mut events).map_err(|over| format!("{over:?}"))?;
        count += events.len();
        events.clear();
    }
    let took = start.elapsed().as_secs_f64();
    if count == 0 { Err("the parser gave no events".into()) } else { Ok(took) }
}

/// What a control client hears: answers with a screenful of lines, and notices between them.
fn control_stream(bytes: usize) -> Vec<u8> {
    let screen: Vec<u8> = text::history(40).into_iter().filter(|byte| *byte != b'\r').collect();
    let mut out = Vec::with_capacity(bytes + 8192);
    let mut number = 0;
    while out.len() < bytes {
        number += 1;
        out.extend_from_slice(format!("%begin 1790000000 {number} 1\n").as_bytes());
        out.extend_from_slice(&screen);
        out.extend_from_slice(format!("%end 1790000000 {number} 1\n").as_bytes());
        out.extend_from_slice(b"%window-renamed @3 cat\n%session-changed $1 abcdefghjkmn\n");
    }
    out
}

fn snapshots(data: &[u8], rounds: usize, sheet: &mut Sheet) {
    let mut screen = Screen::new(Size::new(120, 40), 10_000);
    screen.feed(data);
    for lines in [0, 1000, 10_000] {
        let mut bytes = 0;
        let times: Vec<f64> = (0..rounds)
            .map(|_| seconds(|| bytes = black_box(screen.snapshot(lines)).len()) * 1e3)
            .collect();
        let name = format!("screen: snapshot with {lines} lines of history");
        sheet.lower(&name, median(&times), "ms").note(format!("{} KiB", bytes / 1024));
    }
    let memory = screen.memory() as f64 / f64::from(1 << 20);
    sheet.lower("screen: memory with 10,000 lines", memory, "MiB").note("by its own count");
}
