//! Named keys, encoded as a terminal would send them. The one place that knows that Enter is CR.

use qd_core::{Code, Problem};

/// What Enter sends.
pub(crate) const ENTER: &[u8] = b"\r";

/// The bytes of a key name such as `Enter`, `C-c`, `M-x`, `S-Tab` or `Up`, in the mode that the
/// program has set for its cursor keys.
pub(crate) fn encode(name: &str, application_cursor: bool) -> Result<Vec<u8>, Problem> {
    let (modifiers, key) = Modifiers::split(name);
    let bytes = if let Some(bytes) = special(key, modifiers, application_cursor) {
        bytes
    } else {
        character(key, modifiers).ok_or_else(|| unknown(name))?
    };
    Ok(bytes)
}

/// Text as a paste, with markers when the program asked for them. A marker inside the text
/// would end the paste early and let the rest be read as keys, so it is taken out.
pub(crate) fn paste(text: &[u8], bracketed: bool) -> Vec<u8> {
    const END: &[u8] = b"\x1b[201~";
    if !bracketed {
        // A terminal sends CR for a line end; a program that reads lines expects that.
        return text
            .iter()
            .enumerate()
            .filter(|(i, b)| !(**b == b'\n' && *i > 0 && text[i - 1] == b'\r'))
            .map(|(_, b)| if *b == b'\n' { b'\r' } else { *b })
            .collect();
    }
    const BEGIN: &[u8] = b"\x1b[200~";
    let mut out = Vec::with_capacity(text.len() + BEGIN.len() + END.len());
    out.extend_from_slice(BEGIN);
    for byte in text {
        out.push(*byte);
        // Taking one marker out can put another together: that one ends here too, later.
        if out[BEGIN.len()..].ends_with(END) {
            out.truncate(out.len() - END.len());
        }
    }
    out.extend_from_slice(END);
    out
}

#[derive(Clone, Copy, Default)]
struct Modifiers {
    shift: bool,
    alt: bool,
    control: bool,
}

impl Modifiers {
    fn split(name: &str) -> (Self, &str) {
        let mut modifiers = Self::default();
        let mut rest = name;
        loop {
            let (flag, tail) = match rest.as_bytes() {
                [b'C', b'-', _, ..] => (&mut modifiers.control, &rest[2..]),
                [b'M', b'-', _, ..] => (&mut modifiers.alt, &rest[2..]),
                [b'S', b'-', _, ..] => (&mut modifiers.shift, &rest[2..]),
                _ => return (modifiers, rest),
            };
            *flag = true;
            rest = tail;
        }
    }

    /// The number that xterm puts into a sequence; 1 is none.
    fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.control)
    }

    fn any(self) -> bool {
        self.number() > 1
    }
}

fn special(key: &str, modifiers: Modifiers, application: bool) -> Option<Vec<u8>> {
    let number = modifiers.number();
    let cursor = |end: char| {
        if modifiers.any() {
            format!("\x1b[1;{number}{end}")
        } else if application {
            format!("\x1bO{end}")
        } else {
            format!("\x1b[{end}")
        }
    };
    let tilde = |code: u8| {
        if modifiers.any() { format!("\x1b[{code};{number}~") } else { format!("\x1b[{code}~") }
    };
    let function = |end: char| {
        if modifiers.any() { format!("\x1b[1;{number}{end}") } else { format!("\x1bO{end}") }
    };
    // Keys that are one byte: Alt puts an escape before it, sent with it in one write.
    let plain = |byte: u8| {
        let mut bytes = if modifiers.alt { vec![0x1b] } else { vec![] };
        bytes.push(byte);
        bytes
    };
    let text = match key {
        "Enter" | "Return" => return Some(plain(b'\r')),
        "Escape" | "Esc" => return Some(plain(0x1b)),
        "Tab" if modifiers.shift => "\x1b[Z".to_owned(),
        "BTab" => "\x1b[Z".to_owned(),
        "Tab" => return Some(plain(b'\t')),
        "BSpace" | "Backspace" => return Some(plain(if modifiers.control { 8 } else { 0x7f })),
        "Space" => return Some(plain(if modifiers.control { 0 } else { b' ' })),
        "Up" => cursor('A'),
        "Down" => cursor('B'),
        "Right" => cursor('C'),
        "Left" => cursor('D'),
        "Home" => cursor('H'),
        "End" => cursor('F'),
        "Insert" | "IC" => tilde(2),
        "Delete" | "DC" => tilde(3),
        "PageUp" | "PgUp" | "PPage" => tilde(5),
        "PageDown" | "PgDn" | "NPage" => tilde(6),
        "F1" => function('P'),
        "F2" => function('Q'),
        "F3" => function('R'),
        "F4" => function('S'),
        "F5" => tilde(15),
        "F6" => tilde(17),
        "F7" => tilde(18),
        "F8" => tilde(19),
        "F9" => tilde(20),
        "F10" => tilde(21),
        "F11" => tilde(23),
        "F12" => tilde(24),
        _ => return None,
    };
    Some(text.into_bytes())
}

