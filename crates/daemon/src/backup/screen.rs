//! The screen of a session that runs, in the form in which the home keeps those of others.

use std::fmt::Write as _;

use qd_api::ScreenReply;

/// What goes into the files `screen` and `output`: a drawing of the screen with its history, and
/// the last output from byte `start` on, as far as the screen shows it.
#[must_use]
pub fn kept_screen(screen: &ScreenReply, start: u64, output: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let size = (screen.cols, screen.rows);
    let mut drawing = format!("qd-screen 1 {} {} {}\n", screen.seq, size.0, size.1);
    drawing.push_str(&screen.lines.join("\r\n"));
    // Where the cursor stood, counted from 1.
    let cursor = &screen.cursor;
    let _ = write!(drawing, "\x1b[m\x1b[{};{}H", u32::from(cursor.y) + 1, u32::from(cursor.x) + 1);
    let shown = usize::try_from(screen.seq.saturating_sub(start)).unwrap_or(usize::MAX);
    // What is older than the ring has no numbers here: nobody is resumed from before it.
    let known = output.get(..shown).unwrap_or(output);
    let start = screen.seq - known.len() as u64;
    let head = format!("qd-output 2 {start} {start}\n");
    (drawing.into_bytes(), [head.as_bytes(), known].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_after_the_screen_is_cut_off() {
        let screen = serde_json::json!({
            "cols": 80, "rows": 2, "seq": 105, "lines": ["\u{1b}[31mred\u{1b}[m", "two"],
            "cursor": {"x": 3, "y": 1, "visible": true}, "title": "",
            "modes": {"alternate": false, "bracketed_paste": false, "mouse": "off",
                "application_cursor": false, "focus": false},
        });
        let screen: ScreenReply = serde_json::from_value(screen).unwrap();
        let (drawing, output) = kept_screen(&screen, 100, b"abcdefgh");
        assert_eq!(
            String::from_utf8(drawing).unwrap(),
            "qd-screen 1 105 80 2\n\u{1b}[31mred\u{1b}[m\r\ntwo\u{1b}[m\u{1b}[2;4H"
        );
        assert_eq!(output, b"qd-output 2 100 100\nabcde");
        // The ring moved on between the two.
        assert_eq!(kept_screen(&screen, 110, b"xyz").1, b"qd-output 2 105 105\n");
    }
}
