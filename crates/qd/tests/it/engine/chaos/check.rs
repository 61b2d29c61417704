//! Whether everything is as it should be after a round.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ledger::Ledger;
use super::world::World;
use crate::engine::races::{leftovers, processes};

/// How long what ends may take to be gone, and what was lost to be noticed.
const PATIENCE: Duration = Duration::from_secs(30);

impl World {
    /// Looks until all is well; what is not well by then is a fault.
    #[track_caller]
    pub fn check(&mut self, round: usize) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.settle();
            let faults = self.faults();
            if faults.is_empty() {
                return;
            }
            if Instant::now() > deadline {
                let log = self.stage.log();
                let from = log.len().saturating_sub(6000);
                panic!("after round {round}: {faults:#?}\n{}", log.get(from..).unwrap_or(&log));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = vec![];
        let running = processes(&self.stage);
        let tmux = self.stage.tmux(&["list-sessions", "-F", "#{session_name}"]).out;
        for id in &self.sessions {
            let view = self.stage.show(id);
            let state = view["state"].as_str().unwrap().to_owned();
            let runs = usize::from(state == "running");
            let seen = running.iter().filter(|(_, of)| of == id).count();
            if seen != runs {
                faults.push(format!("{id} is {state}, and {seen} programs run"));
            }
            let panes = tmux.lines().filter(|name| **name == format!("qd-{id}")).count();
            if panes != runs {
                faults.push(format!("{id} is {state}, and tmux has {panes} of it"));
            }
            let stored = self.stored(id);
            if stored["lifecycle"] != state.as_str() || !stored["pending"].is_null() {
                faults.push(format!("{id} is {state}, and the log says {}", stored["lifecycle"]));
            }
            faults.extend(self.lost(id, &view));
        }
        for repo in &self.repos {
            let list =
                self.stage.shell(&format!("git -C '{}' worktree list --porcelain", repo.display()));
            let known: BTreeSet<PathBuf> =
                list.lines().filter_map(|l| l.strip_prefix("worktree ")).map(Into::into).collect();
            for at in &known {
                let of_a_session =
                    self.sessions.iter().any(|id| self.files_of(id).as_ref() == Some(at));
                if at != repo && !of_a_session {
                    faults.push(format!("nobody has the worktree {}", at.display()));
                }
            }
        }
        let ids: BTreeSet<&str> = self.sessions.iter().map(String::as_str).collect();
        for (pid, of) in &running {
            if !ids.contains(of.as_str()) {
                faults.push(format!("process {pid} is of {of}, which is no session"));
            }
        }
        faults
    }

    /// What of a session's work is not as it was.
    fn lost(&self, id: &str, view: &Value) -> Vec<String> {
        let away = self.stage.root().join("trash").join(id).join("worktree");
        let put_away = matches!(view["state"].as_str(), Some("trashed" | "paused"));
        let mut lost = vec![];
        let Some(was) = self.ledgers.get(id) else { return lost };
        if away.exists() != put_away {
            lost.push(format!("{id} is {}, and put away is {}", view["state"], away.exists()));
        }
        match self.files_of(id) {
            None => lost.push(format!("{id}: its files are gone, {view}")),
            Some(at) => {
                let is = Ledger::read(&self.stage, &at);
                let differences = was.differences(&is);
                lost.extend(differences.into_iter().map(|d| format!("{id}: {d}")));
            }
        }
        lost
    }

    /// The state of a session as it is stored.
    fn stored(&self, id: &str) -> Value {
        let database =
            rusqlite::Connection::open(self.stage.root().join("quarterdeck.db")).unwrap();
        let text: String = database
            .query_row(
                "SELECT value FROM projections WHERE name = 'session' AND key = ?1",
                [id],
                |row| row.get(0),
            )
            .unwrap_or_else(|_| "null".to_owned());
        serde_json::from_str(&text).unwrap()
    }

    /// After the end of all sessions: only branches with somebody's commits stay.
    #[track_caller]
    pub fn check_nothing_is_left(&self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left: BTreeSet<String> = self
                .repos
                .iter()
                .flat_map(|repo| leftovers(&self.stage, repo))
                .filter(|what| !what.starts_with("ref refs/heads/qd/"))
                .collect();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "left: {left:#?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
