//! To the trash, back from it, and out of it for good.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Exit, Lifecycle, Pending, Place, Problem};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::hold::Hold;
use super::rejoin::ASK_AGAIN;
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
        match &self.hold {
            Hold::Making(creation) => return creation.cancel(),
            Hold::Here(pane) => {
                if self.end_by.is_none() {
                    pane.end(END_GRACE).await;
                    self.end_by = Some(Instant::now() + END_GRACE + END_LIMIT);
                }
                return;
            }
            // Whether a program runs is not known, or it is ending: each of these comes back here.
            Hold::Joining | Hold::Closing => return,
            Hold::Nothing if self.parking => return,
            Hold::Nothing => {}
        }
        self.parking = true;
        let (shared, state) = (Arc::clone(&self.shared), self.state.clone());
        self.work.spawn(async move { Done::Parked(trash::park(&shared, &state).await) });
    }

    /// The program did not end though it was told to: its pane is closed under it.
    pub(super) fn close_pane_by_force(&mut self) {
        let Some(pane) = self.hold.take_pane(Hold::Closing) else { return };
        self.work.spawn(async move { Done::Closed(pane.kill().await.map(|()| None)) });
    }

    /// Ends what tmux has of this session, in a while, though no pane of it is in our hands.
    pub(super) fn end_what_is_left(&mut self, wait: Duration) {
        self.hold = Hold::Closing;
        let (shared, id) = (Arc::clone(&self.shared), self.id.clone());
        self.work.spawn(async move {
            if !shared.pause(wait).await {
                return Done::LeftOpen;
            }
            Done::Closed(shared.panes.end_left(&id).await)
        });
    }

    /// The pane was closed, or that could not be done.
    pub(super) async fn closed(&mut self, result: Result<Option<Exit>, Problem>) {
        match result {
            Ok(exit) => {
                self.hold = Hold::Nothing;
                match self.state.lifecycle {
                    Lifecycle::Running => self.ended(exit).await,
                    Lifecycle::Creating => {
                        self.creation_cut_short("It was deleted while it was made.".to_owned())
                            .await;
                    }
                    _ => self.advance_trash().await,
                }
            }
            Err(problem) => {
                // What runs there may write still: its files stay where they are until it is gone.
                tracing::warn!(session = %self.id, %problem, "the pane could not be closed yet");
                self.end_what_is_left(ASK_AGAIN);
            }
        }
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
