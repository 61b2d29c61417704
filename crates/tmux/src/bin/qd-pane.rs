//! The pane programs alone, for tests and measurements of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    match qd_tmux::init::dispatch(&words) {
        Some(code) => ExitCode::from(code),
        None => {
            eprintln!("usage: qd-pane internal hold|init|exec|tap|hand [SPEC]");
            ExitCode::from(2)
        }
    }
}
