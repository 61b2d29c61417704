//! Our screen against tmux's.

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use qd_screen::{Format, MouseEncoding, MouseMode, Screen, Size};

use crate::{
    stream,
    tmux::{Shown, Tmux},
};

/// The facts that tmux was asked for, from our screen.
fn facts(screen: &Screen) -> String {
    let (cursor, modes) = (screen.cursor(), screen.modes());
    let flag = u8::from;
    format!(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
        cursor.y,
        flag(modes.alternate),
        flag(modes.insert),
        flag(modes.autowrap),
        flag(modes.origin),
        flag(modes.application_keypad),
        flag(modes.application_cursor),
        flag(modes.mouse == MouseMode::Buttons),
        flag(modes.mouse == MouseMode::Drag),
        flag(modes.mouse == MouseMode::Motion),
        flag(modes.mouse_encoding == MouseEncoding::Sgr),
        flag(cursor.visible),
        screen.scroll_region().0,
        screen.scroll_region().1,
        screen.history_len(),
    )
}

/// The first difference, in words.
pub fn difference(screen: &Screen, shown: &Shown) -> Option<String> {
    let ours = facts(screen);
    if ours != shown.facts {
        return Some(format!("facts:\n  ours {ours}\n  tmux {}", shown.facts));
    }
    // When the alternate screen shrinks, tmux leaves the cursor outside; the next character wraps.
    let x = screen.cursor().x + u16::from(screen.cursor().pending_wrap);
    if x != shown.x.min(screen.size().cols()) {
        return Some(format!("column {x}, tmux {}", shown.x));
    }
    let mut lines = screen.history(0..usize::MAX, Format::Ansi);
    lines.extend(screen.screen(Format::Ansi));
    if lines.len() != shown.rows.len() {
        return Some(format!("{} rows, tmux has {}", lines.len(), shown.rows.len()));
    }
    // What tmux captured, drawn by itself: SGR goes on from row to row there.
    // On the alternate screen the history still has rows of an earlier, larger width.
    let size = Size::new(200, shown.rows.len() as u16);
    let mut theirs = Screen::new(size, 0);
    theirs.feed(b"\x1b)0");
    theirs.feed(shown.rows.join("\r\n").as_bytes());
    let mut ours = Screen::new(size, 0);
    let rows: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    ours.feed(rows.join("\r\n").as_bytes());
    for y in 0..size.rows() {
        for x in 0..screen.size().cols() {
            let (mut a, b) = (ours.cell(x, y)?, theirs.cell(x, y)?);
            a.link = None;
            // A cell that was erased but never written is not in the capture.
            let beyond = b.text == " " && b.fg == Default::default() && b.bg == Default::default();
            if beyond && a.text == " " && a.attrs == b.attrs {
                continue;
            }
            if a != b {
                let (l, t) = (&rows[usize::from(y)], &shown.rows[usize::from(y)]);
                return Some(format!(
                    "cell {x} of row {y} ({} of history)\n  ours {a:?}\n  tmux {b:?}\n  ours {l:?}\n  tmux {t:?}",
                    shown.history,
                ));
            }
        }
    }
    None
}

/// Cases that are the same in every run, and others with `PROPTEST_CASES`.
fn runner() -> (TestRunner, u32) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    match cases {
        Some(cases) => (TestRunner::new(Config::default()), cases),
        None => {
            let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            (TestRunner::new_with_rng(Config::default(), rng), 40)
        }
    }
}

fn compare(size: Size, streams: impl Strategy<Value = Vec<stream::Bytes>>, resizes: bool) {
    let Some(tmux) = Tmux::start(size) else { return };
    let (mut runner, cases) = runner();
    for case in 0..cases {
        let (mut pane, mut screen) = tmux.pane(size);
        let mut fed = String::new();
        for part in 0..if resizes { 4 } else { 1 } {
            let tokens = streams.new_tree(&mut runner).unwrap().current();
            let bytes = stream::concat(&tokens);
            fed += &format!("{tokens:?}\n");
            let shown = tmux.feed(&mut pane, &mut screen, &bytes, &format!("case {case} {part}"));
            if let Some(difference) = difference(&screen, &shown) {
                panic!("after {fed}{difference}");
            }
            if resizes {
                let (cols, rows) = (8..60u16, 2..20u16).new_tree(&mut runner).unwrap().current();
                let size = Size::new(cols, rows);
                fed += &format!("{size:?}\n");
                screen.resize(size);
                tmux.resize(&pane, size);
                let shown = tmux.feed(&mut pane, &mut screen, b"", &format!("sized {case} {part}"));
                if let Some(difference) = difference(&screen, &shown) {
                    panic!("after {fed}{difference}");
                }
            }
        }
        tmux.close(pane);
    }
}

#[test]
fn ascii_and_all_sequences_are_drawn_as_in_tmux() {
    compare(Size::new(30, 8), stream::ascii_tokens(60), false);
}

#[test]
fn all_characters_are_drawn_as_in_tmux() {
    compare(Size::new(30, 8), stream::text_tokens(60), false);
}

#[test]
fn lines_are_wrapped_anew_as_in_tmux() {
    compare(Size::new(30, 8), stream::flow_tokens(40), true);
}
