use qd_api::SessionView;

/// The words that a session's state can be, of its life and of its attention.
pub const ALL: [&str; 14] = [
    "creating",
    "running",
    "paused",
    "hibernated",
    "exited",
    "failed",
    "trashed",
    "unknown",
    "working",
    "permission",
    "question",
    "idle",
    "done",
    "error",
];

/// Reads one state word.
///
/// # Errors
/// One sentence, when there is no such state.
pub fn parse(text: &str) -> Result<String, String> {
    if ALL.contains(&text) {
        Ok(text.to_owned())
    } else {
        Err(format!("there is no such state; those there are: {}", ALL.join(", ")))
    }
}

/// Whether a session is in the state. One that is put away is not idle: it cannot be spoken to.
pub fn is_in(session: &SessionView, state: &str) -> bool {
    let away = matches!(session.state.as_str(), "paused" | "hibernated");
    session.state == state || (!away && session.attention.state == state)
}

/// The one word that tells people most: what is under way, else what needs them, else where it
/// stands in its life.
pub fn word(session: &SessionView) -> &str {
    match (session.pending.as_deref(), session.state.as_str(), session.attention.state.as_str()) {
        (Some("trash"), ..) => "trashing",
        (Some("restore"), ..) => "restoring",
        (Some("purge"), ..) => "purging",
        (Some("pause"), ..) => "pausing",
        (Some("resume"), ..) => "resuming",
        (Some("hibernate"), ..) => "hibernating",
        (Some("wake"), ..) => "waking",
        (Some("restart"), ..) => "restarting",
        (_, "running", attention) if attention != "unknown" => attention,
        (_, state, _) => state,
    }
}

/// A mark before the word.
pub fn glyph(word: &str) -> &'static str {
    match word {
        "permission" | "question" => "?",
        "error" | "failed" => "!",
        "working" | "running" => "\u{25cf}",
        "done" | "exited" => "\u{2713}",
        "paused" => "=",
        "hibernated" => "z",
        "creating" | "trashing" | "restoring" | "purging" | "pausing" | "resuming"
        | "hibernating" | "waking" | "restarting" => "\u{2026}",
        _ => "\u{25cb}",
    }
}

/// The SGR parameters of its colour: the mark says the same, for those who see none.
pub fn colour(word: &str) -> &'static str {
    match word {
        "permission" | "question" => "33",
        "error" | "failed" => "31",
        "working" | "running" => "32",
        _ => "2",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::session;

    #[test]
    fn what_is_put_away_is_told_as_such() {
        let mut view = session("kabc2345wxyz", "t");
        view.attention.state = "idle".to_owned();
        for (state, pending, told, idle) in [
            ("running", None, "idle", true),
            ("running", Some("pause"), "pausing", true),
            ("paused", None, "paused", false),
            ("paused", Some("resume"), "resuming", false),
            ("hibernated", None, "hibernated", false),
            ("hibernated", Some("wake"), "waking", false),
            ("exited", Some("restart"), "restarting", true),
        ] {
            view.state = state.to_owned();
            view.pending = pending.map(str::to_owned);
            assert_eq!((word(&view), is_in(&view, "idle")), (told, idle), "{state} {pending:?}");
            assert!(is_in(&view, state) && parse(state).is_ok());
        }
    }
}
