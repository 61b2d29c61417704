//! A home of its own for each test, and the proof that nothing of it is left.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use qd_tmux::pane::{CreatePane, HostConfig, Pane, PaneEvent, PaneHost, Panes, Tap, TapRead};
use qd_tmux::server::{ServerConfig, ServerHandle, TmuxServer, scrubbed_env};
use qd_tmux::wire::Exit;
use qd_tmux::{Error, SessionKey};
use tempfile::TempDir;

/// What a test waits at most for one thing to happen, on a busy host.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A home: directory, names, and the guard. It holds no connection.
pub struct Home {
    dir: TempDir,
}

/// A daemon's part of it.
pub struct Daemon {
    pub server: TmuxServer,
    pub host: PaneHost,
}

impl Home {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("qdt").tempdir_in("/tmp").unwrap();
        Self { dir }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn config(&self) -> ServerConfig {
        let mut env = scrubbed_env(std::env::vars_os());
        // Marks every process that comes of this home; see `leftovers`.
        env.push(("QD_TEST_HOME".into(), self.path().into()));
        ServerConfig::new(self.path(), &self.owner(), qd(), env)
    }

    pub fn owner(&self) -> String {
        self.path().file_name().unwrap().to_str().unwrap().replace('.', "")
    }

    pub fn host_config(&self) -> HostConfig {
        HostConfig {
            runtime_dir: self.path().to_owned(),
            pane_dir: self.path().join("panes"),
            qd: qd(),
            owner: self.owner(),
            spool_cap: 8 << 20,
        }
    }

    /// A daemon that is connected.
    pub async fn daemon(&self) -> Daemon {
        self.daemon_with(self.host_config()).await
    }

    pub async fn daemon_with(&self, host: HostConfig) -> Daemon {
        let server = TmuxServer::new(self.config()).unwrap();
        server.handle().ensure().await.unwrap();
        let host = PaneHost::new(host, server.handle()).unwrap();
        Daemon { server, host }
    }

    /// A pane to make: this program, in this home.
    pub fn pane<S: AsRef<str>>(&self, key: &str, argv: impl IntoIterator<Item = S>) -> CreatePane {
        CreatePane {
            key: SessionKey::new(key).unwrap(),
            title: key.into(),
            argv: argv.into_iter().map(|a| OsString::from(a.as_ref())).collect(),
            cwd: self.path().to_owned(),
            inherit_env: true,
            env: vec![],
            env_remove: vec![],
            size: (80, 24),
        }
    }

    pub fn sh(&self, key: &str, script: &str) -> CreatePane {
        self.pane(key, ["sh", "-c", script])
    }

    /// A tmux command by a process of its own, as somebody else would give it.
    pub fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-S"])
            .arg(self.path().join("tmux"))
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Processes of this home that live.
    pub fn leftovers(&self) -> Vec<(i32, String)> {
        let mark = format!("QD_TEST_HOME={}", self.path().display());
        processes()
            .filter(|pid| {
                let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ.split(|b| *b == 0).any(|v| v == mark.as_bytes())
            })
            .map(|pid| (pid, cmdline(pid)))
            .collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
        let deadline = Instant::now() + PATIENCE;
        let mut left = self.leftovers();
        while !left.is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
            left = self.leftovers();
        }
        for (pid, _) in &left {
            let pid = rustix::process::Pid::from_raw(*pid).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        if !left.is_empty() && !std::thread::panicking() {
            panic!("left behind: {left:?}");
        }
    }
}

impl Daemon {
    pub fn panes(&self) -> Panes {
        self.host.panes()
    }

    pub fn tmux(&self) -> ServerHandle {
        self.server.handle()
    }

    pub async fn create(&self, pane: CreatePane) -> Result<(Pane, Tap), Error> {
        self.panes().create(pane).await
    }
}

pub fn qd() -> PathBuf {
    env!("CARGO_BIN_EXE_qd-pane").into()
}

pub fn processes() -> impl Iterator<Item = i32> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse().ok())
}

pub fn cmdline(pid: i32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// The state letter of a process; `None` when it has ended. (Who is to reap a
/// server, or an init whose server was killed, is the host's first process.)
pub fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].trim().chars().next().filter(|state| *state != 'Z')
}

/// Polls until this is so.
pub async fn until(what: &str, mut so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub async fn patient<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("not in time: {what}"))
}

/// Reads until this text is in what was read.
pub async fn read_until(tap: &mut Tap, text: &[u8]) -> Vec<u8> {
    let mut got = Vec::new();
    while !got.windows(text.len()).any(|w| w == text) {
        match tokio::time::timeout(PATIENCE, tap.reader.read()).await {
            Ok(TapRead::Bytes(bytes)) => {
                tap.reader.taken(bytes.len());
                got.extend_from_slice(&bytes);
            }
            other => panic!("{other:?} before {:?}; so far {:?}", lossy(text), lossy(&got)),
        }
    }
    got
}

/// Reads to the end of what the program printed.
pub async fn read_all(tap: &mut Tap) -> Vec<u8> {
    let mut got = Vec::new();
    loop {
        match tokio::time::timeout(PATIENCE, tap.reader.read()).await {
            Ok(TapRead::Bytes(bytes)) => {
                tap.reader.taken(bytes.len());
                got.extend_from_slice(&bytes);
            }
            Ok(TapRead::Drained) => return got,
            other => panic!("{other:?} after {} bytes: {:?}", got.len(), lossy(&got)),
        }
    }
}

/// Waits for the end of the program.
pub async fn exit(pane: &mut Pane) -> Exit {
    loop {
        match patient("the end of the program", pane.next_event()).await {
            Some(PaneEvent::Exited(exit)) => return exit,
            Some(PaneEvent::LinkLost) | None => panic!("the link was lost first"),
            Some(_) => {}
        }
    }
}

/// Writes all of it, as an owner would: through the gate.
pub async fn write_all(pane: &Pane, tap: &Tap, mut bytes: &[u8]) {
    let mut gate = qd_tmux::pane::InputGate::new();
    while !bytes.is_empty() {
        while gate.allowance() == 0 {
            gate.observed(pane.input_queue().await.unwrap());
            if gate.allowance() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        let now = bytes.len().min(gate.allowance());
        let n = patient("a write", tap.writer.write(&bytes[..now])).await.unwrap();
        gate.wrote(n);
        bytes = &bytes[n..];
    }
}

pub fn lossy(bytes: &[u8]) -> String {
    let end = bytes.len().min(2000);
    String::from_utf8_lossy(&bytes[bytes.len() - end..]).into_owned()
}
