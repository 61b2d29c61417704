//! Measures how fast a stream is drawn and how much memory the history takes.
//!
//! `cargo run --release -p qd-screen --example measure [FILE]`

use std::time::Duration;

use qd_screen::{Screen, Size};

const LINES: usize = 10_000;

/// Lines as compilers, `git log` and agents print them: 80 to 120 columns, some colours.
fn coloured(bytes: usize) -> Vec<u8> {
    let words = [
        "error",
        "warning",
        "crates/screen/src/term.rs",
        "fn",
        "let",
        "the",
        "session",
        "has",
        "been",
        "restored",
        "commit",
        "8f3a2c1",
        "Compiling",
        "tokio",
        "v1.50.0",
        "—",
        "expected",
        "struct",
        "found",
        "│",
        "+",
        "-",
        "@@",
        "1043",
        "ok",
        "…",
        "finished",
        "in",
        "0.42s",
    ];
    let mut state = 12345u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let mut out = Vec::new();
    while out.len() < bytes {
        let width = 80 + next(40);
        let mut columns = 0;
        while columns < width {
            let word = words[next(words.len())];
            match next(5) {
                0 => out.extend(format!("\x1b[1;3{}m{word}\x1b[0m ", next(8)).bytes()),
                1 => out.extend(format!("\x1b[38;5;{}m{word}\x1b[39m ", next(16) * 3).bytes()),
                _ => out.extend(format!("{word} ").bytes()),
            }
            columns += word.chars().count() + 1;
        }
        out.extend(b"\r\n");
    }
    out
}

/// Processor time of this thread: what a busy machine does not change. Linux only.
fn now() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

fn main() {
    let data = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path).unwrap_or_default(),
        None => coloured(64 << 20),
    };
    let mut screen = Screen::new(Size::new(120, 40), LINES);
    let start = now();
    for chunk in data.chunks(32 * 1024) {
        screen.feed(chunk);
    }
    let seconds = (now() - start).as_secs_f64();
    let mib = data.len() as f64 / f64::from(1 << 20);
    println!("feed: {mib:.1} MiB in {seconds:.2} s, {:.1} MiB/s", mib / seconds);
    let kib = |bytes: usize| bytes as f64 / 1024.0;
    println!(
        "memory: {} rows of history in {:.0} KiB, all in {:.0} KiB",
        screen.history_len(),
        kib(screen.history_memory()),
        kib(screen.memory())
    );
    for scrollback in [0, 1000, LINES] {
        let start = now();
        let len = screen.snapshot(scrollback).len();
        println!("snapshot({scrollback}): {:.0} KiB in {:.2?}", kib(len), (now() - start));
    }
    for cols in [80, 120] {
        let start = now();
        screen.resize(Size::new(cols, 40));
        println!("resize to {cols}: {:.2?}, {} rows", (now() - start), screen.history_len());
    }
}
