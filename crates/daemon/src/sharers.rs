//! Who else works in the folder of a session: nothing is moved under anybody.

use std::path::{Path, PathBuf};

use qd_core::{Action, Code, Pending, Problem, Session, SessionId};
use tokio::sync::oneshot;

use crate::message::SessionMessage;
use crate::problems;
use crate::shared::Shared;
use crate::supervisor::SupervisorMessage;

/// The folder that goes away when this session is put away, while it is in place.
pub(crate) fn moving_folder(state: &Session) -> Option<&Path> {
    let place = state.place.as_ref().filter(|place| place.made_worktree)?;
    state.parked.is_none().then(|| Path::new(&place.worktree))
}

/// Sees to it that nobody works where the files of a session are about to be put away, and that
/// nobody comes: its shells go to the trash first. Who succeeds gives its claims back when the
/// files are away, or opens the folder again with [`open`].
///
/// # Errors
/// [`Code::WorktreeInUse`] when somebody else works there, or why a shell did not go.
pub(crate) async fn clear(shared: &Shared, state: &Session) -> Result<(), Problem> {
    let folder = moving_folder(state).map(Path::to_path_buf);
    if folder.is_none() && state.pending != Some(Pending::Trash) {
        return Ok(());
    }
    if let Some(folder) = &folder {
        close(shared, &state.id, folder).await?;
    }
    let cleared = clear_closed(shared, state, folder).await;
    if cleared.is_err() {
        open(shared, &state.id).await;
    }
    cleared
}

async fn clear_closed(
    shared: &Shared,
    state: &Session,
    folder: Option<PathBuf>,
) -> Result<(), Problem> {
    for shell in shells(shared, &state.id) {
        to_trash(shared, &shell).await?;
    }
    match folder {
        Some(folder) => match others(shared, &state.id, &folder).await?.as_slice() {
            [] => Ok(()),
            others => Err(in_use(shared, others)),
        },
        None => Ok(()),
    }
}

/// The same for a folder in the home that is to be moved back or removed.
///
/// # Errors
/// [`Code::WorktreeInUse`].
pub(crate) async fn clear_parked(
    shared: &Shared,
    id: &SessionId,
    folder: &Path,
) -> Result<(), Problem> {
    close(shared, id, folder).await?;
    let others = others(shared, id, folder).await;
    match others {
        Ok(others) if others.is_empty() => Ok(()),
        refused => {
            open(shared, id).await;
            Err(in_use(shared, &refused?))
        }
    }
}

/// Refuses what would move a folder under somebody else, before anything ends.
///
/// # Errors
/// [`Code::WorktreeInUse`], naming who works there.
pub(crate) async fn refuse(shared: &Shared, id: &SessionId) -> Result<(), Problem> {
    let folder = {
        let registry = shared.registry.borrow();
        let Some(entry) = registry.get(id) else { return Ok(()) };
        let shown = entry.view.borrow();
        let in_place = shown.parked_at.is_none() && shown.view.state != "trashed";
        let place = shown.place.as_ref().filter(|place| in_place && place.made_worktree);
        place.map(|place| PathBuf::from(&place.worktree))
    };
    let Some(folder) = folder else { return Ok(()) };
    let mine = shells(shared, id);
    let mut others = others(shared, id, &folder).await?;
    others.retain(|other| !mine.contains(other));
    if others.is_empty() { Ok(()) } else { Err(in_use(shared, &others)) }
}

/// The sessions outside the trash that were opened in the worktree of this one.
pub(crate) fn shells(shared: &Shared, id: &SessionId) -> Vec<SessionId> {
    let registry = shared.registry.borrow();
    let is_shell = |(key, entry): (&SessionId, &crate::shared::Entry)| {
        let view = &entry.view.borrow().view;
        let of_it = view.parent.as_deref() == Some(id.as_str()) && view.state != "trashed";
        of_it.then(|| key.clone())
    };
    registry.iter().filter_map(is_shell).collect()
}

