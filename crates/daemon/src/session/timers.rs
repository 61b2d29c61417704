//! What an owner does because it is time.

use std::time::Duration;

use qd_core::{Action, Command, Description};
use tokio::time::Instant;

use super::Owner;

/// How often the clock on the wall is looked at for a session that is to be woken at a time of
/// day: it may be set, and go on while the machine sleeps.
const WALL_CLOCK: Duration = Duration::from_secs(30);

impl Owner {
    /// When the owner is to look at its clock next, though nothing happened.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        let (held, wake) = (self.held_until(), self.wake_look_at());
        let looks = [self.idle_look_at(), self.conversation_due, wake];
        [self.end_by, self.stat_due, self.title_due, self.store_at, held]
            .into_iter()
            .chain(looks)
            .flatten()
            .min()
    }

    /// When it is to be looked whether it is time to wake it. Not while something is under way
    /// that comes first, or is to be stored.
    fn wake_look_at(&self) -> Option<Instant> {
        let at = self.state.wake_at.filter(|_| self.unsaved.is_empty())?;
        let left = Duration::from_millis(at.since(self.shared.clock.now()));
        let look = (Instant::now() + left.min(WALL_CLOCK)).max(self.wake_again);
        self.state.pending.is_none().then_some(look)
    }

    /// It was to be woken about now: it is, if it sleeps; otherwise there is nothing to wait for.
    async fn wake_if_due(&mut self) {
        let due = self.state.wake_at.is_some_and(|at| at <= self.shared.clock.now());
        if !due || self.state.pending.is_some() || !self.unsaved.is_empty() {
            return;
        }
        let done = if self.sleeps() {
            tracing::info!(session = %self.id, "woken: it is the time that was set");
            self.begin(Action::Wake, None).await.map(drop)
        } else {
            let never = Description { wake_at: Some(None), ..Description::default() };
            self.apply(Command::Describe(Box::new(never))).await
        };
        match done {
            Ok(()) => self.advance().await,
            Err(problem) => {
                self.wake_again = Instant::now() + WALL_CLOCK;
                tracing::warn!(session = %self.id, %problem, "it was not woken");
            }
        }
    }

    /// It is time for something.
    pub(super) async fn woken(&mut self) {
        let now = Instant::now();
        if self.title_due.is_some_and(|due| due <= now) {
            self.title_due = None;
            self.publish();
        }
        if self.stat_due.is_some_and(|due| due <= now) {
            self.stat_due = None;
            self.count_diff();
        }
        if self.conversation_due.is_some_and(|due| due <= now) {
            self.look_for_conversation();
        }
        if self.end_by.is_some_and(|by| by <= now) {
            self.end_by = None;
            self.close_pane_by_force();
        }
        if self.store_at.is_some_and(|at| at <= now) {
            self.store_what_waits().await;
        }
        self.wake_if_due().await;
        if self.idle_look_at().is_some_and(|at| at <= now) {
            self.look_whether_idle(now);
        }
    }

    /// Tries again to write down the reports that wait, and goes on with what waited for that;
    /// whether none waits any more.
    pub(super) async fn store_what_waits(&mut self) -> bool {
        let waited = !self.unsaved.is_empty();
        self.flush().await;
        let stored = self.unsaved.is_empty();
        if waited && stored && !self.shared.stop.is_cancelled() {
            self.advance().await;
        }
        stored
    }
}
