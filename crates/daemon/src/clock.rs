use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use qd_core::Millis;

/// Where the time comes from. The only place that reads the system's.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that a test moves by hand; milliseconds since the epoch.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// Now.
    #[must_use]
    pub fn now(&self) -> Millis {
        match self {
            Self::System => system(),
            Self::Manual(millis) => Millis(millis.load(Ordering::Relaxed)),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the clock")]
fn system() -> Millis {
    let since_epoch =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
