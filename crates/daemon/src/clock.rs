use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use qd_core::Millis;
use tokio_util::sync::CancellationToken;

/// How often a clock that is moved by hand is looked at.
const LOOK: Duration = Duration::from_millis(20);

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

    /// Time that has passed for certain since some moment of this process: it never jumps.
    #[must_use]
    pub(crate) fn uptime(&self) -> Duration {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        match self {
            Self::System => FIRST.elapsed(),
            Self::Manual(_) => Duration::from_millis(self.now().0.unsigned_abs()),
        }
    }

    /// Waits until so much time has passed; false when it was called off before.
    pub(crate) async fn wait(&self, wait: Duration, stop: &CancellationToken) -> bool {
        let by = self.uptime() + wait;
        let passes = async {
            match self {
                Self::System => tokio::time::sleep(wait).await,
                Self::Manual(_) => {
                    while self.uptime() < by {
                        tokio::time::sleep(LOOK).await;
                    }
                }
            }
        };
        tokio::select! {
            () = passes => true,
            () = stop.cancelled() => false,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the clock")]
fn system() -> Millis {
    let since_epoch =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
