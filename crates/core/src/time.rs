use serde::{Deserialize, Serialize};

/// A moment: milliseconds since the Unix epoch, read from a clock by whoever owns one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// How long ago `earlier` was, in milliseconds; zero when the clock went backwards.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

/// How long the trash keeps a session: 14 days, in milliseconds.
pub const TRASH_KEEPS: i64 = 14 * 24 * 3_600_000;
