//! `qd internal`: what runs inside panes and in the build, not for people. The words are frozen:
//! inits of an older version live on after an upgrade.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::exit::Exit;
use crate::{browser, output, reference};

/// Runs an internal subcommand; `args` stand after the word `internal`.
pub fn run(args: &[OsString]) -> ExitCode {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    if matches!(words.first(), Some(&("init" | "exec" | "tap" | "hand" | "hold"))) {
        let all: Vec<OsString> =
            std::iter::once(OsString::from("internal")).chain(args.iter().cloned()).collect();
        if let Some(code) = qd_tmux::init::dispatch(&all) {
            return ExitCode::from(code);
        }
    }
    match words.as_slice() {
        ["openapi"] => match qd_server::openapi().to_pretty_json() {
            Ok(text) => match output::raw(format!("{text}\n").as_bytes()) {
                Ok(()) => Exit::Done.into(),
                Err(failure) => failure.tell(false),
            },
            Err(error) => {
                output::note(&format!("qd: The document cannot be written: {error}."));
                Exit::Failed.into()
            }
        },
        ["cli-reference"] => match output::raw(reference::markdown().as_bytes()) {
            Ok(()) => Exit::Done.into(),
            Err(failure) => failure.tell(false),
        },
        ["rules-reference"] => match output::raw(qd_policy::reference().as_bytes()) {
            Ok(()) => Exit::Done.into(),
            Err(failure) => failure.tell(false),
        },
        ["forget", file] => {
            browser::forget(Path::new(file));
            Exit::Done.into()
        }
        _ => {
            output::note("qd: There is no such internal command.\n  See `qd --help`.");
            Exit::Usage.into()
        }
    }
}

/// The socket of the tmux server of a home: what `HOME/tmux.path` says, else `HOME/tmux.sock`.
pub fn tmux_socket(home: &Path) -> PathBuf {
    let written = std::fs::read_to_string(home.join("tmux.path")).unwrap_or_default();
    let written = written.trim_end_matches('\n');
    if written.is_empty() { home.join("tmux.sock") } else { PathBuf::from(written) }
}
