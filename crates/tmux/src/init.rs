//! What runs inside a pane. Plain blocking code: no runtime, no threads, little
//! memory, since there is one for each session for as long as it lives.
//!
//! - `init SPEC`: the pane's own process and the parent of the program. It waits
//!   for the program and tells the daemon how it ended; keeps the pane until
//!   told to leave; is the subreaper of all that the program starts and ends
//!   that tree when told to, or when its terminal hangs up; keeps a duplicate of
//!   the pane's stream and drains it into a bounded spool while no daemon is
//!   there. While one is, it copies no bytes.
//! - `exec SPEC`: the program's first moment: waits until it is in the
//!   foreground, then becomes the program.
//! - `tap SPEC`: hands its stdin, tmux's socket, to the init and exits.
//! - `hand SPEC`: hands its stdin, the stream of a pane that is not ours, to the daemon.
//! - `hold`: the pane of the control client's session; waits for the hang-up.
//!
//! Tried and found: the init must not be in the program's process group (a
//! program that stops itself would stay frozen, as nobody is there to type `fg`),
//! it has to continue a stopped program, and it swallows the hang-up of the
//! terminal: only the session leader is told, so ending the tree is its duty.

mod ending;
mod exec;
mod hold;
mod origin;
mod peers;
mod program;
mod run;
mod signals;
mod spool;
mod tap;
mod terminal;
mod tree;

use std::ffi::{OsStr, OsString};
use std::path::Path;

pub use exec::run_exec;
pub use hold::run_hold;
#[cfg(test)]
pub(crate) use peers::Peer;
pub use run::run_init;
pub(crate) use spool::older as older_spool;
pub use tap::{run_hand, run_tap};

/// Runs `internal WORD [SPEC]` when these words (without the program's name) are
/// that, and gives the code to exit with. Call it before anything else starts.
#[must_use]
pub fn dispatch(words: &[OsString]) -> Option<u8> {
    let [internal, rest @ ..] = words else { return None };
    if internal != OsStr::new("internal") {
        return None;
    }
    let words: Vec<&str> = rest.iter().take(1).filter_map(|w| w.to_str()).collect();
    let spec = rest.get(1).map(Path::new);
    Some(match (words.first().copied(), spec) {
        (Some("hold"), None) => run_hold(),
        (Some("init"), Some(spec)) => run_init(spec),
        (Some("exec"), Some(spec)) => run_exec(spec),
        (Some("tap"), Some(spec)) => run_tap(spec),
        (Some("hand"), Some(spec)) => run_hand(spec),
        _ => return None,
    })
}
