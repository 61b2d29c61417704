//! To the trash, back from it, and out of it for good.

use std::path::PathBuf;
use std::sync::Arc;

use qd_core::{Command, Pending, Place};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Done, END_GRACE, END_LIMIT, Owner};
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
        self.work.spawn(async move { Done::Parked(trash::park(&shared, &state).await) });
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
        self.work.spawn(async move { Done::Restored(trash::restore(&shared, &state).await) });
    }

    pub(super) fn begin_purge(&mut self) {
        let (shared, state) = (Arc::clone(&self.shared), self.state.clone());
        self.work.spawn(async move { Done::Purged(trash::purge(&shared, &state).await) });
    }
}
