//! To the trash, back from it, and out of it for good.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use qd_core::{Code, Command, Lifecycle, Parked, Pending, Place, Problem, Session};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Done, END_GRACE, END_LIMIT, Owner};
use crate::shared::Shared;
use crate::supervisor::SupervisorMessage;
use crate::trash;

impl Owner {
    /// Takes the way to the trash one step further, from wherever it stands: the creation is
    /// called off, then the program ends, then the files are put away.
    pub(super) async fn advance_trash(&mut self) {
        if self.state.pending != Some(Pending::Trash) {
            return;
        }
        if let Some(creation) = &self.creation {
            creation.cancel();
            return;
        }
        if let Some(pane) = &self.pane {
            if self.end_by.is_none() {
                pane.end(END_GRACE).await;
                self.end_by = Some(Instant::now() + END_GRACE + END_LIMIT);
            }
            return;
        }
        if self.closing || self.parking {
            return;
        }
        self.parking = true;
        let (shared, state) = (Arc::clone(&self.shared), self.state.clone());
        self.work.spawn(async move { Done::Parked(park(&shared, &state).await) });
    }

    /// The program did not end though it was told to: its pane is closed under it.
    pub(super) async fn close_pane_by_force(&mut self) {
        let Some(pane) = self.pane.take() else { return };
        self.closing = true;
        let id = self.id.clone();
        self.work.spawn(async move {
            if let Err(problem) = pane.kill().await {
                tracing::error!(session = %id, %problem, "a pane could not be closed");
            }
            Done::Closed
        });
        self.terminal.exited(None);
        self.report(Command::Exited(None)).await;
    }

    /// A worktree is back where it was, and ours again.
    pub(super) async fn claim_again(&self, place: &Place) {
        let (reply, _) = oneshot::channel();
        let message = SupervisorMessage::Claim {
            folder: PathBuf::from(&place.worktree),
            session: self.id.clone(),
            shared: true,
            reply,
        };
        let _ = self.shared.supervisor.send(message).await;
    }

    pub(super) async fn release_claims(&self) {
        let message = SupervisorMessage::Release { session: self.id.clone() };
        let _ = self.shared.supervisor.send(message).await;
    }

    pub(super) fn begin_restore(&mut self) {
        let (shared, state) = (Arc::clone(&self.shared), self.state.clone());
        self.work.spawn(async move { Done::Restored(restore(&shared, &state).await) });
    }

    pub(super) fn begin_purge(&mut self) {
        let (shared, state) = (Arc::clone(&self.shared), self.state.clone());
        self.work.spawn(async move { Done::Purged(purge(&shared, &state).await) });
    }
}

async fn park(shared: &Shared, state: &Session) -> Result<Parked, Problem> {
    let Some(place) = &state.place else {
        return Ok(Parked { path: None, receipt: None, kept: "It had no files.".to_owned() });
    };
    if !place.made_worktree {
        return Ok(Parked {
            path: None,
            receipt: None,
            kept: format!("Its folder {} was left as it is.", place.worktree),
        });
    }
    let cut_short = shared.home.trash(&state.id).join("record.json").exists();
    if !cut_short && !Path::new(&place.worktree).exists() {
        return Ok(Parked {
            path: None,
            receipt: None,
            kept: "Its worktree was gone already; its branch is as it was.".to_owned(),
        });
    }
    trash::park(shared, place, &state.id).await
}

async fn restore(shared: &Shared, state: &Session) -> Result<Option<Box<Place>>, Problem> {
    match (&state.parked, &state.place) {
        (Some(Parked { receipt: Some(receipt), .. }), Some(place)) => {
            trash::unpark(shared, receipt.clone(), place, &state.id)
                .await
                .map(|p| Some(Box::new(p)))
        }
        _ => Ok(None),
    }
}

async fn purge(shared: &Shared, state: &Session) -> Result<(), Problem> {
    if state.lifecycle != Lifecycle::Trashed {
        return Err(Problem::new(
            Code::StateConflict,
            "Only what is in the trash can be purged.",
            "Put it in the trash first, with `qd rm`.",
        ));
    }
    let (Some(parked), Some(place)) = (&state.parked, &state.place) else { return Ok(()) };
    match &parked.receipt {
        Some(receipt) => trash::purge(shared, receipt.clone(), place, &state.id).await,
        None => Ok(()),
    }
}