fn character(key: &str, modifiers: Modifiers) -> Option<Vec<u8>> {
    let mut chars = key.chars();
    let c = chars.next()?;
    if chars.next().is_some() {
        return None;
    }
    let mut bytes = if modifiers.alt { vec![0x1b] } else { vec![] };
    if modifiers.control {
        bytes.push(match c {
            'a'..='z' | 'A'..='Z' => (c.to_ascii_lowercase() as u8) - b'a' + 1,
            '@' | ' ' | '2' => 0,
            '[' | '3' => 0x1b,
            '\\' | '4' => 0x1c,
            ']' | '5' => 0x1d,
            '^' | '6' => 0x1e,
            '_' | '/' | '7' | '-' => 0x1f,
            '?' | '8' => 0x7f,
            _ => return None,
        });
    } else {
        let mut buffer = [0; 4];
        let shifted = if modifiers.shift { c.to_ascii_uppercase() } else { c };
        bytes.extend_from_slice(shifted.encode_utf8(&mut buffer).as_bytes());
    }
    Some(bytes)
}

fn unknown(name: &str) -> Problem {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    Problem::new(
        Code::FieldInvalid,
        format!("\u{201c}{shown}\u{201d} is not the name of a key."),
        "Use names such as Enter, Escape, Tab, Up, PageDown, F5, C-c, M-x or S-Tab; send text with `qd send`.",
    )
    .on("keys")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_xterm_sends() {
        let cases: &[(&str, bool, &[u8])] = &[
            ("Enter", false, b"\r"),
            ("Escape", false, b"\x1b"),
            ("C-c", false, b"\x03"),
            ("C-@", false, b"\0"),
            ("C-Space", false, b"\0"),
            ("M-x", false, b"\x1bx"),
            ("M-Enter", false, b"\x1b\r"),
            ("C-M-a", false, b"\x1b\x01"),
            ("S-Tab", false, b"\x1b[Z"),
            ("Up", false, b"\x1b[A"),
            ("Up", true, b"\x1bOA"),
            ("C-Up", true, b"\x1b[1;5A"),
            ("S-F5", false, b"\x1b[15;2~"),
            ("Delete", false, b"\x1b[3~"),
            ("PageDown", false, b"\x1b[6~"),
            ("BSpace", false, b"\x7f"),
            ("\u{e9}", false, "\u{e9}".as_bytes()),
            ("-", false, b"-"),
            ("C--", false, b"\x1f"),
            ("S-a", false, b"A"),
        ];
        for (name, application, bytes) in cases {
            assert_eq!(encode(name, *application).as_deref(), Ok(*bytes), "{name}");
        }
    }

    #[test]
    fn an_unknown_key_is_refused_without_echoing_what_a_terminal_could_obey() {
        let problem = encode("\u{1b}[2J", false).unwrap_err();
        assert!(!problem.message.contains('\u{1b}'), "{problem}");
        assert!(encode("", false).is_err());
        assert!(encode("C-é", false).is_err());
    }

    #[test]
    fn a_paste_cannot_break_out_of_its_markers() {
        assert_eq!(paste(b"a\nb", true), b"\x1b[200~a\nb\x1b[201~");
        assert_eq!(paste(b"x\x1b[201~rm\r", true), b"\x1b[200~xrm\r\x1b[201~");
        assert_eq!(paste(b"x\x1b[20\x1b[201~1~y", true), b"\x1b[200~xy\x1b[201~");
        // Markers within markers, a hundred thousand deep: one pass over them.
        let (heads, tails) = (b"\x1b[20".repeat(100_000), b"1~".repeat(100_000));
        assert_eq!(paste(&[heads, tails].concat(), true), b"\x1b[200~\x1b[201~");
    }

    #[test]
    fn without_markers_a_line_end_is_what_a_keyboard_sends() {
        assert_eq!(paste(b"a\nb\r\nc\rd", false), b"a\rb\rc\rd");
    }
}
