//! What draws a screen that was captured from tmux.

use std::io::Write as _;

use qd_tmux::pane::Snapshot;

/// Bytes that draw a captured screen, with its history, on an empty terminal of its size.
pub(crate) fn redraw(shot: &Snapshot) -> Vec<u8> {
    let mut out = Vec::with_capacity(shot.lines.len() + 256);
    if !shot.title.is_empty() && !shot.title.contains(char::is_control) {
        put(&mut out, format_args!("\x1b]2;{}\x1b\\", shot.title));
    }
    match &shot.primary {
        Some(primary) if shot.alternate => {
            // What is captured of the alternate screen has no history of its own.
            let history = lines(&shot.lines);
            let screen = history.len().saturating_sub(usize::from(shot.size.1));
            rows(&mut out, &history[..screen]);
            if screen > 0 {
                out.extend_from_slice(b"\r\n");
            }
            rows(&mut out, &lines(primary));
            out.extend_from_slice(b"\x1b[m\x1b[?1049h\x1b[H");
            rows(&mut out, &history[screen..]);
        }
        _ => {
            rows(&mut out, &lines(&shot.lines));
            if shot.alternate {
                out.extend_from_slice(b"\x1b[m\x1b[?1049h\x1b[H");
            }
        }
    }
    out.extend_from_slice(b"\x1b[m");
    if shot.scroll_region.1 > shot.scroll_region.0 {
        let (top, bottom) = (shot.scroll_region.0 + 1, shot.scroll_region.1 + 1);
        if (top, bottom) != (1, shot.size.1) {
            put(&mut out, format_args!("\x1b[{top};{bottom}r"));
        }
    }
    let modes = [
        (shot.application_cursor, "\x1b[?1h"),
        (shot.application_keypad, "\x1b="),
        (shot.insert, "\x1b[4h"),
        (!shot.wrap, "\x1b[?7l"),
        (shot.origin, "\x1b[?6h"),
        (shot.mouse.0, "\x1b[?1000h"),
        (shot.mouse.1, "\x1b[?1002h"),
        (shot.mouse.2, "\x1b[?1003h"),
        (shot.mouse_sgr, "\x1b[?1006h"),
        (!shot.cursor_visible, "\x1b[?25l"),
    ];
    for (on, sequence) in modes {
        if on {
            out.extend_from_slice(sequence.as_bytes());
        }
    }
    let top = if shot.origin { shot.scroll_region.0 } else { 0 };
    let (x, y) = (shot.cursor.0 + 1, shot.cursor.1.saturating_sub(top) + 1);
    put(&mut out, format_args!("\x1b[{y};{x}H"));
    out
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').collect()
}

fn rows(out: &mut Vec<u8>, rows: &[&[u8]]) {
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            out.extend_from_slice(b"\x1b[m\r\n");
        }
        out.extend_from_slice(row);
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector does not fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use qd_screen::{Screen, Size};

    use super::*;

    fn shot(lines: &str) -> Snapshot {
        Snapshot {
            size: (10, 3),
            cursor: (2, 1),
            cursor_visible: true,
            wrap: true,
            scroll_region: (0, 2),
            lines: lines.as_bytes().to_vec(),
            ..Snapshot::default()
        }
    }

    fn drawn(shot: &Snapshot) -> Screen {
        let mut screen = Screen::new(Size::new(shot.size.0, shot.size.1), 100);
        screen.feed(&redraw(shot));
        screen
    }

    #[test]
    fn history_screen_and_cursor_are_where_they_were() {
        let screen = drawn(&shot("old 1\nold 2\n0123456789\n\x1b[31mred\n\n"));
        assert_eq!(screen.lines(), ["0123456789", "red", ""]);
        assert_eq!(screen.history_len(), 2);
        assert_eq!((screen.cursor().x, screen.cursor().y), (2, 1));
    }

    #[test]
    fn the_primary_screen_lies_beneath_the_alternate_one() {
        let mut shot = shot("top\nmid\nlow\n");
        shot.alternate = true;
        shot.primary = Some(b"$ vim\n\n\n".to_vec());
        let mut screen = drawn(&shot);
        assert!(screen.modes().alternate);
        assert_eq!(screen.lines(), ["top", "mid", "low"]);
        screen.feed(b"\x1b[?1049l");
        assert_eq!(screen.lines(), ["$ vim", "", ""]);
    }
}
