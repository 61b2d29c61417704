//! Object names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The full hexadecimal name of a git object: 40 digits (SHA-1) or 64 (SHA-256).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Oid(String);

impl Oid {
    /// Reads a full object name; `None` for anything shorter or stranger.
    pub fn parse(text: &str) -> Option<Self> {
        let well_formed = matches!(text.len(), 40 | 64)
            && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        well_formed.then(|| Self(text.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first ten digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..10]
    }

    /// The name that stands for "no object", in the hash of this one.
    pub(crate) fn zero_alike(&self) -> Self {
        Self("0".repeat(self.0.len()))
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.bytes().all(|b| b == b'0')
    }

    /// The empty blob, in the hash of this one.
    pub(crate) fn empty_blob_alike(&self) -> &'static str {
        if self.0.len() == 64 {
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        } else {
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Oid> for String {
    fn from(oid: Oid) -> Self {
        oid.0
    }
}

impl TryFrom<String> for Oid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no full object name"))
    }
}
