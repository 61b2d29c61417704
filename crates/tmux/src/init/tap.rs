//! The tap helper: tmux starts it with its own end of the stream as stdin.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::fd::AsFd as _;

use crate::fdpass;
use crate::spec::{HandSpec, PaneSpec};
use crate::wire::{self, FromPane, ToPane};

/// How long the init may take to be reachable.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Hands stdin to the init of the pane. Gives the exit code.
#[must_use]
pub fn run_tap(spec: &Path) -> u8 {
    let Ok(spec) = PaneSpec::read(spec) else { return 1 };
    send(spec.pane_sock.path(), &wire::line(&ToPane::Tap { nonce: spec.nonce }))
}

/// Hands stdin, the stream of a pane that is not ours, to the daemon. Gives the exit code.
#[must_use]
pub fn run_hand(spec: &Path) -> u8 {
    let Ok(spec) = HandSpec::read(spec) else { return 1 };
    send(spec.daemon_sock.path(), &wire::line(&FromPane::Hand { nonce: spec.nonce }))
}

fn send(socket: &Path, line: &[u8]) -> u8 {
    let Ok(socket) = UnixStream::connect(socket) else { return 1 };
    if socket.set_write_timeout(Some(TIMEOUT)).is_err() {
        return 1;
    }
    // A fresh socket takes a short line whole.
    match fdpass::send(&socket, line, Some(std::io::stdin().as_fd())) {
        Ok(n) if n == line.len() => 0,
        _ => 1,
    }
}
