//! To the trash, back from it, and out of it for good.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Code, Exit, Lifecycle, Parked, Pending, Place, Problem, Session};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::hold::Hold;
use super::rejoin::ASK_AGAIN;
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
        self.work.spawn(async move { Done::Parked(park(&shared, &state).await) });
    }

    /// The program did not end though it was told to: its pane is closed under it.
    pub(super) fn close_pane_by_force(&mut self) {
        let Some(pane) = self.hold.take_pane(Hold::Closing) else { return };
        self.work.spawn(async move { Done::Closed(pane.kill().await.map(|()| None)) });
    }

    /// Ends what tmux has of this session, in a while, though no pane of it is in our hands.
    pub(super) fn end_what_is_left(&mut self, wait: Duration) {
        self.hold = Hold::Closing;
        let (panes, id, stop) =
            (self.shared.panes.clone(), self.id.clone(), self.shared.stop.clone());
        self.work.spawn(async move {
            if !wait.is_zero() {
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = stop.cancelled() => return Done::LeftOpen,
                }
            }
            Done::Closed(panes.end_left(&id).await)
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
