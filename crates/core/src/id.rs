use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The name of a session for its whole life: twelve characters of `[a-z0-9]`, the first a
/// letter, so that it is safe as a tmux session name, a folder and an argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

/// Why a text is not a session id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a session id is {len} characters of a-z and 0-9, the first a letter", len = SessionId::LEN)]
pub struct IdError;

const LETTERS: &[u8; 23] = b"abcdefghjkmnpqrstuvwxyz";
const SYMBOLS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

impl SessionId {
    /// Characters in an id.
    pub const LEN: usize = 12;

    /// Makes an id from random bytes, which the caller draws.
    #[must_use]
    pub fn from_random(bytes: [u8; Self::LEN]) -> Self {
        let mut text = String::with_capacity(Self::LEN);
        for (place, byte) in bytes.into_iter().enumerate() {
            let symbol = if place == 0 {
                LETTERS[usize::from(byte) % LETTERS.len()]
            } else {
                SYMBOLS[usize::from(byte) % SYMBOLS.len()]
            };
            text.push(char::from(symbol));
        }
        Self(text)
    }

    /// Reads an id.
    ///
    /// # Errors
    /// [`IdError`] when the text is not of the form.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let fits = text.len() == Self::LEN
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && text.as_bytes()[0].is_ascii_lowercase();
        if fits { Ok(Self(text.to_owned())) } else { Err(IdError) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SessionId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::parse(&text)
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_random_id_parses() {
        for seed in 0..=255u8 {
            let id = SessionId::from_random([seed; SessionId::LEN]);
            assert_eq!(SessionId::parse(id.as_str()), Ok(id));
        }
    }

    #[test]
    fn refuses_what_could_be_read_as_something_else() {
        for bad in
            ["", "-abcdefghijk", "../../../etc", "ABCDEFGHIJKL", "1bcdefghijkl", "abcdefghijklm"]
        {
            assert_eq!(SessionId::parse(bad), Err(IdError), "{bad}");
        }
    }
}
