//! What scrolls away, and how much memory it takes.

use qd_screen::{Event, Format, Screen, Size};

/// Ten thousand lines of 80 to 120 columns with some colour.
fn coloured_lines() -> Vec<u8> {
    let words = [
        "error",
        "crates/screen/src/term.rs",
        "restored",
        "8f3a2c1",
        "│",
        "expected",
        "in",
        "—",
        "0.42s",
    ];
    let mut out = Vec::new();
    let mut n = 7usize;
    for line in 0..10_000 {
        let mut columns = 0;
        while columns < 76 + line % 38 {
            n = n.wrapping_mul(1_103_515_245).wrapping_add(12345) % (1 << 31);
            let word = words[n / 65536 % words.len()];
            if (n / 1024).is_multiple_of(4) {
                out.extend(format!("\x1b[1;3{}m{word}\x1b[0m ", n / 4096 % 8).bytes());
            } else {
                out.extend(format!("{word} ").bytes());
            }
            columns += word.chars().count() + 1;
        }
        out.extend(b"\r\n");
    }
    out
}

#[test]
fn ten_thousand_lines_take_about_a_mebibyte() {
    let mut screen = Screen::new(Size::new(120, 40), 10_000);
    let idle = screen.memory();
    assert!(idle < 16 * 1024, "an idle screen takes {idle} bytes");
    screen.feed(&coloured_lines());
    screen.feed(&coloured_lines());
    assert_eq!(screen.history_len(), 10_000);
    let (history, all) = (screen.history_memory(), screen.memory());
    assert!(history < 900 * 1024, "{history} bytes of history");
    assert!(all < 1400 * 1024, "{all} bytes in all");
}

#[test]
fn the_history_keeps_the_last_rows() {
    let mut screen = Screen::new(Size::new(20, 3), 1000);
    for n in 0..5000 {
        screen.feed(format!("\x1b[3{}mline {n}\x1b[m\r\n", n % 8).as_bytes());
    }
    assert_eq!(screen.history_len(), 1000);
    let lines = screen.history(0..2, Format::Plain);
    assert_eq!([&*lines[0].text, &*lines[1].text], ["line 3998", "line 3999"]);
    let lines = screen.history(999..2000, Format::Ansi);
    assert_eq!((lines.len(), &*lines[0].text), (1, "\x1b[35mline 4997\x1b[m"));
}

#[test]
fn a_clear_moves_the_screen_into_the_history_once() {
    let mut screen = Screen::new(Size::new(20, 5), 100);
    screen.feed(b"one\r\ntwo\x1b[2J\x1b[H");
    assert_eq!(screen.history_len(), 2, "as in tmux");
    // A program that repaints everything, over and over.
    for _ in 0..50 {
        screen.feed(b"\x1b[2J\x1b[3J\x1b[Hframe\r\nframe");
    }
    let lines: Vec<_> = screen.history(0..100, Format::Plain).into_iter().map(|l| l.text).collect();
    assert_eq!(lines, ["one", "two"], "repainting leaves no copies, and takes nothing away");
}

#[test]
fn what_a_program_asks_for_is_passed_on_and_not_answered() {
    let mut screen = Screen::new(Size::new(20, 5), 100);
    screen.feed(b"\x1b]0;name\x07\x07\x07\x1b]52;c;aGk=\x1b\\\x1b]52;c;?\x07\x1b]7;file:///x\x07\x1b]9;hi\x07\x1b[c\x1b[6n");
    let (events, dropped) = screen.take_events();
    assert_eq!(dropped, 0);
    assert_eq!(
        events,
        [
            Event::Title("name".into()),
            Event::Bell,
            Event::CopyToClipboard { selection: "c".into(), data: "aGk=".into() },
            Event::Directory("file:///x".into()),
            Event::Osc { code: 9, data: "hi".into() },
        ]
    );
}

#[test]
fn rows_come_back_when_the_screen_grows() {
    let mut screen = Screen::new(Size::new(20, 3), 100);
    screen.feed(b"1\r\n2\r\n3\r\n4\r\n5");
    screen.resize(Size::new(20, 5));
    assert_eq!(screen.lines(), ["1", "2", "3", "4", "5"]);
    assert_eq!((screen.history_len(), screen.cursor().y), (0, 4));
    screen.resize(Size::new(20, 2));
    assert_eq!(screen.lines(), ["4", "5"]);
    assert_eq!(screen.history_len(), 3);
}
