use serde::Serialize;

/// A character that is not seen, or changes how others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hidden {
    /// Where it stands, in bytes.
    pub at: usize,
    /// Its number.
    pub code: u32,
    /// What it is, in plain words.
    pub what: &'static str,
}

/// The hidden characters of a text, in order.
#[must_use]
pub fn hidden(text: &str) -> Vec<Hidden> {
    let mut found = vec![];
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        // Emoji are put together with these.
        let joins = matches!(c, '\u{200d}' | '\u{fe0f}') && !before.is_ascii();
        let joins = joins && (c == '\u{fe0f}' || !after.is_ascii());
        if let Some(what) = what(c).filter(|_| !joins) {
            found.push(Hidden { at, code: u32::from(c), what });
        }
        before = c;
    }
    found
}

const fn what(c: char) -> Option<&'static str> {
    Some(match c {
        '\n' | '\t' => return None,
        '\r' => "a carriage return, which hides what stands before it",
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => "a control character",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}' | '\u{200e}' | '\u{200f}' => {
            "a mark that turns the order of the text"
        }
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{feff}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{206a}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}' => "a character that takes no room",
        '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}' => "a blank that is none for the shell",
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => "a character without a meaning",
        '\u{e0000}'..='\u{effff}' => "a tag, which is not seen",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_found_and_letters_are_not() {
        for bad in
            ["a\u{202e}b", "git\u{200b}", "a\0", "a\r\n", "a\u{a0}b", "\u{e0041}", "\u{1b}[2J"]
        {
            assert_eq!(hidden(bad).len(), 1, "{bad:?}");
        }
        for fine in ["a\tb\n", "Grüße, мир, 世界", "🚀", "👩\u{200d}👧", "❤\u{fe0f}"]
        {
            assert!(hidden(fine).is_empty(), "{fine:?}");
        }
        assert_eq!(hidden("ab\u{200b}")[0].at, 2);
    }
}
