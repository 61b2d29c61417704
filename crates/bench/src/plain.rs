//! A plain tmux server: what the daemon is compared with.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ending::Place;
use crate::fault::Result;
use crate::{ending, process};

/// One server on a socket of its own, without configuration. Dropped, it ends.
#[derive(Debug)]
pub struct PlainTmux {
    place: Place,
    socket: PathBuf,
}

impl PlainTmux {
    /// Starts one with a session `a` of 120x40 that runs a program.
    ///
    /// # Errors
    /// When tmux cannot be started.
    pub fn start(argv: &[&str]) -> Result<Self> {
        let place = Place::new()?;
        let tmux = Self { socket: place.path().join("tmux"), place };
        // One list, so that the limit and the missing status line hold from the first byte.
        let before = ["set-option", "-g", "history-limit", "10000", ";"];
        let mut command = tmux.command(&["-f", "/dev/null", "start-server", ";"]);
        command.args(before).args(["set-option", "-g", "status", "off", ";"]);
        command.args(["new-session", "-d", "-s", "a", "-x", "120", "-y", "40", "--"]).args(argv);
        process::output(&mut command)?;
        Ok(tmux)
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.place.path()
    }

    /// A `tmux` command to it that is not run yet.
    #[must_use]
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = process::command(self.place.path(), "tmux");
        command.args(["-u", "-S"]).arg(&self.socket).args(args);
        command
    }

    /// `tmux attach`, as it runs in a terminal of its own.
    #[must_use]
    pub fn attach(&self) -> Command {
        let mut command = process::apart(self.place.path(), "tmux");
        command.args(["-u", "-S"]).arg(&self.socket).args(["attach-session", "-t", "a"]);
        command
    }

    /// Runs a command and gives what it printed.
    ///
    /// # Errors
    /// When it fails.
    pub fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        process::output(&mut self.command(args))
    }

    /// Waits until the screen shows a text.
    ///
    /// # Errors
    /// When it does not for too long.
    pub fn shows(&self, text: &str) -> Result<()> {
        crate::waiting::until(&format!("tmux shows {text:?}"), || {
            let screen = self.run(&["capture-pane", "-p", "-t", "a"])?;
            Ok(String::from_utf8_lossy(&screen).contains(text).then_some(()))
        })
    }
}

impl Drop for PlainTmux {
    fn drop(&mut self) {
        ending::kill_tmux(self.place.path(), &self.socket);
    }
}
