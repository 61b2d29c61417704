//! A daemon of our own, in a home of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ending::Place;
use crate::fault::{Result, fault};
use crate::http::Http;
use crate::waiting::until;
use crate::{ending, process};

/// A running daemon. Dropped, it ends with its tmux server, its sessions and its home.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    place: Place,
    tmux_socket: PathBuf,
    /// What `qd serve --json` printed.
    pub serving: Value,
    /// A connection to it.
    pub http: Http,
}

impl Daemon {
    /// Starts one in a new home.
    ///
    /// # Errors
    /// When it does not serve.
    pub fn start(qd: &Path) -> Result<Self> {
        Self::start_in(qd, Place::new()?)
    }

    /// Starts one in a home that may have something in it.
    ///
    /// # Errors
    /// When it does not serve.
    pub fn start_in(qd: &Path, place: Place) -> Result<Self> {
        let (child, serving) = serve(qd, place.path())?;
        let socket: PathBuf = serving["socket"].as_str().unwrap_or_default().into();
        let http = Http::open(&socket)?;
        let path = std::fs::read_to_string(place.path().join("tmux.path"))?;
        Ok(Self { child, place, tmux_socket: path.trim().into(), serving, http })
    }

    /// Ends the daemon and no session: by SIGKILL, or in order.
    ///
    /// # Errors
    /// When it does not end.
    pub fn end(&mut self, killed: bool) -> Result<()> {
        if killed {
            self.child.kill()?;
            self.child.wait()?;
        } else {
            process::end(&mut self.child);
        }
        Ok(())
    }

    /// Starts it again in its home, at its address. Gives how long the list of sessions took from
    /// the start of the process on, and when that was.
    ///
    /// # Errors
    /// When it does not serve.
    pub fn again(&mut self, qd: &Path) -> Result<(Duration, Instant)> {
        let listen = self.address()?.0;
        let start = Instant::now();
        (self.child, self.serving) = serve_at(qd, self.place.path(), &listen)?;
        self.http = Http::open(&self.socket())?;
        self.http.get("/sessions")?;
        Ok((start.elapsed(), start))
    }

    /// Its home.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.place.path()
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The process of its tmux server.
    ///
    /// # Errors
    /// When there is none.
    pub fn tmux_pid(&self) -> Result<u32> {
        let mut command = process::command(self.home(), "tmux");
        command.arg("-S").arg(&self.tmux_socket).args(["display-message", "-p", "#{pid}"]);
        Ok(String::from_utf8(process::output(&mut command)?)?.trim().parse()?)
    }

    /// The Unix socket of its API.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.serving["socket"].as_str().unwrap_or_default().into()
    }

    /// Its address and the owner's token.
    ///
    /// # Errors
    /// When the token cannot be read.
    pub fn address(&self) -> Result<(String, String)> {
        let url = self.serving["url"].as_str().unwrap_or_default();
        let token = std::fs::read_to_string(self.home().join("token"))?;
        Ok((url.trim_start_matches("http://").to_owned(), token.trim().to_owned()))
    }

    /// A folder in the home, made.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.home().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Makes a session that runs a program in a plain folder, and waits until it runs, or has
    /// ended already.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn session(&mut self, folder: &Path, argv: &[&str]) -> Result<String> {
        let id = self.ask(&json!({
            "repo": folder, "in_place": true, "shared": true, "command": argv,
        }))?;
        self.running(&id)?;
        Ok(id)
    }

    /// Asks for a session, and gives its id.
    ///
    /// # Errors
    /// When it is refused.
    pub fn ask(&mut self, request: &Value) -> Result<String> {
        let view = self.http.post("/sessions", request)?;
        Ok(view["id"].as_str().ok_or("a session without an id")?.to_owned())
    }

    /// Waits until the program of a session runs, or has ended already.
    ///
    /// # Errors
    /// When the session fails, or it takes too long.
    pub fn running(&mut self, id: &str) -> Result<Value> {
        until("the session runs", || {
            let view = self.http.json(&format!("/sessions/{id}"))?;
            match view["state"].as_str() {
                Some("running" | "exited") => Ok(Some(view)),
                Some("failed") => fault(format!("the session failed: {}", view["problem"])),
                _ => Ok(None),
            }
        })
    }

    /// Waits until the screen of a session shows a text.
    ///
    /// # Errors
    /// When it does not for too long.
    pub fn shows(&mut self, id: &str, text: &str) -> Result<()> {
        until(&format!("the screen shows {text:?}"), || {
            let screen = self.http.json(&format!("/sessions/{id}/screen"))?;
            let lines = screen["lines"].as_array();
            let found = lines
                .into_iter()
                .flatten()
                .any(|line| line.as_str().is_some_and(|line| line.contains(text)));
            Ok(found.then_some(()))
        })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        process::end(&mut self.child);
        ending::kill_tmux(self.place.path(), &self.tmux_socket);
    }
}

/// Starts `qd serve` and waits for the line that it serves.
///
/// # Errors
/// When it prints something else.
pub fn serve(qd: &Path, home: &Path) -> Result<(Child, Value)> {
    serve_at(qd, home, "127.0.0.1:0")
}

fn serve_at(qd: &Path, home: &Path, listen: &str) -> Result<(Child, Value)> {
    let mut command = process::apart(home, qd);
    command.args(["serve", "--listen", listen, "--json"]).env("QD_HOME", home);
    command.env("SHELL", "/bin/sh").stdout(Stdio::piped());
    command.stderr(std::fs::File::create(home.join("bench.log"))?);
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", qd.display()))?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    match serde_json::from_str::<Value>(&line) {
        Ok(serving) if serving["url"].is_string() => Ok((child, serving)),
        _ => {
            process::end(&mut child);
            let log = std::fs::read_to_string(home.join("bench.log")).unwrap_or_default();
            fault(format!("qd serve does not serve: {line} {log}"))
        }
    }
}
