use std::time::{Duration, Instant};

use crate::fault::{Result, fault};

/// Longest wait for anything, in seconds.
const LIMIT: u64 = 180;

/// Looks again and again until there is something.
///
/// # Errors
/// When there is nothing for too long, or looking fails.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let deadline = Instant::now() + Duration::from_secs(LIMIT);
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            return fault(format!("{what}: not within {LIMIT} s"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Nanoseconds of the clock that all processes of this machine share.
#[must_use]
pub fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}
