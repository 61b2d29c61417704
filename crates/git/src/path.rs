//! Paths inside a repository: bytes, as git keeps them.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// A path relative to the top of a checkout, slash-separated, any bytes but NUL.
///
/// Its text form is the path itself where that is plain, and otherwise escaped so that nothing is
/// lost: `\\`, `\n`, `\r`, `\t`, and `\xHH` for other control characters, for characters that are
/// invisible or turn the reading direction, and for bytes that are not UTF-8.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// Takes the bytes as they are.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes as git has them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for the file system.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    pub(crate) fn as_os_str(&self) -> &OsStr {
        OsStr::from_bytes(&self.0)
    }

    /// Whether it names something in the checkout: no way out of it, and not the checkout itself.
    pub fn is_beneath(&self) -> bool {
        let mut parts = self.as_path().components().peekable();
        parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
    }

    /// Reads the text form back; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some((&first, tail)) = rest.split_first() {
            rest = tail;
            if first != b'\\' {
                bytes.push(first);
                continue;
            }
            let (&kind, tail) = rest.split_first()?;
            rest = tail;
            match kind {
                b'\\' => bytes.push(b'\\'),
                b'n' => bytes.push(b'\n'),
                b'r' => bytes.push(b'\r'),
                b't' => bytes.push(b'\t'),
                b'x' => {
                    let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                    bytes.push(u8::from_str_radix(digits, 16).ok()?);
                    rest = &rest[2..];
                }
                _ => return None,
            }
        }
        (!bytes.contains(&0)).then_some(Self(bytes))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\\' => f.write_str("\\\\")?,
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    '\t' => f.write_str("\\t")?,
                    c if is_hidden(c) => {
                        let mut buffer = [0; 4];
                        for byte in c.encode_utf8(&mut buffer).bytes() {
                            write!(f, "\\x{byte:02x}")?;
                        }
                    }
                    c => write!(f, "{c}")?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Characters that a reader cannot see, or that change how the others are read.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.to_string()
    }
}

impl TryFrom<String> for RepoPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no escaped path"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_out_of_the_checkout_is_seen() {
        for out in ["", "/etc/passwd", "..", "../x", "a/../../x", "a/..", ".", "./x"] {
            assert!(!RepoPath::from_bytes(out).is_beneath(), "{out:?}");
        }
        for fine in ["a", "a/b", "..a/b", ".git", "a b\n", "-x"] {
            assert!(RepoPath::from_bytes(fine).is_beneath(), "{fine:?}");
        }
    }

    #[test]
    fn text_form_is_readable_and_loses_nothing() {
        for (bytes, text) in [
            (&b"src/main.rs"[..], "src/main.rs"),
            ("Aufträge Q3/B1 — Plan.md".as_bytes(), "Aufträge Q3/B1 — Plan.md"),
            (b"a\nb\\c\"d", "a\\nb\\\\c\"d"),
            (b"\xff\x01", "\\xff\\x01"),
            ("a\u{202e}b".as_bytes(), "a\\xe2\\x80\\xaeb"),
        ] {
            let path = RepoPath::from_bytes(bytes);
            assert_eq!(path.to_string(), text);
            assert_eq!(RepoPath::parse(text), Some(path));
        }
        assert_eq!(RepoPath::parse("a\\q"), None);
        assert_eq!(RepoPath::parse("a\\x0"), None);
        assert_eq!(RepoPath::parse("a\\x00"), None);
    }
}
