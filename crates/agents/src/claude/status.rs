//! The status file that Claude Code keeps: `sessions/PID.json`, as version 2.1.332 writes it.

use std::io::Read as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use qd_core::{AttentionState, Millis};
use serde_json::Value;

use crate::agent::Status;

/// Most files that are looked at.
const MOST_FILES: usize = 500;
/// Most bytes of one.
const MOST_BYTES: u64 = 64 * 1024;

/// What the files of a folder say of a conversation; the newest counts.
pub(super) fn read(folder: &Path, id: &str) -> Option<Status> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    // Beside each lies a file with a secret, which is not read.
    let files = entries.filter(|path| path.extension().is_some_and(|end| end == "json"));
    files.take(MOST_FILES).filter_map(|file| of(&file, id)).max_by_key(|status| status.since)
}

fn of(file: &Path, id: &str) -> Option<Status> {
    let opened = std::fs::File::open(file).ok()?;
    let written = opened.metadata().and_then(|about| about.modified()).ok()?;
    let mut text = String::new();
    opened.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    // One that is being written is read the next time.
    let status: Value = serde_json::from_str(&text).ok()?;
    if status["sessionId"].as_str() != Some(id) {
        return None;
    }
    let state = match (status["status"].as_str()?, status["waitingFor"].as_str()) {
        ("busy", _) => AttentionState::Working,
        ("idle", _) => AttentionState::Idle,
        ("waiting", Some("permission prompt")) => AttentionState::Permission,
        ("waiting", _) => AttentionState::Question,
        _ => return None,
    };
    let since = status["statusUpdatedAt"]
        .as_i64()
        .or_else(|| i64::try_from(written.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok())?;
    Some(Status { state, since: Millis(since) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_of_the_conversation_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(read(folder.path(), "a"), None);
        write("1.json", r#"{"sessionId":"a","status":"busy","statusUpdatedAt":5}"#);
        write(
            "2.json",
            r#"{"sessionId":"a","status":"waiting","waitingFor":"permission prompt","statusUpdatedAt":7}"#,
        );
        write("3.json", r#"{"sessionId":"b","status":"idle","statusUpdatedAt":9}"#);
        write("4.json", r#"{"sessionId":"a","sta"#);
        write("5.key", r#"{"sessionId":"a","status":"idle","statusUpdatedAt":99}"#);
        let status = |state, since| Some(Status { state, since: Millis(since) });
        assert_eq!(read(folder.path(), "a"), status(AttentionState::Permission, 7));
        assert_eq!(read(folder.path(), "b"), status(AttentionState::Idle, 9));
        write("6.json", r#"{"sessionId":"c","status":"waiting","waitingFor":"input needed"}"#);
        assert_eq!(read(folder.path(), "c").unwrap().state, AttentionState::Question);
        write("7.json", r#"{"sessionId":"d","status":"dreaming"}"#);
        assert_eq!(read(folder.path(), "d"), None);
    }
}
