//! Runs `qd` in a home of its own.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A home that goes away with the test.
pub struct Home(tempfile::TempDir);

/// What a run of `qd` said and how it ended.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Home {
    /// A new home under /tmp, where paths are short enough for sockets.
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("qd-cli-").tempdir_in("/tmp").unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// `qd` with this home and nothing of the caller's environment but PATH.
    pub fn command(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_qd"), args)
    }

    /// A program that leads a session, with its stdin for a controlling terminal.
    pub fn setsid(&self, program: &std::ffi::OsStr, args: &[std::ffi::OsString]) -> Command {
        let mut command = self.program("setsid", &["--ctty", "--wait"]);
        command.arg(program).args(args);
        command
    }

    #[expect(clippy::disallowed_methods, reason = "the one home of processes in these tests")]
    fn program(&self, name: &str, args: &[&str]) -> Command {
        let mut command = Command::new(name);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path()).env("QD_HOME", self.path());
        command.env("TERM", "xterm-256color").env("GIT_CONFIG_NOSYSTEM", "1");
        command.current_dir(self.path()).args(args).stdin(Stdio::null());
        command
    }

    /// Runs `qd` to its end.
    pub fn qd(&self, args: &[&str]) -> Said {
        self.command(args).output().unwrap().into()
    }

    /// Runs lines of shell in the home.
    pub fn shell(&self, script: &str) -> Said {
        self.program("sh", &["-c", script]).output().unwrap().into()
    }

    /// Runs `qd` with something on stdin.
    pub fn qd_with(&self, args: &[&str], stdin: &[u8]) -> Said {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may end before it has read all.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap().into()
    }
}

impl Said {
    /// The one JSON value on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The error that `--json` prints: its code; and checks that it is whole.
    #[track_caller]
    pub fn error(&self) -> String {
        let json = self.json();
        let error = &json["error"];
        for field in ["message", "hint"] {
            assert!(error[field].as_str().is_some_and(|text| !text.is_empty()), "{self:?}");
        }
        error["code"].as_str().unwrap().to_owned()
    }

    /// The same, when it ended well.
    #[track_caller]
    pub fn well(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