/// Who works beneath a folder beside this session.
///
/// # Errors
/// The daemon stops.
pub(crate) async fn others(
    shared: &Shared,
    id: &SessionId,
    folder: &Path,
) -> Result<Vec<SessionId>, Problem> {
    let (reply, answer) = oneshot::channel();
    let message =
        SupervisorMessage::Others { folder: folder.to_path_buf(), session: id.clone(), reply };
    shared.supervisor.send(message).await.map_err(|_| problems::stopping())?;
    answer.await.map_err(|_| problems::stopping())
}

async fn close(shared: &Shared, id: &SessionId, folder: &Path) -> Result<(), Problem> {
    let (folder, session) = (folder.to_path_buf(), id.clone());
    let (reply, answer) = oneshot::channel();
    let message = SupervisorMessage::Close { folder, session, reply };
    shared.supervisor.send(message).await.map_err(|_| problems::stopping())?;
    answer.await.map_err(|_| problems::stopping())
}

/// Lets others into the folder again.
pub(crate) async fn open(shared: &Shared, id: &SessionId) {
    let _ = shared.supervisor.send(SupervisorMessage::Open { session: id.clone() }).await;
}

/// Puts a shell in the trash and waits until it is there.
async fn to_trash(shared: &Shared, id: &SessionId) -> Result<(), Problem> {
    let Some(entry) = shared.registry.borrow().get(id).cloned() else { return Ok(()) };
    let mut shown = entry.view.clone();
    let mut asked = false;
    loop {
        let view = std::sync::Arc::clone(&shown.borrow_and_update().view);
        match (view.state.as_str(), view.pending.as_deref()) {
            ("trashed", None) => return Ok(()),
            (_, Some("trash")) => {}
            (_, None) if asked => return Err(stays(&view)),
            _ => {
                let (reply, answer) = oneshot::channel();
                let message = SessionMessage::Act { action: Action::Trash, expect: None, reply };
                if entry.address.send(message).await.is_err() {
                    return gone(shared);
                }
                match answer.await {
                    Ok(Ok(_)) => asked = true,
                    // Something else is under way: once that is done it is asked again.
                    Ok(Err(problem)) if problem.code == Code::StateConflict => {}
                    Ok(Err(problem)) => return Err(problem),
                    Err(_) => return gone(shared),
                }
            }
        }
        tokio::select! {
            changed = shown.changed() => if changed.is_err() { return gone(shared) },
            () = shared.stop.cancelled() => return Err(problems::stopping()),
        }
    }
}

/// Its owner has ended: it is purged, or the daemon stops.
fn gone(shared: &Shared) -> Result<(), Problem> {
    if shared.stop.is_cancelled() { Err(problems::stopping()) } else { Ok(()) }
}

fn stays(shell: &qd_api::SessionView) -> Problem {
    let why = shell.problem.as_ref().map(|problem| problem.title.clone()).unwrap_or_default();
    Problem::new(
        Code::WorktreeInUse,
        format!("\u{201c}{}\u{201d} in its worktree could not be deleted. {why}", shell.title),
        format!("Delete it with `qd rm {}`, then try again.", shell.id),
    )
}

fn in_use(shared: &Shared, others: &[SessionId]) -> Problem {
    let registry = shared.registry.borrow();
    let name = |id: &SessionId| match registry.get(id) {
        Some(entry) => format!("\u{201c}{}\u{201d} ({id})", entry.view.borrow().view.title),
        None => id.to_string(),
    };
    let names: Vec<_> = others.iter().map(name).collect();
    let (verb, them) = if names.len() == 1 { ("works", "it") } else { ("work", "them") };
    let ids: Vec<_> = others.iter().map(SessionId::as_str).collect();
    Problem::new(
        Code::WorktreeInUse,
        format!("{} {verb} in its worktree, too. Nothing was moved.", names.join(" and ")),
        format!("Delete {them} first, with `qd rm {}`.", ids.join("`, `qd rm ")),
    )
}
