//! Work beside the turns, when it is done.

use std::time::Duration;

use qd_api::DiffStat;
use qd_core::{Code, Command, Exit, Parked, Place, Problem, Size, Step};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Owner, STAT_AFTER, STAT_EVERY, STAT_WATCHED};
use crate::doze::Usage;
use crate::message::{Reply, ViewerId};
use crate::panes::{Pane, Rejoin};
use crate::ships::Outcome;

/// What a creation reports on its way.
pub(crate) enum Progress {
    /// A line of what is being shipped.
    Said(String),
    /// A step begins.
    Step(Step),
    /// The files are there; answered when that is stored.
    Place(Box<Place>, oneshot::Sender<()>),
}

/// Work that was done beside the owner's turns.
pub(super) enum Done {
    Created(Result<Pane, super::create::Unmade>),
    Rejoined(Result<Rejoin, Problem>),
    /// With how soon the pane is looked for when that failed.
    Retapped(Result<(Pane, Vec<u8>, Size), Problem>, Duration),
    /// With the conversation that it goes on with.
    Started(Result<(Pane, Option<String>), Problem>),
    Parked(Result<Parked, Problem>),
    Unparked(Result<Option<Box<Place>>, Problem>),
    Purged(Result<(), Problem>),
    Resized(Size, ResizeBy, Result<(), Problem>),
    /// How the program ended, where that is known.
    Closed(Result<Option<Exit>, Problem>),
    /// The conversation that its agent has begun.
    Conversation(Result<Option<String>, Problem>),
    /// What its processes have used of the processor.
    Looked(Option<Usage>),
    /// A step of shipping.
    Shipped(qd_core::Shipping, Result<Outcome, Problem>),
    /// The daemon stops before it was tried again.
    LeftOpen,
}

/// Who wants a size.
pub(super) enum ResizeBy {
    Viewer(ViewerId),
    Command(Reply<()>),
}

impl Owner {
    pub(super) async fn progressed(&mut self, progress: Progress) {
        match progress {
            Progress::Said(line) => self.shipping_said(line),
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
            Done::Conversation(found) => self.looked_for_conversation(found).await,
            Done::Shipped(what, result) => self.shipped(what, result).await,
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
        // An editor, or a shell beside it, changes files and prints nothing here.
        if self.terminal.is_watched() && self.stat_due.is_none() {
            self.stat_due = Some(Instant::now() + STAT_WATCHED);
        }
        if stat.is_some() && stat != self.stat {
            self.stat = stat;
            self.publish();
        }
    }

    /// Somebody has read the diff: a count that began before knows less.
    pub(super) fn told_count(&mut self, stat: DiffStat) {
        self.count.abort_all();
        self.counted(Some(stat));
    }

    /// The files may have changed, or somebody comes to see: counts them soon, and not too often.
    pub(super) fn count_diff_soon(&mut self) {
        if self.state.place.as_ref().is_none_or(|place| place.base.is_none()) {
            return;
        }
        let now = Instant::now();
        let earliest = self.stat_read.map_or(now, |read| read + STAT_EVERY);
        let due = (now + STAT_AFTER).max(earliest);
        self.stat_due = Some(self.stat_due.map_or(due, |before| before.min(due)));
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
