//! A daemon with a home, a person's home around it, and repositories.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{self, Answer};
use crate::program::{Home, Said};

/// How long anything may take before a test gives up: the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Looks again and again until there is something.
#[track_caller]
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    match patiently(look) {
        Some(found) => found,
        None => panic!("gave up waiting: {what}"),
    }
}

/// Looks again and again, for as long as there is patience.
pub fn patiently<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= deadline {
            return found;
        }
        std::thread::sleep(Duration::from_millis(15));
    }
}

/// Whether a folder is a disk of its own.
pub fn is_mounted(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path: &Path| std::fs::metadata(path).map(|found| found.dev()).ok();
    device(folder) != folder.parent().and_then(device)
}

/// A daemon in a home of its own. Dropped, all that it started ends.
pub struct Stage {
    pub home: Home,
    child: Option<Child>,
    pub serving: Value,
    vars: Vec<(String, String)>,
}

impl Stage {
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with variables of its own.
    pub fn with(vars: &[(&str, &str)]) -> Self {
        let mut stage = Self::unserved();
        stage.vars = vars.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        stage.serve();
        stage
    }

    /// Sets variables for a daemon that is not started yet.
    pub fn set(&mut self, vars: Vec<(&str, String)>) {
        self.vars = vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    }

    /// The same, with the daemon's home on a disk of its own of so many MiB, where this process
    /// may mount one.
    pub fn on_a_small_disk(size: u32) -> Self {
        let home = Home::new();
        let root = home.path().join("qd");
        std::fs::create_dir(&root).unwrap();
        let mounted = home.shell(&format!("mount -t tmpfs -o size={size}m,mode=700 qd-test qd"));
        if mounted.code != 0 {
            println!("no disk of its own for {}: {}", root.display(), mounted.err.trim());
        }
        let mut stage = Self { home, child: None, serving: Value::Null, vars: vec![] };
        stage.serve();
        stage
    }

    /// One whose daemon is not started yet.
    pub fn unserved() -> Self {
        Self { home: Home::new(), child: None, serving: Value::Null, vars: vec![] }
    }

    /// The daemon's home; the person's home is the folder around it.
    pub fn root(&self) -> PathBuf {
        self.home.path().join("qd")
    }

    /// The folder that everything of this test is in.
    pub fn dir(&self) -> &Path {
        self.home.path()
    }

