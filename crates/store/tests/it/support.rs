//! What the tests share.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{self, ChildStdout, Command, Stdio};
use std::time::Duration;

use qd_store::{Append, NewEvent, Store, StoreHandle, StoreOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Far more than anything here takes; only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn event(kind: &str, data: Value) -> NewEvent {
    NewEvent { kind: kind.into(), data }
}

/// An append of one event.
pub fn one(stream: &str, n: u64) -> Append {
    Append::new(stream, 1_000, vec![event("happened", json!({ "n": n }))])
}

pub fn open(dir: &TempDir) -> (Store, StoreHandle) {
    Store::open(dir.path(), StoreOptions::default()).expect("the store opens")
}

pub fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("the file is there").permissions().mode() & 0o7777
}

/// This test binary once more, running one test with the path of a home in its
/// environment. It ends with its owner, also when a test fails.
pub struct Child(process::Child);

impl Child {
    #[expect(clippy::disallowed_methods, reason = "the one home of processes in these tests")]
    pub fn start(test: &str, variable: &str, home: &Path, uid: Option<u32>) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        if let Some(uid) = uid {
            command.uid(uid);
        }
        command
            .args(["--exact", test, "--nocapture"])
            .env(variable, home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map(Self)
    }

    pub fn stdout(&mut self) -> ChildStdout {
        self.0.stdout.take().expect("taken once")
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// SIGKILL: no handler, no destructor, no checkpoint.
    pub fn kill(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it is ours");
    }

    /// Waits for its end and says whether its test passed.
    pub fn passed(&mut self) -> bool {
        self.0.wait().expect("it is ours").success()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
