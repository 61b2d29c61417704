//! The pane of the control client's session.

use std::io::Read as _;

use super::signals;

/// Waits until the terminal hangs up. Gives the exit code.
#[must_use]
pub fn run_hold() -> u8 {
    signals::block_job_control();
    // SIGHUP ends it; else the end of its input does.
    let mut buffer = [0; 256];
    while let Ok(1..) = std::io::stdin().read(&mut buffer) {}
    0
}
