//! The text that the benches print: coloured, and the same in every run.

const WORDS: [&str; 24] = [
    "error",
    "warning",
    "src/session/terminal.rs",
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
    "v1.50.0",
    "\u{2014}",
    "expected",
    "struct",
    "found",
    "\u{2502}",
    "+",
    "-",
    "ok",
    "finished",
    "0.42s",
];

/// Lines as compilers and agents print them, 80 to 110 columns, some colours; about so many bytes.
#[must_use]
pub fn coloured(bytes: usize) -> Vec<u8> {
    let mut numbers = Numbers(12345);
    let mut out = Vec::with_capacity(bytes + 256);
    while out.len() < bytes {
        let width = 80 + numbers_below(&mut numbers, 30);
        line(&mut numbers, width, &mut out);
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// So many numbered lines of 80 columns, some colours.
#[must_use]
pub fn history(lines: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(lines * 100);
    for number in 0..lines {
        let colour = 31 + number % 6;
        out.extend_from_slice(
            format!("\x1b[1;{colour}m{number:06}\x1b[0m the session has been restored from ")
                .as_bytes(),
        );
        out.extend_from_slice(
            format!("commit \x1b[38;5;{}m8f3a2c1\x1b[39m in 10.42s, all are well\r\n", number % 16)
                .as_bytes(),
        );
    }
    out
}

/// Numbered plain lines of 72 bytes, line ends included, with no line end after the last.
#[must_use]
pub fn numbered(bytes: usize) -> Vec<String> {
    (0..bytes / 72).map(|number| format!("{number:08} {:x<61}", "")).collect()
}

fn line(numbers: &mut Numbers, width: usize, out: &mut Vec<u8>) {
    let mut columns = 0;
    while columns < width {
        let word = WORDS[numbers_below(numbers, WORDS.len())];
        let text = match numbers_below(numbers, 5) {
            0 => format!("\x1b[1;3{}m{word}\x1b[0m ", numbers_below(numbers, 8)),
            1 => format!("\x1b[38;5;{}m{word}\x1b[39m ", numbers_below(numbers, 16) * 3),
            _ => format!("{word} "),
        };
        out.extend_from_slice(text.as_bytes());
        columns += word.chars().count() + 1;
    }
}

/// A linear congruential generator: the same text in every run.
struct Numbers(u32);

fn numbers_below(numbers: &mut Numbers, below: usize) -> usize {
    numbers.0 = numbers.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (numbers.0 >> 8) as usize % below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_same_every_time_and_about_as_long_as_asked() {
        let text = coloured(100_000);
        assert_eq!(text, coloured(100_000));
        assert!((100_000..100_400).contains(&text.len()));
        assert!(numbered(720).iter().all(|line| line.len() == 70));
    }

    #[test]
    fn lines_of_history_have_80_columns() {
        let mut screen = qd_screen::Screen::new(qd_screen::Size::new(200, 4), 10);
        screen.feed(&history(2));
        assert_eq!(screen.lines()[0].chars().count(), 80);
    }
}
