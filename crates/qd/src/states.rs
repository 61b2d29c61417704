use qd_api::SessionView;

/// The words that a session's state can be, of its life and of its attention.
pub const ALL: [&str; 12] = [
    "creating",
    "running",
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

/// Whether a session is in the state.
pub fn is_in(session: &SessionView, state: &str) -> bool {
    session.state == state || session.attention.state == state
}

/// The one word that tells people most: what is under way, else what needs them, else where it
/// stands in its life.
pub fn word(session: &SessionView) -> &str {
    match (session.pending.as_deref(), session.state.as_str(), session.attention.state.as_str()) {
        (Some("trash"), ..) => "trashing",
        (Some("restore"), ..) => "restoring",
        (Some("purge"), ..) => "purging",
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
        "creating" | "trashing" | "restoring" | "purging" => "\u{2026}",
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
