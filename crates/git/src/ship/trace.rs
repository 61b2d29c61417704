//! Which hook runs and which one refused, from the events that git itself writes down.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{GitError, Result};

/// The most bytes that are read; a hook may run git many times, and that is written there as well.
const MAX_TRACE: u64 = 8 << 20;

/// A place for git's events.
pub(super) struct Trace(tempfile::TempDir);

#[derive(Deserialize)]
struct Event {
    event: String,
    sid: String,
    child_id: Option<u64>,
    hook_name: Option<String>,
    code: Option<i64>,
}

impl Trace {
    pub(super) fn new(scratch: &Path) -> Result<Self> {
        let make = || {
            std::fs::create_dir_all(scratch)?;
            tempfile::Builder::new().prefix("events-").tempdir_in(scratch)
        };
        make().map(Self).map_err(|e| GitError::io("Making a folder in", scratch, e))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("events")
    }

    /// The hook that ended with an error.
    pub(super) fn refusing_hook(&self) -> Option<String> {
        self.hooks()
            .into_iter()
            .rev()
            .find(|hook| hook.1.is_some_and(|code| code != 0))
            .map(|h| h.0)
    }

    /// The hook that has not ended.
    pub(super) fn running_hook(&self) -> Option<String> {
        self.hooks().into_iter().find(|hook| hook.1.is_none()).map(|hook| hook.0)
    }

    /// The hooks of the command itself in their order, with the code that each ended with.
    fn hooks(&self) -> Vec<(String, Option<i64>)> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        if let Ok(file) = std::fs::File::open(self.path()) {
            // What cannot be read only makes an error less exact.
            let _ = file.take(MAX_TRACE).read_to_end(&mut bytes);
        }
        let mut hooks: Vec<(u64, String, Option<i64>)> = Vec::new();
        for line in bytes.split(|&byte| byte == b'\n') {
            let Ok(event) = serde_json::from_slice::<Event>(line) else { continue };
            // A git that a hook runs has the name of its parent before its own.
            if event.sid.contains('/') {
                continue;
            }
            match (event.event.as_str(), event.child_id, event.hook_name) {
                ("child_start", Some(id), Some(name)) => hooks.push((id, name, None)),
                ("child_exit", Some(id), _) => {
                    if let Some(hook) = hooks.iter_mut().find(|hook| hook.0 == id) {
                        hook.2 = Some(event.code.unwrap_or(1));
                    }
                }
                _ => {}
            }
        }
        hooks.into_iter().map(|(_, name, code)| (name, code)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_of_the_command_are_told_from_those_of_what_they_run() {
        let scratch = tempfile::tempdir().unwrap();
        let trace = Trace::new(scratch.path()).unwrap();
        let line = |event: &str, sid: &str, id: u64, rest: &str| {
            format!("{{\"event\":\"{event}\",\"sid\":\"{sid}\",\"child_id\":{id}{rest}}}\n")
        };
        let text = [
            "not json\n".to_owned(),
            line("child_start", "a", 0, ",\"hook_name\":\"pre-commit\""),
            line("child_start", "a/b", 0, ",\"hook_name\":\"inner\""),
            line("child_exit", "a/b", 0, ",\"code\":1"),
            line("child_exit", "a", 0, ",\"code\":0"),
            line("child_start", "a", 1, ",\"child_class\":\"editor\""),
            line("child_start", "a", 2, ",\"hook_name\":\"commit-msg\""),
        ]
        .concat();
        std::fs::write(trace.path(), &text).unwrap();
        assert_eq!(trace.running_hook().as_deref(), Some("commit-msg"));
        assert_eq!(trace.refusing_hook(), None);
        let ended = line("child_exit", "a", 2, ",\"code\":3");
        std::fs::write(trace.path(), text + &ended).unwrap();
        assert_eq!(trace.running_hook(), None);
        assert_eq!(trace.refusing_hook().as_deref(), Some("commit-msg"));
    }
}
