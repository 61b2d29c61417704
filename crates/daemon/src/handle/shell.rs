//! A second terminal in the worktree of a session.

use qd_api::{NewSession, NewShell, SessionView};
use qd_core::{Code, Problem, SessionId};

use super::DaemonHandle;
use crate::shared::Shown;
use crate::supervisor::Wanted;
use crate::viewer::gone;
use crate::{launch, sharers};

impl DaemonHandle {
    /// Opens a shell, or another program, where a session works. It goes with that session.
    ///
    /// # Errors
    /// [`Code::StateConflict`] when the session has no files in place, or what is wrong with the
    /// request.
    pub async fn shell(&self, id: &SessionId, request: NewShell) -> Result<SessionView, Problem> {
        let shown = self.in_place(id)?;
        let folder = shown.place.as_ref().map(|place| place.worktree.clone()).unwrap_or_default();
        let title = match (&request.title, &request.command) {
            (None, None) => Some(derived_title(&shown.view.title, "shell")),
            (title, _) => title.clone(),
        };
        let wanted = NewSession {
            repo: folder,
            title,
            command: request.command,
            in_place: true,
            env: shown.launch.env.clone(),
            ..NewSession::default()
        };
        let (mut launch, repo) =
            launch::read(wanted, &self.shared.env, &self.shared.git, &self.shared.agents.catalog())
                .await?;
        // A shell of a shell goes with the session whose worktree it is, as that one does.
        launch.parent = Some(shown.launch.parent.clone().unwrap_or_else(|| id.clone()));
        let launch = Box::new(launch);
        self.make(Wanted { launch, repo, shared_folder: true, fork: None }).await
    }

    /// What a session shows, if its files are where it works.
    pub(super) fn in_place(&self, id: &SessionId) -> Result<std::sync::Arc<Shown>, Problem> {
        let registry = self.shared.registry.borrow();
        let entry = registry.get(id).ok_or_else(gone)?;
        let shown = std::sync::Arc::clone(&entry.view.borrow());
        let there = matches!(shown.view.state.as_str(), "running" | "hibernated" | "exited");
        let leaves = matches!(shown.view.pending.as_deref(), Some("trash" | "pause" | "purge"));
        if shown.place.is_some() && shown.parked_at.is_none() && there && !leaves {
            return Ok(shown);
        }
        Err(Problem::new(
            Code::StateConflict,
            format!(
                "\u{201c}{}\u{201d} has no files in place: its state is {}.",
                shown.view.title,
                shown.view.pending.as_deref().unwrap_or(&shown.view.state)
            ),
            "Nothing was made. Wait until it runs, or bring its files back with `qd resume` or `qd restore`.",
        ))
    }

    /// The shells that go with a session, and the others that work in its folder.
    pub(super) async fn company(
        &self,
        id: &SessionId,
        shown: &Shown,
    ) -> Result<(Vec<SessionId>, Vec<SessionId>), Problem> {
        let shells = sharers::shells(&self.shared, id);
        let place = shown.place.as_ref();
        let moves = place.filter(|place| place.made_worktree && shown.parked_at.is_none());
        let mut others = match moves {
            Some(place) => {
                let folder = std::path::Path::new(&place.worktree);
                sharers::others(&self.shared, id, folder).await?
            }
            None => Vec::new(),
        };
        others.retain(|other| !shells.contains(other));
        Ok((shells, others))
    }
}

/// A title made from another, within its bounds.
pub(super) fn derived_title(title: &str, what: &str) -> String {
    let room = 200 - what.chars().count() - 3;
    let begin: String = title.chars().take(room).collect();
    format!("{} ({what})", begin.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_any_length_can_be_derived_from() {
        assert_eq!(derived_title("Fix it", "shell"), "Fix it (shell)");
        let long = derived_title(&"🚀".repeat(200), "fork");
        assert_eq!(long.chars().count(), 200);
        assert!(qd_core::Title::parse(&long).is_ok());
        assert!(qd_core::Title::parse(&derived_title(&long, "fork")).is_ok());
    }
}
