//! How long work stands.

use std::sync::Arc;

use qd_api::{Operation, SessionView};
use qd_core::{Action, Code, Problem, SessionId, Shipping};

use super::DaemonHandle;
use crate::problems;

impl DaemonHandle {
    /// How an operation stands, by its id.
    ///
    /// # Errors
    /// [`Code::UnknownOperation`].
    pub async fn operation(&self, id: &str) -> Result<Operation, Problem> {
        let unknown = || {
            Problem::new(
                Code::UnknownOperation,
                "No operation has that id.",
                "Take the id from the answer that began it.",
            )
        };
        let (session, word) = id.rsplit_once('-').ok_or_else(unknown)?;
        let session = SessionId::parse(session).map_err(|_| unknown())?;
        let view = self.view(&session);
        let state = match (&view, word) {
            // A purged session is gone, and that is how a purge ends well; one that never was has
            // no events.
            (None, "purge") if self.had_events(&session).await? => "done",
            (None, _) => return Err(unknown()),
            (Some(view), word) if Shipping::ALL.iter().any(|step| step.as_str() == word) => {
                // Only the last one is known, since the daemon started.
                let last = view.shipping.as_ref().filter(|last| last.what == word);
                &last.ok_or_else(unknown)?.state
            }
            (Some(_), word) if !Action::ALL.iter().any(|action| action.as_str() == word) => {
                return Err(unknown());
            }
            (Some(view), word) => stands(view, word),
        };
        Ok(Operation {
            id: id.to_owned(),
            session: session.to_string(),
            step: word.to_owned(),
            of: 1,
            state: state.to_owned(),
        })
    }

    fn view(&self, session: &SessionId) -> Option<Arc<SessionView>> {
        let registry = self.shared.registry.borrow();
        registry.get(session).map(|entry| Arc::clone(&entry.view.borrow().view))
    }

    async fn had_events(&self, session: &SessionId) -> Result<bool, Problem> {
        let version = self.shared.store.version(session.as_str()).await;
        version.map(|version| version > 0).map_err(|error| problems::store(&error))
    }
}

/// How an action on a session stands, from what the session shows.
fn stands(view: &SessionView, word: &str) -> &'static str {
    let pending = view.pending.as_deref();
    // One that is hibernated is resumed by waking it.
    if pending == Some(word) || (word, pending) == ("resume", Some("wake")) {
        return "running";
    }
    let done = match (word, view.state.as_str()) {
        ("trash", state) => state == "trashed",
        ("restore", state) => state != "trashed",
        ("pause", state) => matches!(state, "paused" | "trashed"),
        ("hibernate", state) => state != "exited",
        ("resume" | "wake" | "restart", "running") => true,
        // It ran and has ended since.
        ("resume" | "wake" | "restart", "exited") => view.problem.is_none(),
        _ => false,
    };
    if done { "done" } else { "failed" }
}
