use std::ffi::OsStr;
use std::process::Command;

/// A program to start: every process that this program starts begins here. Arguments are a
/// vector, never a shell line, and none is taken from a file or the network.
#[expect(clippy::disallowed_methods, reason = "the one home of processes in this program")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}
