/// Words split as a POSIX shell splits them, without any expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Vec<String>);

/// Reads the words of a command line: white space parts them; single quotes keep all, double
/// quotes all but `\` before `"`, `\`, `$`, `` ` `` and a newline; `\` keeps the next character.
/// Nothing else means anything: no variables, no patterns, no `~`, no comments.
///
/// # Errors
/// One sentence, when a quote is not closed, a backslash is last, or there is no word.
pub fn split(text: &str) -> Result<Words, String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => single(&mut chars, word.get_or_insert_default())?,
            '"' => double(&mut chars, word.get_or_insert_default())?,
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err("a backslash is last, with nothing to keep".to_owned()),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if words.is_empty() { Err("there is no word in it".to_owned()) } else { Ok(Words(words)) }
}

/// A word as it can be given to a shell, as an argument that is no option.
pub fn quote(word: &str) -> String {
    if word.starts_with('-') { format!("-- {}", single_quoted(word)) } else { quote_value(word) }
}

/// A word as it can be given to a shell where it cannot be taken for an option.
pub fn quote_value(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    single_quoted(word)
}

fn single_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn single(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    for c in chars {
        if c == '\'' {
            return Ok(());
        }
        word.push(c);
    }
    Err("a single quote is not closed".to_owned())
}

fn double(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err("a double quote is not closed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_a_shell_would_give() {
        let cases: &[(&str, &[&str])] = &[
            ("a b", &["a", "b"]),
            ("  a\t b\n", &["a", "b"]),
            ("'a b' \"c d\"", &["a b", "c d"]),
            ("a'b'\"c\"d", &["abcd"]),
            ("''", &[""]),
            ("a '' b", &["a", "", "b"]),
            (r"a\ b \\ \'", &["a b", "\\", "'"]),
            (r#""a\"b\\c\$d\`e\nf""#, &[r#"a"b\c$d`e\nf"#]),
            (r"'a\b'", &[r"a\b"]),
            ("a\\\nb \"c\\\nd\"", &["ab", "cd"]),
            ("echo $HOME * ~ # x; y | z", &["echo", "$HOME", "*", "~", "#", "x;", "y", "|", "z"]),
            ("é '🚀 x'", &["é", "🚀 x"]),
        ];
        for (text, words) in cases {
            assert_eq!(split(text).unwrap().0, *words, "{text}");
        }
    }

    #[test]
    fn what_is_quoted_is_read_back() {
        for word in ["a", "a b", "it's", "\"x\" $HOME `y` \\", "é 🚀"] {
            assert_eq!(split(&quote(word)).unwrap().0, [word], "{word}");
        }
        assert_eq!(quote("-x"), "-- '-x'");
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        for text in ["'a", "a \"b", "\"a\\\"", "a\\", "", "  ", "\\\n", "\"\\"] {
            assert!(split(text).is_err(), "{text}");
        }
    }

    /// The system's own shell agrees, for text in which it expands nothing.
    #[test]
    fn a_shell_agrees() {
        for text in [r#"a "b 'c' \" d" 'e "f" \' g\ h"#, r#"x''y "" \"z"#, r#""\a" '\\' \\\\"#] {
            let out = crate::process::command("sh")
                .args(["-c", &format!("printf '%s\\n' {text}")])
                .output()
                .unwrap();
            let told = String::from_utf8(out.stdout).unwrap();
            assert_eq!(split(text).unwrap().0, told.lines().collect::<Vec<_>>(), "{text}");
        }
    }
}
