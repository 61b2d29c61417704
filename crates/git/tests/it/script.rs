//! Programs that tests write and run. Shared with the tests of other crates.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program for a test, written by a process of its own: a file that this process has open for
/// writing may be inherited by a child that another test forks at that moment, and nobody can run
/// it until that child is under way ("Text file busy").
#[allow(clippy::disallowed_methods, reason = "a process of a test")]
pub fn program(path: &Path, text: &str) {
    let mut child = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{} could not be written", path.display());
}