    /// `qd` with this daemon's home.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        command.env("QD_HOME", self.root()).env("LANG", "C.UTF-8");
        command.envs(self.vars());
        command
    }

    /// Variables of its own.
    pub fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn qd(&self, args: &[&str]) -> Said {
        self.command(args).output().unwrap().into()
    }

    #[track_caller]
    pub fn shell(&self, script: &str) -> String {
        let said = self.home.shell(script);
        assert_eq!(said.code, 0, "{said:?}");
        said.out
    }

    /// Starts the daemon, or starts it again.
    #[track_caller]
    pub fn serve(&mut self) {
        assert!(self.child.is_none());
        let mut serve = self.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.dir().join("log"))
            .unwrap();
        let mut child = serve.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.child = Some(child);
        self.serving = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{error}: {line:?} {}", self.log()));
        assert!(self.serving["error"].is_null(), "{}", self.serving);
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir().join("log")).unwrap_or_default()
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Ends the daemon in order, and no session.
    #[track_caller]
    pub fn stop(&mut self) {
        self.qd(&["stop"]).well();
        let ended = self.child.take().unwrap().wait().unwrap();
        assert!(ended.success(), "{ended} {}", self.log());
    }

    /// Waits until the daemon has ended by itself.
    #[track_caller]
    pub fn ended(&mut self, within: Duration) {
        let deadline = Instant::now() + within;
        let mut child = self.child.take().unwrap();
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the daemon stays");
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Ends the daemon without a last word.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    pub fn address(&self) -> String {
        self.serving["url"].as_str().unwrap().trim_start_matches("http://").to_owned()
    }

    pub fn socket(&self) -> PathBuf {
        PathBuf::from(self.serving["socket"].as_str().unwrap())
    }

    pub fn token(&self) -> String {
        std::fs::read_to_string(self.root().join("token")).unwrap()
    }

    /// A token of a device, as the page gets one from a login link.
    pub fn device_token(&self, device: &str) -> String {
        let code = self.post("/api/v1/login-codes", &json!({})).well().json();
        let code = code["code"].as_str().or(code["login_url"].as_str()).unwrap().to_owned();
        let code = code.rsplit('#').next().unwrap().to_owned();
        let body = json!({"code": code, "device": device});
        self.post("/api/v1/login", &body).well().json()["token"].as_str().unwrap().to_owned()
    }

    /// Asks as the owner, over TCP.
    pub fn ask(&self, method: &str, path: &str, more: &[(&str, &str)], body: &[u8]) -> Answer {
        let (address, token) = (self.address(), format!("Bearer {}", self.token()));
        let mut headers = vec![("Host", address.as_str()), ("Authorization", token.as_str())];
        if !body.is_empty() {
            headers.push(("Content-Type", "application/json"));
        }
        headers.extend_from_slice(more);
        http::over_tcp(&address, &http::request(method, path, &headers, body))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[], body.to_string().as_bytes())
    }

    /// A repository with one commit.
    pub fn repo(&self, name: &str) -> PathBuf {
        let repo = self.dir().join(name);
        std::fs::create_dir_all(&repo).unwrap();
        let mut git = self.home.command(&[]);
        git.current_dir(&repo);
        drop(git);
        let quoted = repo.to_str().unwrap().replace('\'', r"'\''");
        self.shell(&format!(
            "cd '{quoted}' && git init -q -b main && echo one > a && printf 'ignored*\\n' > .gitignore \
             && git add -A && git -c user.name=n -c user.email=e commit -q -m first"
        ));
        repo
    }

    /// Makes a session and waits until it runs or is over.
    #[track_caller]
    pub fn new_session(&self, fields: Value) -> Value {
        let made = self.post("/api/v1/sessions", &fields).well().json();
        let id = made["id"].as_str().unwrap().to_owned();
        until("the session is made", || {
            let view = self.show(&id);
            (view["state"] != "creating").then_some(view)
        })
    }

    /// A session in a plain folder that runs a line of shell.
    #[track_caller]
    pub fn run(&self, script: &str) -> String {
        let folder = tempfile::Builder::new().prefix("f").tempdir_in(self.dir()).unwrap().keep();
        let view = self.new_session(json!({
            "repo": folder, "in_place": true, "command": ["sh", "-c", script]
        }));
        assert!(view["problem"].is_null(), "{view}");
        view["id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub fn show(&self, id: &str) -> Value {
        self.get(&format!("/api/v1/sessions/{id}")).well().json()
    }

    #[track_caller]
    pub fn until_state(&self, id: &str, state: &str) -> Value {
        let mut view = Value::Null;
        let found = patiently(|| {
            view = self.show(id);
            (view["state"] == state && view["pending"].is_null()).then_some(())
        });
        assert!(found.is_some(), "never {state}: {view} {}", self.log());
        view
    }

    #[track_caller]
    pub fn screen(&self, id: &str) -> Value {
        self.get(&format!("/api/v1/sessions/{id}/screen")).well().json()
    }

    /// Waits until the screen has a line like this.
    #[track_caller]
    pub fn until_line(&self, id: &str, wanted: impl Fn(&str) -> bool) -> String {
        let mut screen = Value::Null;
        let found = patiently(|| {
            screen = self.screen(id);
            let lines = screen["lines"].as_array().unwrap();
            lines.iter().filter_map(Value::as_str).find(|line| wanted(line)).map(str::to_owned)
        });
        match found {
            Some(line) => line,
            None => panic!("no such line: {screen} {} {}", self.show(id), self.log()),
        }
    }

    /// The whole raw output that the ring holds, with the number of its first byte.
    pub fn logs(&self, id: &str) -> (u64, Vec<u8>) {
        let answer = self.get(&format!("/api/v1/sessions/{id}/logs")).well();
        (answer.header("qd-seq").unwrap().parse().unwrap(), answer.body)
    }

    /// Asks this home's tmux.
    pub fn tmux(&self, args: &[&str]) -> Said {
        let socket = std::fs::read_to_string(self.root().join("tmux.path")).unwrap();
        let quoted: Vec<_> = args.iter().map(|a| format!("'{a}'")).collect();
        self.home.shell(&format!("exec tmux -S '{socket}' {}", quoted.join(" ")))
    }

    /// The socket of a session's pane.
    pub fn socket_of(&self, id: &str) -> PathBuf {
        let tmux = std::fs::read_to_string(self.root().join("tmux.path")).unwrap();
        Path::new(&tmux).with_file_name(format!("p-{id}"))
    }

    /// What the daemon's own folder has of worktrees, and the repository of branches.
    pub fn traces(&self, repo: &Path) -> String {
        let repo = repo.to_str().unwrap().replace('\'', r"'\''");
        self.shell(&format!(
            "cd '{repo}' && git for-each-ref && git worktree list && find {} -mindepth 2 | sort",
            self.root().join("worktrees").display()
        ))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let child = self.child.take();
        // Also one that a command has put into the background.
        if child.is_some() || self.root().join("serving.json").exists() {
            let _ = self.command(&["stop", "--sessions"]).output();
        }
        if let Some(mut child) = child {
            let _ = child.kill();
            let _ = child.wait();
        }
        if self.root().join("tmux.path").exists() {
            // A server that is left hangs up its panes, and their inits end what runs there.
            let _ = self.tmux(&["kill-server"]);
        }
        if is_mounted(&self.root()) {
            // What is open there still goes with its process.
            let _ = self.home.shell("umount -l qd");
        }
    }
}
