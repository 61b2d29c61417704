//! Work beside the turns, when it is done.

use qd_api::DiffStat;
use qd_core::{Code, Command, Problem};
use tokio::time::Instant;

use super::{Done, Owner, Progress};

impl Owner {
    pub(super) async fn progressed(&mut self, progress: Progress) {
        match progress {
            Progress::Step(step) => self.report(Command::BeginStep(step)).await,
            Progress::Place(place, written) => {
                self.shared.step("place-told").await;
                self.place_written = Some(written);
                self.report(Command::PlaceReady(place)).await;
            }
        }
    }

    pub(super) async fn finished(&mut self, done: Done) {
        match done {
            Done::Created(result) => self.created(result).await,
            Done::Rejoined(result) => self.rejoined(result).await,
            Done::Retapped(result, again) => self.retapped(result, again).await,
            Done::Started(result) => self.started_again(result).await,
            done @ (Done::Parked(_) | Done::Unparked(_) | Done::Purged(_)) => {
                self.files_done(done).await;
            }
            Done::Resized(size, by, result) => self.resized(size, by, result),
            Done::Closed(result) => self.closed(result).await,
            Done::Looked(used) => self.looked_whether_idle(used).await,
            Done::LeftOpen => {}
        }
    }

    /// Work failed. When it did so because the daemon stops it is not given up: what is pending
    /// goes on at the next start.
    pub(super) async fn failed(&mut self, problem: Problem, report: fn(Problem) -> Command) {
        if problem.code != Code::DaemonStopping {
            self.report(report(problem)).await;
        }
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
        if place.base.is_none() || !self.count.is_empty() || self.state.parked.is_some() {
            return;
        }
        self.stat_read = Some(Instant::now());
        let git = self.shared.git.clone();
        self.count.spawn(async move { crate::diffs::stat(&git, &place).await.ok() });
    }
}
