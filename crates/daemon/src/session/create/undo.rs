//! Taking back a creation that was cut short with its daemon.

use std::path::PathBuf;

use qd_core::{Problem, SessionId};

use crate::problems;
use crate::shared::Shared;

/// Takes back what a creation left that was cut short with its daemon; whether something of it is
/// there still.
pub(crate) async fn take_back_unfinished(shared: &Shared, id: &SessionId) -> bool {
    take_back(shared, id).await.unwrap_or_else(|problem| {
        tracing::warn!(session = %id, %problem, "an unfinished creation was not taken back");
        true
    })
}

/// The same; its note stays when it cannot be done.
///
/// # Errors
/// What git says.
pub(crate) async fn take_back(shared: &Shared, id: &SessionId) -> Result<bool, Problem> {
    let note = unfinished(shared, id);
    let Ok(bytes) = std::fs::read(&note) else { return Ok(false) };
    let Ok((top, place)) = serde_json::from_slice::<(PathBuf, qd_git::Place)>(&bytes) else {
        return Ok(false);
    };
    let repo = shared.git.discover(&top).await.map_err(|error| problems::git(&error))?;
    let undo = shared.repos.change(repo, move |writer| {
        Box::pin(async move {
            writer.roll_back_unfinished(&place).await.map_err(|error| problems::git(&error))
        })
    });
    let report = undo.await?;
    let _ = std::fs::remove_file(&note);
    Ok(!report.kept.is_empty())
}

/// Nothing is half-done any more.
pub(crate) fn forget_note(shared: &Shared, id: &SessionId) {
    let _ = std::fs::remove_file(unfinished(shared, id));
}

/// Where a creation writes down what it is about to make.
pub(super) fn unfinished(shared: &Shared, id: &SessionId) -> PathBuf {
    shared.home.session(id).join("creating.json")
}
