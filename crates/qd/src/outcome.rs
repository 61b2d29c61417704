//! What a person is told of an action: what happened, what was kept, and how to undo it.

use qd_api::SessionView;
use qd_core::Action;

use crate::{output, states};

/// The participle of an action while it goes on.
pub fn under_way(action: Action) -> &'static str {
    match action {
        Action::Trash => "Moving to the trash",
        Action::Restore => "Bringing back",
        Action::Purge => "Purging",
        Action::Pause => "Pausing",
        Action::Resume => "Resuming",
        Action::Hibernate => "Hibernating",
        Action::Wake => "Waking",
        Action::Restart => "Restarting",
    }
}

/// One line on what became of a session. `already`: there was nothing to do.
pub fn line(action: Action, before: &SessionView, after: &SessionView, already: bool) -> String {
    let id = &after.id;
    let title = output::quoted(&after.title);
    let place = output::plain(after.worktree.as_deref().unwrap_or(&after.repo));
    let kept = after.kept.as_deref().map(|kept| format!(" {}", output::plain(kept)));
    let kept = kept.unwrap_or_default();
    let again = if already { " already" } else { "" };
    match (action, after.state.as_str()) {
        (Action::Trash, "trashed") => {
            format!("{title} is in the trash{again}.{kept} Undo with `qd restore {id}`.")
        }
        (Action::Pause, "paused") => {
            format!("{title} is paused{again}.{kept} Undo with `qd resume {id}`.")
        }
        (Action::Hibernate, "hibernated") => {
            let wakes = after.wake_at.as_deref().map(crate::clock::local);
            let wakes = wakes.map(|at| format!(" It wakes on {at}.")).unwrap_or_default();
            format!(
                "{title} is hibernated{again}; its files are where they were, in {place}.{wakes} \
                 Undo with `qd wake {id}`."
            )
        }
        (Action::Resume | Action::Wake, "running") if already => {
            format!("{title} runs already, in {place}.")
        }
        (Action::Resume, "running") if before.state == "paused" => {
            format!("{title} runs again, in {place}. Undo with `qd pause {id}`.")
        }
        (Action::Resume | Action::Wake, "running") => {
            format!("{title} runs again, in {place}. Undo with `qd hibernate {id}`.")
        }
        (Action::Restart, "running") => format!(
            "{title} was started again, in {place}; what it printed before is in its history."
        ),
        (Action::Resume | Action::Wake | Action::Restart, "exited") => format!(
            "{title} was started, in {place}, and has ended again. \
             See its last words with `qd screen {id}`."
        ),
        (Action::Restore, "paused") => format!(
            "{title} is out of the trash. It is paused, with its files put away: \
             go on with `qd resume {id}`. Undo with `qd rm {id}`."
        ),
        (Action::Restore, _) => {
            let go_on = go_on(after).map(|word| format!(" Start it with `qd {word} {id}`."));
            format!(
                "{title} is back, in {place}.{} Undo with `qd rm {id}`.",
                go_on.unwrap_or_default()
            )
        }
        // Something else was asked of it meanwhile.
        _ => format!("{title} is {} now. Look at it with `qd show {id}`.", states::word(after)),
    }
}

/// The command that goes on with a session whose program does not run.
pub fn go_on(session: &SessionView) -> Option<&'static str> {
    match session.state.as_str() {
        // Where its program is, is not ours to start it.
        "exited" | "failed" if session.adopted.is_some() => None,
        "paused" => Some("resume"),
        // Else there is nothing to start it in: it is made again.
        "failed" if session.worktree.is_some() => Some("restart"),
        "hibernated" => Some("wake"),
        "exited" => Some("restart"),
        "trashed" => Some("restore"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::session;

    #[test]
    fn each_says_what_happened_what_was_kept_and_how_to_undo() {
        let at = |state: &str| {
            let mut view = session("kabc2345wxyz", "Fix login");
            view.state = state.to_owned();
            view.kept = matches!(state, "paused" | "trashed").then(|| "All is kept.".to_owned());
            view
        };
        for (action, before, after, told) in [
            (
                Action::Trash,
                "running",
                "trashed",
                "is in the trash. All is kept. Undo with `qd restore kabc2345wxyz`.",
            ),
            (
                Action::Pause,
                "running",
                "paused",
                "is paused. All is kept. Undo with `qd resume kabc2345wxyz`.",
            ),
            (
                Action::Resume,
                "paused",
                "running",
                "runs again, in /w. Undo with `qd pause kabc2345wxyz`.",
            ),
            (Action::Hibernate, "running", "hibernated", "Undo with `qd wake kabc2345wxyz`."),
            (
                Action::Wake,
                "hibernated",
                "running",
                "runs again, in /w. Undo with `qd hibernate kabc2345wxyz`.",
            ),
            (Action::Restart, "running", "running", "what it printed before is in its history."),
            (
                Action::Restart,
                "exited",
                "exited",
                "has ended again. See its last words with `qd screen kabc2345wxyz`.",
            ),
            (
                Action::Restore,
                "trashed",
                "paused",
                "It is paused, with its files put away: go on with `qd resume kabc2345wxyz`.",
            ),
            (
                Action::Restore,
                "trashed",
                "exited",
                "is back, in /w. Start it with `qd restart kabc2345wxyz`. Undo with `qd rm kabc2345wxyz`.",
            ),
            // It was deleted while it was paused.
            (Action::Pause, "running", "trashed", "is trashed now."),
        ] {
            let line = line(action, &at(before), &at(after), false);
            assert!(line.contains(told), "{line}");
            assert!(line.starts_with("\u{201c}Fix login\u{201d} "), "{line}");
            assert!(!line.contains('\n'), "{line}");
        }
        assert!(
            line(Action::Pause, &at("paused"), &at("paused"), true)
                .contains("is paused already. All is kept.")
        );
        assert!(line(Action::Wake, &at("running"), &at("running"), true).contains("runs already"));
    }
}
