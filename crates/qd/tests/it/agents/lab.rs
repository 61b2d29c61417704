//! A real agent with a home of its own, and the model that it talks to.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::stage::{Stage, patiently};

/// After so long an answer that changed nothing is given again.
const AGAIN: Duration = Duration::from_secs(3);

/// Where the agents are, as `make test-agents` says: `NAME/bin` each, and `pinned`, which has a
/// name and a version on each line.
fn installed() -> PathBuf {
    PathBuf::from(std::env::var_os("QD_AGENTS").expect("run these with `make test-agents`"))
}

/// Names and versions of the agents that are installed.
pub fn pinned() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(installed().join("pinned")).unwrap();
    let line = |line: &str| line.split_once(' ').map(|(n, v)| (n.to_owned(), v.to_owned()));
    text.lines().filter_map(line).collect()
}

/// How an agent asks whether it may run a command, and the keys that answer.
pub struct Dialog {
    pub asks: &'static str,
    pub allow: &'static str,
    pub refuse: &'static str,
}

/// What an agent's home is made with.
pub struct Seed<'a> {
    home: &'a Path,
    /// The folder that it works in.
    pub folder: &'a Path,
    /// The address of the model.
    pub model: &'a str,
}

impl Seed<'_> {
    /// Writes a file in the home.
    pub fn write(&self, name: &str, text: &str) {
        let file = self.home.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

pub struct Lab {
    agent: String,
    pub stage: Stage,
    pub folder: PathBuf,
    model: Child,
    log: PathBuf,
}

impl Lab {
    pub fn new(agent: &str, seed: impl Fn(&Seed<'_>) -> Vec<(&'static str, String)>) -> Self {
        let mut stage = Stage::unserved();
        let folder = stage.repo("w");
        let log = stage.dir().join("model.log");
        let (model, address) = model(&log);
        let mut vars = seed(&Seed { home: stage.dir(), folder: &folder, model: &address });
        let path = std::env::var("PATH").unwrap();
        vars.push(("PATH", format!("{}:{path}", installed().join(agent).join("bin").display())));
        stage.set(vars);
        stage.serve();
        Self { agent: agent.to_owned(), stage, folder, model, log }
    }

    /// A session with a first prompt, in the folder itself.
    pub fn begin(&self, prompt: &str) -> String {
        let view = self.stage.new_session(json!({
            "repo": self.folder, "in_place": true, "agent": self.agent, "prompt": prompt
        }));
        assert!(view["problem"].is_null(), "{view}");
        view["id"].as_str().unwrap().to_owned()
    }

    pub fn fork(&self, id: &str) -> String {
        let made = self.stage.qd(&["fork", id, "--json"]).well().json();
        let other = made["id"].as_str().unwrap().to_owned();
        self.stage.until_state(&other, "running");
        other
    }

    fn shown(&self, id: &str) -> String {
        let screen = self.stage.screen(id);
        let lines = screen["lines"].as_array().unwrap().iter().filter_map(Value::as_str);
        lines.collect::<Vec<_>>().join("\n")
    }

    pub fn until_on_screen(&self, id: &str, words: &str) {
        let found = patiently(|| self.shown(id).contains(words).then_some(()));
        assert!(found.is_some(), "never {words:?}:\n{}\n{}", self.shown(id), self.requests());
    }

    /// Waits for words; a question whether the folder is to be trusted is answered with yes.
    pub fn answer_trust(&self, id: &str, words: &str) {
        let mut answered = false;
        let found = patiently(|| {
            let shown = self.shown(id);
            if !answered && shown.contains("trust") {
                answered = true;
                // The one is asked with No marked, the other with Yes.
                if shown.contains("❯ No") || shown.contains("❯ 1. No") {
                    self.press(id, "Down");
                }
                self.press(id, "Enter");
            }
            shown.contains(words).then_some(())
        });
        assert!(found.is_some(), "never {words:?}:\n{}", self.shown(id));
    }

    /// Answers a dialog. One that has only just been drawn may not take keys yet, so the key goes
    /// again while the dialog is still there after a while.
    pub fn answer(&self, id: &str, asks: &str, key: &str) {
        let mut last: Option<Instant> = None;
        let gone = patiently(|| {
            if !self.shown(id).contains(asks) {
                return Some(());
            }
            if last.is_none_or(|last| last.elapsed() > AGAIN) {
                self.press(id, key);
                last = Some(Instant::now());
            }
            None
        });
        assert!(gone.is_some(), "still {asks:?}:\n{}", self.shown(id));
    }

    pub fn press(&self, id: &str, key: &str) {
        self.stage.qd(&["keys", id, key]).well();
    }

    /// Types a prompt: the return goes when the words are in the input, as from a person.
    pub fn say(&self, id: &str, prompt: &str) {
        self.stage.qd(&["send", id, prompt]).well();
        self.until_on_screen(id, prompt);
        self.press(id, "Enter");
    }

    fn requests(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// How many messages the request had that brought this prompt.
    pub fn last_request(&self, prompt: &str) -> u64 {
        let requests = self.requests();
        let mut parsed =
            requests.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let last = parsed.rfind(|request| request["prompt"] == prompt);
        last.map_or(0, |request| request["messages"].as_u64().unwrap_or_default())
    }

    /// The conversation that the session has, as its agent calls it.
    pub fn conversation(&self, id: &str) -> Value {
        // It is looked for a moment after output.
        let known = patiently(|| {
            let conversation = self.stage.show(id)["conversation"].clone();
            (!conversation.is_null()).then_some(conversation)
        });
        known.expect("its conversation is not known")
    }

    /// Waits until nothing runs that was started in this home, but the daemon, tmux and the model.
    pub fn until_nothing_runs(&self) {
        let mut left = vec![];
        let none = patiently(|| {
            left = self.running();
            left.is_empty().then_some(())
        });
        assert!(none.is_some(), "left behind: {left:?}");
    }

    /// The command lines of processes that have this home and are a session's.
    fn running(&self) -> Vec<String> {
        let home = format!("HOME={}", self.stage.dir().display());
        let mut found = vec![];
        for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let read = |name: &str| std::fs::read(process.path().join(name)).unwrap_or_default();
            let environ = read("environ");
            let mut words = environ.split(|byte| *byte == 0);
            let is_of_session = environ.windows(11).any(|window| window == b"QD_SESSION=");
            if is_of_session && words.any(|word| word == home.as_bytes()) {
                found.push(String::from_utf8_lossy(&read("cmdline")).replace('\0', " "));
            }
        }
        found
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}

/// The model and its address. It ends with its stdin, and so with this process.
#[expect(clippy::disallowed_methods, reason = "the one place that starts the model")]
fn model(log: &Path) -> (Child, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/model.mjs");
    let mut child = Command::new("node")
        .arg(script)
        .arg("--log")
        .arg(log)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    assert!(address.starts_with("http://"), "no model: {address:?}");
    (child, address.trim().to_owned())
}
