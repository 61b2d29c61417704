//! What titles of terminals say.

use qd_core::AttentionState;

use crate::catalog::Catalog;

/// What a title says of a program of that name; none when it says nothing that is sure.
#[must_use]
pub fn title_says(agent: &str, title: &str) -> Option<AttentionState> {
    let catalog = Catalog::default();
    match catalog.iter().find(|known| known.name() == agent) {
        Some(known) => known.title_says(title),
        None => spins(title).then_some(AttentionState::Working),
    }
}

/// Whether a title begins with a mark that turns while something goes on: a pattern of Braille
/// dots, or a circle of which a part is filled.
pub(crate) fn spins(title: &str) -> bool {
    title.chars().next().is_some_and(|first| {
        matches!(first, '\u{2801}'..='\u{28ff}' | '\u{25d0}'..='\u{25d5}' | '\u{25f4}'..='\u{25f7}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use AttentionState::{Idle, Permission, Working};

    #[test]
    fn each_title_says_what_it_surely_says_and_no_more() {
        for (agent, title, says) in [
            ("claude", "\u{25d0} Claude Code", Some(Working)),
            ("claude", "\u{25d3} Fix the login", Some(Working)),
            ("claude", "\u{2802} Fix the login", Some(Working)),
            // The same at rest and while it asks.
            ("claude", "\u{2733} Claude Code", None),
            // A question to the terminal that is taken for a title.
            ("claude", "Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA", None),
            ("codex", "\u{280b} fix it | codex", Some(Working)),
            ("codex", "[ . ] Action Required | fix it | codex", Some(Permission)),
            ("codex", "fix it | codex", Some(Idle)),
            ("codex", "codex", Some(Idle)),
            ("codex", "user@host: ~/w", None),
            ("gemini", "\u{2726}  Working\u{2026} (w)", Some(Working)),
            ("gemini", "\u{270b}  Action Required (w)", Some(Permission)),
            ("gemini", "\u{25c7}  Ready (w)", Some(Idle)),
            ("opencode", "OC | a task", None),
            ("command", "\u{2819} building", Some(Working)),
            ("command", "vim", None),
            ("command", "", None),
        ] {
            assert_eq!(title_says(agent, title), says, "{agent}: {title}");
        }
    }
}
