//! The one home of process starts in this crate.

use std::ffi::{OsStr, OsString};

/// A blocking command (the pane's init uses it). Nothing is inherited on purpose
/// beyond what the caller sets.
#[expect(clippy::disallowed_methods, reason = "the one home of process starts")]
pub(crate) fn blocking(program: impl AsRef<OsStr>) -> std::process::Command {
    std::process::Command::new(program)
}

/// An async command with exactly this environment, ended when it is dropped.
#[expect(clippy::disallowed_methods, reason = "the one home of process starts")]
pub(crate) fn clean(
    program: impl AsRef<OsStr>,
    env: &[(OsString, OsString)],
) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(program);
    command.env_clear().envs(env.iter().map(|(k, v)| (k, v))).kill_on_drop(true);
    command
}
