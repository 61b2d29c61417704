//! Taking a pane of the person's own tmux for a session.

use qd_core::{AdoptedPane, Place, Problem, Step};

use super::{Making, called_off};
use crate::panes::Pane;
use crate::session::Progress;

impl Making {
    /// Takes the pane. Nothing is made, so nothing is to be taken back.
    pub(super) async fn adopted(&self, at: &AdoptedPane, place: Place) -> Result<Pane, Problem> {
        self.place_is_written(place).await;
        self.tell(Progress::Step(Step::Start)).await;
        self.shared.step("create-start").await;
        let pane = tokio::select! {
            pane = self.shared.panes.adopt(&self.id, at) => pane?,
            () = self.cancel.cancelled() => return Err(called_off()),
        };
        self.shared.step("create-opened").await;
        // Dropped, it is let go of.
        if self.cancel.is_cancelled() { Err(called_off()) } else { Ok(pane) }
    }
}
