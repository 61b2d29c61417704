//! What must not outlive us, also when we are interrupted.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::fault::Result;
use crate::process;

/// The homes in use. A list of what to sweep, for the thread that hears the signals.
static HOMES: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);

/// Ends all that was started, when a signal says that we are to end.
///
/// # Errors
/// When the signals cannot be listened to.
pub fn on_signals() -> Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        let homes = HOMES.lock().map(|homes| homes.clone()).unwrap_or_default();
        for home in homes {
            sweep(&home);
        }
        std::process::exit(128 + signal);
    })?;
    Ok(())
}

/// A folder under /tmp, where paths are short enough for sockets. Dropped, it goes, and with it
/// every process that has it for its home.
#[derive(Debug)]
pub struct Place(PathBuf);

impl Place {
    /// Makes one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("qdb-").tempdir_in("/tmp")?.keep();
        if let Ok(mut homes) = HOMES.lock() {
            homes.push(dir.clone());
        }
        Ok(Self(dir))
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        sweep(&self.0);
        if let Ok(mut homes) = HOMES.lock() {
            homes.retain(|home| *home != self.0);
        }
    }
}

/// Ends what has the folder in its HOME or QD_HOME, and removes the folder.
fn sweep(home: &Path) {
    for _ in 0..5 {
        let ours = processes_of(home);
        for pid in &ours {
            let _ = rustix::process::kill_process(*pid, rustix::process::Signal::KILL);
        }
        if ours.is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let _ = std::fs::remove_dir_all(home);
}

fn processes_of(home: &Path) -> Vec<rustix::process::Pid> {
    let wanted = format!("HOME={}", home.display());
    let us = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else { return vec![] };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let environ = std::fs::read(entry.path().join("environ")).ok()?;
            let ours = environ.split(|byte| *byte == 0).any(|item| item == wanted.as_bytes());
            (ours && pid != us)
                .then(|| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?))
                .flatten()
        })
        .collect()
}

/// Ends a tmux server that is addressed by a socket of ours.
pub fn kill_tmux(home: &Path, socket: &Path) {
    let mut command = process::command(home, "tmux");
    let _ = command.arg("-S").arg(socket).arg("kill-server").output();
}
