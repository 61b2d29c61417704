use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use qd_core::AttentionState;
use serde_json::Value;

use crate::agent::{Agent, Place, Prompt, words};
use crate::title;

/// Most files of conversations that are looked at.
const MOST_FILES: usize = 2000;
/// Most bytes of the line that says whose a conversation is.
const MOST_HEAD: u64 = 1024 * 1024;
/// How much earlier than the start of a session its conversation may seem to have begun, in
/// milliseconds: file systems round.
const ROUNDING: i64 = 2000;

/// Codex. It names its conversations itself, and writes each to a file of its own, whose first
/// line says in which folder it was begun.
#[derive(Debug)]
pub(crate) struct Codex;

impl Agent for Codex {
    fn name(&self) -> &str {
        "codex"
    }

    fn title(&self) -> &str {
        "Codex"
    }

    fn program(&self) -> &str {
        "codex"
    }

    fn install(&self) -> Option<&str> {
        Some("npm install -g @openai/codex")
    }

    fn prompt(&self) -> Prompt {
        Prompt::Last
    }

    fn resume(&self, id: &str) -> Option<Vec<String>> {
        words(["resume", id])
    }

    /// Without a folder that is named, it asks whether to work in that of the other one.
    fn fork(&self, id: &str, _new: &str) -> Option<Vec<String>> {
        words(["fork", "--cd", ".", id])
    }

    fn names_own(&self) -> bool {
        true
    }

    fn title_says(&self, title: &str) -> Option<AttentionState> {
        if title::spins(title) {
            return Some(AttentionState::Working);
        }
        if title.split(" | ").next().is_some_and(|first| first.ends_with("Action Required")) {
            return Some(AttentionState::Permission);
        }
        (title.split(" | ").last() == Some("codex")).then_some(AttentionState::Idle)
    }

    fn has(&self, place: &Place<'_>, id: &str) -> bool {
        let end = format!("-{id}.jsonl");
        rollouts(place).iter().any(|file| file.to_string_lossy().ends_with(&end))
    }

    fn began(&self, place: &Place<'_>) -> Vec<String> {
        let mut found: Vec<(i64, String)> = rollouts(place)
            .iter()
            .filter_map(|file| {
                let changed = changed(file)?;
                (changed + ROUNDING >= place.since.0).then_some((changed, head(file)?))
            })
            .filter(|(_, head)| is_the_persons(head, place))
            .filter_map(|(at, head)| Some((at, head["payload"]["id"].as_str()?.to_owned())))
            .collect();
        found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        found.into_iter().map(|(_, id)| id).collect()
    }
}

/// Whether a conversation was begun in that folder, since then, by a person: not by another
/// conversation, as those are that only make its title.
fn is_the_persons(head: &Value, place: &Place<'_>) -> bool {
    let meta = &head["payload"];
    let is_here = meta["cwd"].as_str().is_some_and(|cwd| Path::new(cwd) == place.folder);
    is_here && meta["source"].is_string()
}

/// The files of conversations: `sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl`, newest day first.
fn rollouts(place: &Place<'_>) -> Vec<PathBuf> {
    let Some(files) = place.files("CODEX_HOME", ".codex") else { return vec![] };
    let mut found = vec![];
    beneath(&files.join("sessions"), 3, &mut found);
    found
}

fn beneath(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_by(|a, b| b.cmp(a));
    for path in paths {
        if found.len() >= MOST_FILES {
            return;
        }
        if depth > 0 {
            beneath(&path, depth - 1, found);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}

fn changed(file: &Path) -> Option<i64> {
    let changed = std::fs::metadata(file).and_then(|about| about.modified()).ok()?;
    i64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn head(file: &Path) -> Option<Value> {
    let mut line = String::new();
    let file = std::fs::File::open(file).ok()?;
    BufReader::new(file.take(MOST_HEAD)).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}
