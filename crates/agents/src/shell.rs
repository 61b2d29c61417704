use std::path::Path;

use crate::path::is_program;

/// The name of a plain shell.
pub const SHELL: &str = "shell";

/// The shell that is started: the one that the environment names, if it is there.
#[must_use]
pub fn shell_of(named: Option<&str>) -> &str {
    named.filter(|shell| is_program(Path::new(shell))).unwrap_or("/bin/sh")
}
