//! How long work stands.

use std::sync::Arc;

use qd_api::Operation;
use qd_core::{Code, Problem, SessionId};

use super::DaemonHandle;

impl DaemonHandle {
    /// How an operation stands, by its id.
    ///
    /// # Errors
    /// [`Code::UnknownOperation`].
    pub fn operation(&self, id: &str) -> Result<Operation, Problem> {
        let unknown = || {
            Problem::new(
                Code::UnknownOperation,
                "No operation has that id.",
                "Take the id from the answer that began it.",
            )
        };
        let (session, word) = id.rsplit_once('-').ok_or_else(unknown)?;
        let session = SessionId::parse(session).map_err(|_| unknown())?;
        let registry = self.shared.registry.borrow();
        let view = registry.get(&session).map(|entry| Arc::clone(&entry.view.borrow().view));
        let state = match (&view, word) {
            // A purged session is gone, and that is how a purge ends well.
            (None, "purge") => "done",
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
}
