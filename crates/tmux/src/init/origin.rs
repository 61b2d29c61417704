//! The tmux server that made the pane.

use std::time::{Duration, Instant};

use rustix::process::{Pid, getppid};

/// How long a server may take to be gone after its terminals are.
const LIMIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);

/// The server as the parent that we were born to.
pub(crate) struct Origin(Option<Pid>);

impl Origin {
    pub(crate) fn of_this_pane() -> Self {
        Self(getppid())
    }

    /// Whether the server has ended. Asked once the terminal is gone: where a person closed the
    /// pane, the server is there still, and this takes two seconds.
    pub(crate) fn is_gone(&self) -> bool {
        let start = Instant::now();
        loop {
            if getppid() != self.0 {
                return true;
            }
            if start.elapsed() > LIMIT {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
    }
}
