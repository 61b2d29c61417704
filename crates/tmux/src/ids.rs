//! Addresses: of sessions of ours, and of what tmux calls `$1`, `@1` and `%1`.

use serde::{Deserialize, Serialize};

/// The key of one session of ours: 1 to 40 of `a-z` and `0-9`.
///
/// The tmux session is called `qd-KEY`. The alphabet is narrow so that the name
/// means the same in a tmux target, a file name and a shell word.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionKey(String);

impl SessionKey {
    /// The longest key, in bytes.
    pub const MAX_LEN: usize = 40;

    /// Takes a key; `None` when it has another alphabet or length.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let ok = (1..=Self::MAX_LEN).contains(&key.len())
            && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        ok.then(|| Self(key.to_owned()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the tmux session.
    #[must_use]
    pub fn tmux_name(&self) -> String {
        format!("qd-{}", self.0)
    }
}

impl std::fmt::Display for SessionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SessionKey {
    type Error = String;
    fn try_from(value: String) -> std::result::Result<Self, String> {
        Self::new(&value).ok_or_else(|| format!("not a session key: {value:?}"))
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.0
    }
}

/// One life of a tmux server. Ids such as `%0` start again with each life, so
/// an id alone is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Generation {
    /// Process id of the server.
    pub pid: u32,
    /// When it started: seconds since 1970, as the server itself says.
    pub start_time: u64,
}

macro_rules! fmt_id {
    ($sigil:literal) => {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}{}", $sigil, self.0)
        }
    };
}

macro_rules! tmux_id {
    ($(#[$doc:meta])* $name:ident, $sigil:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// Reads the form that tmux prints.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                text.strip_prefix($sigil)?.parse().ok().map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fmt_id!($sigil);
        }
    };
}

tmux_id!(
    /// tmux's `%N`.
    PaneId,
    '%'
);
tmux_id!(
    /// tmux's `@N`.
    WindowRef,
    '@'
);
tmux_id!(
    /// tmux's `$N`.
    SessionRef,
    '$'
);

/// The full address of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PaneRef {
    /// The life of the server that it lives in.
    pub generation: Generation,
    /// The tmux session that holds it.
    pub session: SessionRef,
    /// The window that holds it.
    pub window: WindowRef,
    /// The pane.
    pub pane: PaneId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_and_print_alike() {
        assert_eq!(PaneId::parse("%12"), Some(PaneId(12)));
        assert_eq!(PaneId(12).to_string(), "%12");
        assert_eq!(SessionRef(3).to_string(), "$3");
        assert_eq!(WindowRef::parse("%3"), None);
        assert_eq!(PaneId::parse("%"), None);
    }

    #[test]
    fn keys_keep_to_their_alphabet() {
        assert!(SessionKey::new("a1b2").is_some());
        for bad in ["", "A", "a-b", "a:b", "é", &"a".repeat(41)] {
            assert!(SessionKey::new(bad).is_none(), "{bad:?}");
        }
    }
}
