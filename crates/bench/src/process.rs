//! The one home of processes in this crate.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::fault::{Result, fault};

/// A program with nothing of our environment but the PATH, in a folder that is also its home.
#[expect(clippy::disallowed_methods, reason = "the one home of processes in this crate")]
pub fn command(home: &Path, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "bench").env(format!("GIT_{who}_EMAIL"), "b@e");
    }
    command.current_dir(home).stdin(Stdio::null());
    command
}

/// As [`command`], in a session of its own, as a daemon and a terminal are. The kernel shares out
/// the processors by session: in ours, a program would have to share with whatever runs beside us.
pub fn apart(home: &Path, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = command(home, "setsid");
    command.arg(program);
    command
}

/// Runs a program to its end and gives what it printed.
///
/// # Errors
/// When it cannot be started or fails.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    let done = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() {
        return fault(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(done.stdout)
}

/// Asks a child to end, makes it end when it does not, and waits for it.
pub fn end(child: &mut Child) {
    if let Ok(None) = child.try_wait()
        && let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let asked = std::time::Instant::now();
        while matches!(child.try_wait(), Ok(None)) {
            if asked.elapsed().as_secs() >= 15 {
                let _ = child.kill();
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
    let _ = child.wait();
}
