use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Prints one line on stdout.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Prints bytes on stdout as they are.
pub fn raw(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints one JSON value on stdout, on one line.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(&serde_json::to_string(value)?)
}

/// Prints a line for people on stderr.
pub fn note(text: &str) {
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Whether a person looks at stdout.
pub fn at_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether colours are welcome on stdout: at a terminal, unless `NO_COLOR` is set.
pub fn colours() -> bool {
    at_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Columns of the terminal on stdout.
pub fn width() -> Option<usize> {
    if !at_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// The text without control characters, which a terminal would obey; tabs and newlines stay.
pub fn plain(text: &str) -> String {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().map(|c| if obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// The text for one row of a table or one line: also without tabs and newlines, and with what is
/// not seen, or turns the order of what follows, made visible.
pub fn one_line(text: &str) -> String {
    let odd = |c: char| c == '\n' || c == '\t' || is_hidden(c);
    plain(text).chars().map(|c| if odd(c) { '\u{fffd}' } else { c }).collect()
}

/// Characters that take no room, or change the direction of others: with them a title or a branch
/// can be made to look like another. Joiners and selectors are left, as emoji and scripts need
/// them.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e001f}'
    )
}

/// A title in quotation marks.
pub fn quoted(title: &str) -> String {
    format!("\u{201c}{}\u{201d}", one_line(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(plain("a\u{1b}]0;x\u{7}b\u{9b}c\td\n"), "a\u{fffd}]0;x\u{fffd}b\u{fffd}c\td\n");
        assert_eq!(plain("🚀 مرحبا"), "🚀 مرحبا");
    }

    #[test]
    fn a_line_is_one_line_and_hides_nothing() {
        assert_eq!(one_line("a\nb\tc\u{202e}d\u{200b}"), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}");
        for fine in ["🚀 مرحبا", "👩\u{200d}👩\u{200d}👧", "❤\u{fe0f}", "می\u{200c}خواهم"]
        {
            assert_eq!(one_line(fine), fine);
        }
    }
}
