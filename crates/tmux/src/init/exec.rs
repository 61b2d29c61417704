//! The program's first moment: a child of the init that becomes the program.
//!
//! Its stdin is the gate (one byte: you are in the foreground), its stdout the
//! pipe for an error, its stderr the terminal. So no descriptor has to be passed
//! by number, and nothing unsafe is needed.

use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;

use rustix::fd::AsFd as _;
use serde::{Deserialize, Serialize};

use super::signals;
use crate::process;
use crate::spec::{PaneSpec, Text};

/// What of its own environment a program gets without `inherit_env`.
const OF_THE_TERMINAL: [&str; 5] =
    ["TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"];

/// Why there is no program, as told over the pipe.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExecError {
    pub errno: i32,
    pub message: String,
}

/// Becomes the program. Returns, with an exit code, only when it cannot.
#[must_use]
pub fn run_exec(spec: &Path) -> u8 {
    // Before stdout is replaced: the pipe, closed by a successful exec.
    let pipe = rustix::io::fcntl_dupfd_cloexec(std::io::stdout().as_fd(), 3);
    let error = match PaneSpec::read(spec) {
        Err(e) => ExecError { errno: 0, message: e.to_string() },
        Ok(spec) => become_program(&spec),
    };
    let code = if error.errno == rustix::io::Errno::NOENT.raw_os_error() { 127 } else { 126 };
    if let (Ok(pipe), Ok(text)) = (pipe, serde_json::to_vec(&error)) {
        drop(std::fs::File::from(pipe).write_all(&text));
    }
    code
}

fn become_program(spec: &PaneSpec) -> ExecError {
    let failed = |what: String, e: std::io::Error| ExecError {
        errno: e.raw_os_error().unwrap_or(0),
        message: format!("{what}: {e}"),
    };
    let mut gate = [0];
    if !matches!(std::io::stdin().read(&mut gate), Ok(1)) {
        return ExecError { errno: 0, message: "the init went away".into() };
    }
    let Some((program, args)) = spec.argv.split_first() else {
        return ExecError { errno: 0, message: "no program".into() };
    };
    if let Err(e) = std::env::set_current_dir(&spec.cwd.0) {
        return failed(format!("the directory {}", show(&spec.cwd)), e);
    }
    let terminal = || {
        let fd = rustix::io::fcntl_dupfd_cloexec(std::io::stderr().as_fd(), 3)?;
        Ok::<_, std::io::Error>(Stdio::from(fd))
    };
    let (Ok(stdin), Ok(stdout)) = (terminal(), terminal()) else {
        return ExecError { errno: 0, message: "no terminal".into() };
    };
    let mut command = process::blocking(&program.0);
    command.args(args).stdin(stdin).stdout(stdout);
    if !spec.inherit_env {
        command.env_clear();
        for name in OF_THE_TERMINAL {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
    }
    // As a shell would: programs look here to keep a path through links.
    command.env("PWD", &spec.cwd.0).env_remove("OLDPWD");
    for (name, value) in &spec.env {
        command.env(name, value);
    }
    for name in &spec.env_remove {
        command.env_remove(name);
    }
    signals::reset_for_exec();
    let error = command.exec();
    failed(show(program), error)
}

fn show(text: &Text) -> String {
    text.0.to_string_lossy().into_owned()
}
