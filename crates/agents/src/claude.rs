mod hooks;
mod status;

use qd_core::{AttentionState, HookEvent};
use serde_json::Value;

use crate::agent::{Agent, Place, Prompt, Status, words};
use crate::title;

/// Claude Code. Its conversations are UUIDs, and it takes one from us.
#[derive(Debug)]
pub(crate) struct Claude;

impl Agent for Claude {
    fn name(&self) -> &str {
        "claude"
    }

    fn title(&self) -> &str {
        "Claude Code"
    }

    fn program(&self) -> &str {
        "claude"
    }

    fn install(&self) -> Option<&str> {
        Some("npm install -g @anthropic-ai/claude-code")
    }

    fn prompt(&self) -> Prompt {
        Prompt::Last
    }

    fn begin(&self, id: &str) -> Option<Vec<String>> {
        words(["--session-id", id])
    }

    fn resume(&self, id: &str) -> Option<Vec<String>> {
        words(["--resume", id])
    }

    fn fork(&self, id: &str, new: &str) -> Option<Vec<String>> {
        words(["--resume", id, "--fork-session", "--session-id", new])
    }

    /// It writes `projects/FOLDER/ID.jsonl` with the first prompt. The name of the folder is made
    /// from the one that it was begun in, which is not asked for: ids do not repeat.
    fn has(&self, place: &Place<'_>, id: &str) -> bool {
        let Some(files) = place.files("CLAUDE_CONFIG_DIR", ".claude") else { return false };
        let Ok(projects) = std::fs::read_dir(files.join("projects")) else { return false };
        let name = format!("{id}.jsonl");
        projects.flatten().any(|project| project.path().join(&name).is_file())
    }

    fn hooks(&self) -> &'static [&'static str] {
        &hooks::NAMES
    }

    fn hook_settings(&self, command: &str) -> Option<String> {
        Some(hooks::settings(command))
    }

    fn with_settings(&self, file: &str) -> Option<Vec<String>> {
        words(["--settings", file])
    }

    fn hook(&self, name: &str, body: &Value) -> Option<HookEvent> {
        hooks::read(name, body)
    }

    /// The mark of its title at rest is the same while it asks: it says nothing.
    fn title_says(&self, title: &str) -> Option<AttentionState> {
        title::spins(title).then_some(AttentionState::Working)
    }

    fn keeps_status(&self) -> bool {
        true
    }

    fn status(&self, place: &Place<'_>, id: &str) -> Option<Status> {
        status::read(&place.files("CLAUDE_CONFIG_DIR", ".claude")?.join("sessions"), id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use qd_core::Millis;

    use super::*;

    #[test]
    fn a_conversation_is_there_once_its_file_is() {
        let home = tempfile::tempdir().unwrap();
        let env = BTreeMap::from([("HOME".to_owned(), home.path().display().to_string())]);
        let place = Place { folder: Path::new("/w"), env: &env, since: Millis(0) };
        assert!(!Claude.has(&place, "a"));
        let project = home.path().join(".claude/projects/-w");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join("a.jsonl"), "{}\n").unwrap();
        assert!(Claude.has(&place, "a"));
        assert!(!Claude.has(&place, "b"));
        let other = BTreeMap::from([("CLAUDE_CONFIG_DIR".to_owned(), "/nowhere".to_owned())]);
        assert!(!Claude.has(&Place { env: &other, ..place }, "a"));
    }
}
