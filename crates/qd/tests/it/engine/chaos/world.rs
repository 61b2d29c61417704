//! The sessions, what is done to them in a round, and what they are worth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::blow::Blow;
use super::dice::Dice;
use super::ledger::{self, Ledger};
use crate::engine::stage::{PATIENCE, Stage};

/// Sessions at a time.
const SESSIONS: usize = 10;
/// The program of a session: it writes to a file of its worktree all the time, whatever is done
/// to it. It takes no process for that, so that a session that runs has exactly one.
const PROGRAM: &str = "n=0; while :; do n=$((n+1)); echo $$ $n >> ignored.log; \
                       IFS= read -r -t 0.05 line; done";

pub struct World {
    pub stage: Stage,
    pub repos: Vec<PathBuf>,
    pub sessions: Vec<String>,
    pub ledgers: BTreeMap<String, Ledger>,
    pub dice: Dice,
    /// How often what was done.
    counts: BTreeMap<&'static str, usize>,
    born: usize,
}

impl World {
    pub fn new(dice: Dice) -> Self {
        let stage = Stage::on_a_small_disk(200);
        let repos = vec![stage.repo("one"), stage.repo("two")];
        let mut world = Self {
            stage,
            repos,
            sessions: vec![],
            ledgers: BTreeMap::new(),
            dice,
            counts: BTreeMap::new(),
            born: 0,
        };
        while world.sessions.len() < SESSIONS {
            world.add();
        }
        world.settle();
        world
    }

    /// What was done so far, in words.
    pub fn tally(&self) -> String {
        let words: Vec<_> = self.counts.iter().map(|(what, n)| format!("{n} {what}")).collect();
        words.join(", ")
    }

    pub fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// One round: work, commands at random, a blow in the midst of them, and a look at everything.
    pub fn round(&mut self, round: usize) {
        self.work(round);
        self.remember();
        let blow = Blow::choose(&mut self.dice);
        self.count(blow.name());
        let commands = 3 + self.dice.roll(8);
        let chosen: Vec<(String, &'static str, u64)> = (0..commands)
            .map(|_| {
                let id = self.dice.pick(&self.sessions).clone();
                (id, self.command(), self.dice.roll(60) as u64)
            })
            .collect();
        for (_, command, _) in &chosen {
            self.count(command);
        }
        let mut dice = self.dice.split();
        // Whoever asks is answered, or finds nobody there: each is fine, and what is, is checked.
        let (socket, token) = (self.stage.socket(), self.stage.token());
        let askers: Vec<_> = chosen
            .into_iter()
            .map(|(id, command, wait)| {
                let (socket, token) = (socket.clone(), token.clone());
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(wait));
                    ask(&socket, &token, &id, command);
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(dice.roll(80) as u64));
        blow.strike(self, &mut dice);
        for asker in askers {
            asker.join().unwrap();
        }
        self.settle();
        self.check(round);
        self.bury();
        while self.sessions.len() < SESSIONS {
            self.add();
        }
        self.settle();
    }

    /// Ends all of it; nothing is left.
    pub fn end(&mut self) {
        for id in self.sessions.clone() {
            self.stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"");
        }
        self.settle();
        for id in std::mem::take(&mut self.sessions) {
            self.purge(&id);
        }
        self.check_nothing_is_left();
    }

    fn command(&mut self) -> &'static str {
        let commands = [
            "delete",
            "restore",
            "pause",
            "resume",
            "resume",
            "hibernate",
            "wake",
            "wake",
            "restart",
            "restart",
            "restore",
            "rename",
        ];
        commands[self.dice.roll(commands.len())]
    }

    fn add(&mut self) {
        self.born += 1;
        let repo = self.dice.pick(&self.repos).clone();
        let on_loss = if self.dice.happens(50) { "rerun" } else { "stop" };
        let fields = json!({
            "repo": repo, "title": format!("s{}", self.born), "on_loss": on_loss,
            "command": ["bash", "-c", PROGRAM],
        });
        let made = self.stage.post("/api/v1/sessions", &fields).well().json();
        self.sessions.push(made["id"].as_str().unwrap().to_owned());
        self.count("create");
    }

    /// Somebody works in worktrees that are in their places.
    fn work(&mut self, round: usize) {
        for id in self.sessions.clone() {
            let view = self.stage.show(&id);
            if let (Some(at), true) = (place(&view), self.dice.happens(60))
                && at.exists()
            {
                ledger::work(&self.stage, &at, &mut self.dice, &format!("r{round}-{id}"));
            }
        }
    }

    /// What there is now is what must be there after the round.
    fn remember(&mut self) {
        for id in self.sessions.clone() {
            if let Some(at) = self.files_of(&id) {
                self.ledgers.insert(id, Ledger::read(&self.stage, &at));
            }
        }
    }

    /// Where a session's files are: in their place or put away.
    pub fn files_of(&self, id: &str) -> Option<PathBuf> {
        let away = self.stage.root().join("trash").join(id).join("worktree");
        if away.exists() {
            return Some(away);
        }
        place(&self.stage.show(id)).filter(|at| at.exists())
    }

    /// Waits until nothing is under way.
    #[track_caller]
    pub fn settle(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        for id in &self.sessions {
            loop {
                let view = self.stage.show(id);
                let creating = view["state"] == "creating";
                if view["pending"].is_null() && !creating {
                    break;
                }
                let log = self.stage.log();
                let tail: Vec<_> = log.lines().rev().take(15).collect();
                assert!(Instant::now() < deadline, "it does not come to rest: {view} {tail:#?}");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Now and then one in the trash is purged, and one that failed goes.
    fn bury(&mut self) {
        for id in self.sessions.clone() {
            let state = self.stage.show(&id)["state"].as_str().unwrap().to_owned();
            if state == "failed" {
                self.stage.ask("DELETE", &format!("/api/v1/sessions/{id}"), &[], b"").well();
                self.stage.until_state(&id, "trashed");
            } else if state != "trashed" || !self.dice.happens(25) {
                continue;
            }
            self.purge(&id);
            self.sessions.retain(|other| *other != id);
            self.ledgers.remove(&id);
            self.count("purge");
        }
    }

    fn purge(&self, id: &str) {
        self.stage.post(&format!("/api/v1/sessions/{id}/purge"), &json!({})).well();
        crate::engine::stage::until("the purge", || {
            (self.stage.get(&format!("/api/v1/sessions/{id}")).status == 404).then_some(())
        });
    }
}

fn place(view: &Value) -> Option<PathBuf> {
    view["worktree"].as_str().map(PathBuf::from)
}

/// Asks one thing of a daemon that may be gone.
fn ask(socket: &Path, token: &str, id: &str, command: &str) {
    let (method, path, body) = match command {
        "delete" => ("DELETE", format!("/api/v1/sessions/{id}"), String::new()),
        "rename" => {
            let body = json!({"title": format!("renamed {id}")}).to_string();
            ("PATCH", format!("/api/v1/sessions/{id}"), body)
        }
        action => ("POST", format!("/api/v1/sessions/{id}/{action}"), "{}".to_owned()),
    };
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("Host", "localhost"), ("Authorization", bearer.as_str())];
    if !body.is_empty() {
        headers.push(("Content-Type", "application/json"));
    }
    let request = crate::engine::http::request(method, &path, &headers, body.as_bytes());
    // Each command gets one answer, unless the daemon was killed in the midst of it.
    if let Some(status) = crate::engine::http::try_over_socket(socket, &request) {
        assert!(matches!(status, 200 | 202 | 404 | 409 | 503 | 507), "{command}: {status}");
    }
}
