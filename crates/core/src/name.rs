use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a person calls a session: 1 to 200 characters, none of them a control character.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Title(String);

/// A label that a person gives to sessions: 1 to 50 characters, no control character, no
/// white space, no comma.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

/// Why a text cannot be a title or a tag.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// Nothing, or nothing but white space.
    #[error("it is empty")]
    Empty,
    /// More characters than fit.
    #[error("it has {length} characters; {most} is the most")]
    TooLong {
        /// Characters found.
        length: usize,
        /// Characters allowed.
        most: usize,
    },
    /// A control character, which a terminal could obey.
    #[error("it has the control character U+{code:04X} at place {place}")]
    Control {
        /// The code point.
        code: u32,
        /// Its place, counted in characters from 1.
        place: usize,
    },
    /// White space or a comma in a tag.
    #[error("a tag has no white space and no comma")]
    Separator,
}

impl Title {
    /// Characters in the longest title.
    pub const MOST: usize = 200;

    /// Reads a title; white space around it is taken off.
    ///
    /// # Errors
    /// [`NameError`] when it is empty, too long, or has a control character.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        check(text, Self::MOST).map(|text| Self(text.to_owned()))
    }

    /// The title as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Tag {
    /// Characters in the longest tag.
    pub const MOST: usize = 50;

    /// Reads a tag.
    ///
    /// # Errors
    /// [`NameError`] when it is empty, too long, or has a character that a tag cannot have.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = check(text, Self::MOST)?;
        if text.contains(|c: char| c.is_whitespace() || c == ',') {
            return Err(NameError::Separator);
        }
        Ok(Self(text.to_owned()))
    }

    /// The tag as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check(text: &str, most: usize) -> Result<&str, NameError> {
    // Before trimming: a newline at the end is white space, and still not welcome.
    if let Some((index, c)) = text.chars().enumerate().find(|(_, c)| c.is_control()) {
        return Err(NameError::Control { code: u32::from(c), place: index + 1 });
    }
    let text = text.trim();
    if text.chars().all(|c| c.is_whitespace() || is_invisible(c)) {
        return Err(NameError::Empty);
    }
    let length = text.chars().count();
    if length > most { Err(NameError::TooLong { length, most }) } else { Ok(text) }
}

/// Whether a character shows nothing of its own: joiners, marks of direction, fillers, tags.
/// Beside others they are welcome; a name of nothing else could not be seen.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

macro_rules! text_type {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl TryFrom<String> for $name {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                Self::parse(&text)
            }
        }
        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}
text_type!(Title);
text_type!(Tag);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welcomes_any_text_that_only_looks_dangerous() {
        for good in
            ["🚀 ship", "مرحبا", "-x", "$(id)", "a/b", "..", "`id`", "a; rm -rf /", "#{pid}"]
        {
            assert_eq!(Title::parse(good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn refuses_control_characters_and_endless_titles() {
        assert_eq!(Title::parse(" "), Err(NameError::Empty));
        assert_eq!(Title::parse("\u{200b}\u{2060} \u{3164}"), Err(NameError::Empty));
        assert!(Title::parse("\u{1f468}\u{200d}\u{1f4bb}").is_ok(), "joined emoji");
        assert_eq!(Title::parse("a\nb"), Err(NameError::Control { code: 10, place: 2 }));
        assert_eq!(Title::parse("a\u{1b}[0m"), Err(NameError::Control { code: 27, place: 2 }));
        assert_eq!(Title::parse("a\u{85}"), Err(NameError::Control { code: 0x85, place: 2 }));
        let long = "é".repeat(10_000);
        assert_eq!(Title::parse(&long), Err(NameError::TooLong { length: 10_000, most: 200 }));
        assert!(Title::parse(&"é".repeat(200)).is_ok());
    }

    #[test]
    fn a_tag_is_one_word() {
        assert!(Tag::parse("sprint-12").is_ok());
        assert_eq!(Tag::parse("a b"), Err(NameError::Separator));
        assert_eq!(Tag::parse("a,b"), Err(NameError::Separator));
    }
}
