//! Input that wants to hurt.

use proptest::{collection::vec, prelude::*};
use qd_screen::{Screen, Size};

use crate::stream;

proptest! {
    #![proptest_config(stream::config())]

    #[test]
    fn any_size_takes_any_stream(
        sizes in vec((0..120u16, 0..60u16), 1..6), streams in vec((stream::tokens(20), stream::noise()), 6),
    ) {
        let mut screen = Screen::new(Size::new(0, 0), 30);
        for ((cols, rows), (tokens, noise)) in sizes.into_iter().zip(streams) {
            screen.resize(Size::new(cols, rows));
            screen.feed(&stream::concat(&tokens));
            screen.feed(&noise.0);
            let size = screen.size();
            prop_assert_eq!((size.cols(), size.rows()), (cols.max(1), rows.max(1)));
            prop_assert_eq!(screen.lines().len(), usize::from(size.rows()));
            prop_assert!(screen.history_len() <= 30);
            screen.snapshot(usize::MAX);
            screen.screen_ansi();
        }
    }
}

/// Size of a usual session.
const USUAL: (u16, u16) = (120, 40);
const MIB: usize = 1 << 20;

fn usual() -> Screen {
    Screen::new(Size::new(USUAL.0, USUAL.1), 10_000)
}

#[test]
fn a_size_is_clamped() {
    let size = |cols, rows| {
        let size = Screen::new(Size::new(cols, rows), 0).size();
        (size.cols(), size.rows())
    };
    assert_eq!(size(0, 0), (1, 1));
    assert_eq!(size(1000, 500), (1000, 500));
    assert_eq!(size(u16::MAX, u16::MAX), (Size::MAX_COLS, Size::MAX_ROWS));
}

#[test]
fn a_huge_command_is_dropped_and_forgotten() {
    let mut screen = usual();
    screen.feed(b"\x1b]2;before\x07\x1b]2;");
    screen.feed(&vec![b'x'; MIB]);
    assert!(screen.snapshot(0).len() < 4096, "the payload is in the snapshot");
    screen.feed(b"\x07after");
    assert_eq!((screen.title(), &*screen.lines()[0]), ("before", "after"));
    assert!(screen.memory() < MIB / 2);
}

#[test]
fn huge_numbers_do_nothing_bad() {
    let mut screen = usual();
    for last in b'@'..=b'~' {
        for number in ["65535", "65536", "2147483647", "2147483648", "99999999999999999999"] {
            screen.feed(format!("abc\x1b[{number};{number}{}", char::from(last)).as_bytes());
        }
        screen.feed(format!("\x1b[{}{}", "1;".repeat(500), char::from(last)).as_bytes());
        screen.feed(format!("\x1b[{}{}", "9".repeat(5000), char::from(last)).as_bytes());
    }
    assert_eq!(screen.lines().len(), usize::from(USUAL.1));
}

#[test]
fn a_line_of_a_mebibyte_wraps() {
    let mut screen = usual();
    screen.feed(&vec![b'y'; MIB]);
    let rows = MIB.div_ceil(USUAL.0.into());
    assert_eq!(screen.history_len(), rows - usize::from(USUAL.1));
    screen.resize(Size::new(200, 40));
    screen.resize(Size::new(USUAL.0, USUAL.1));
    assert_eq!(screen.history_len(), rows - usize::from(USUAL.1));
}

#[test]
fn unlike_cells_cannot_take_unbounded_memory() {
    let mut screen = usual();
    for n in 0..50_000u32 {
        let [_, r, g, b] = n.wrapping_mul(2_654_435_761).to_be_bytes();
        screen
            .feed(format!("\x1b[38;2;{r};{g};{b}m\x1b]8;;https://example.org/{n}\x07e").as_bytes());
        screen.feed("\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}\u{309}".as_bytes());
    }
    assert!(screen.memory() < 6 * MIB, "{} bytes", screen.memory());
    let (events, _) = screen.take_events();
    assert!(events.is_empty());
}

#[test]
fn events_are_bounded_and_counted() {
    let mut screen = usual();
    for n in 0..1000 {
        screen.feed(format!("\x1b]9;note {n}\x07\x07").as_bytes());
    }
    let (events, dropped) = screen.take_events();
    // Bells in a row are one, also the last one of a full queue.
    assert_eq!((events.len(), dropped), (64, 968));
    assert_eq!(screen.take_events(), (Vec::new(), 0));
}
