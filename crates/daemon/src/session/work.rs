//! Work beside the turns, when it is done.

use qd_api::DiffStat;
use qd_core::{Command, Lifecycle};
use tokio::time::Instant;

use super::{Done, Owner, Progress, Then};
use crate::viewer::ViewerGone;

impl Owner {
    pub(super) async fn progressed(&mut self, progress: Progress) -> Then {
        match progress {
            Progress::Step(step) => self.report(Command::BeginStep(step)).await,
            Progress::Place(place) => self.report(Command::PlaceReady(place)).await,
        }
        Then::Continue
    }

    pub(super) async fn finished(&mut self, done: Done) -> Then {
        match done {
            Done::Created(result) => self.created(result).await,
            Done::Rejoined(result) => self.rejoined(result).await,
            Done::Retapped(result) => self.retapped(result).await,
            Done::Parked(Ok(parked)) => {
                self.parking = false;
                self.release_claims().await;
                self.report(Command::TrashDone(Box::new(parked))).await;
            }
            Done::Parked(Err(problem)) => {
                self.parking = false;
                self.report(Command::TrashFailed(problem)).await;
            }
            Done::Restored(Ok(place)) => {
                if let Some(place) = &place {
                    self.claim_again(place).await;
                }
                self.report(Command::RestoreDone(place)).await;
            }
            Done::Restored(Err(problem)) => self.report(Command::RestoreFailed(problem)).await,
            Done::Purged(Ok(())) => {
                self.report(Command::PurgeDone).await;
                self.terminal.dismiss(None, ViewerGone::NoSession);
                self.forget_files();
                return Then::End;
            }
            Done::Purged(Err(problem)) => self.report(Command::PurgeFailed(problem)).await,
            Done::Resized(size, by, result) => {
                self.resizing = false;
                match result {
                    Ok(()) => {
                        self.terminal.resized(size, by);
                        self.publish();
                        self.settle_size();
                    }
                    Err(problem) => {
                        tracing::warn!(session = %self.id, %problem, "the terminal kept its size");
                    }
                }
            }
            Done::Closed => {
                self.closing = false;
                self.advance_trash().await;
            }
        }
        Then::Continue
    }

    pub(super) fn counted(&mut self, stat: Option<DiffStat>) {
        if stat.is_some() && stat != self.stat {
            self.stat = stat;
            self.publish();
        }
    }

    /// Counts the diff beside the turns; one count at a time.
    pub(super) fn count_diff(&mut self) {
        let Some(place) = self.state.place.clone() else { return };
        if place.base.is_none()
            || !self.count.is_empty()
            || self.state.lifecycle == Lifecycle::Trashed
        {
            return;
        }
        self.stat_read = Some(Instant::now());
        let git = self.shared.git.clone();
        self.count.spawn(async move { crate::diffs::stat(&git, &place).await.ok() });
    }
}
