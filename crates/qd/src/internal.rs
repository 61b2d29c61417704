//! `qd internal`: what runs inside panes and in the build, not for people. The words are frozen:
//! inits of an older version live on after an upgrade.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::exit::Exit;
use crate::{output, reference};

/// Runs an internal subcommand; `args` stand after the word `internal`.
pub fn run(args: &[OsString]) -> ExitCode {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    match words.as_slice() {
        // WIRE: `qd_tmux::run_init(spec)`, the parent of the program of a pane.
        ["init", _spec] => not_wired(),
        // WIRE: `qd_tmux::run_exec(spec)`, which becomes the program.
        ["exec", _spec] => not_wired(),
        // WIRE: `qd_tmux::run_tap(socket)`, which hands the pane's descriptor over.
        ["tap", _socket] => not_wired(),
        // WIRE: `qd_tmux::run_hold()`, which keeps the tmux server alive.
        ["hold"] => not_wired(),
        ["cli-reference"] => match output::raw(reference::markdown().as_bytes()) {
            Ok(()) => Exit::Done.into(),
            Err(failure) => failure.tell(false),
        },
        _ => {
            output::note("qd: There is no such internal command.\n  See `qd --help`.");
            Exit::Usage.into()
        }
    }
}

/// The socket of the tmux server of a home: what `HOME/tmux.path` says, else `HOME/tmux.sock`.
// WIRE: the place where the tmux adapter puts it.
pub fn tmux_socket(home: &Path) -> PathBuf {
    let written = std::fs::read_to_string(home.join("tmux.path")).unwrap_or_default();
    let written = written.trim_end_matches('\n');
    if written.is_empty() { home.join("tmux.sock") } else { PathBuf::from(written) }
}

/// The argument vector that attaches a terminal to a session.
// WIRE: `qd_tmux::attach_argv(socket, id, read_only)`.
pub fn attach_argv(socket: &Path, id: &str, read_only: bool) -> Vec<OsString> {
    let target = format!("=qd-{id}");
    let mut argv: Vec<OsString> = vec!["tmux".into(), "-u".into(), "-S".into(), socket.into()];
    argv.extend(["attach-session".into(), "-t".into(), target.into()]);
    if read_only {
        argv.push("-r".into());
    }
    argv
}

fn not_wired() -> ExitCode {
    output::note("qd: This part is not built in yet.\n  Use a later version.");
    Exit::Failed.into()
}
