//! How long work stands.

use std::sync::Arc;

use qd_api::{Operation, SessionView};
use qd_core::{Code, Problem, SessionId};

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
            (Some(view), _) if view.pending.as_deref() == Some(word) => "running",
            (Some(view), "trash") if view.state == "trashed" => "done",
            (Some(view), "restore") if view.state != "trashed" => "done",
            (Some(_), "trash" | "restore" | "purge") => "failed",
            (Some(_), _) => return Err(unknown()),
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
