//! What an owner does because it is time.

use tokio::time::Instant;

use super::Owner;

impl Owner {
    /// When the owner is to look at its clock next, though nothing happened.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        let held = self.held_until();
        [self.end_by, self.stat_due, self.title_due, self.store_at, held, self.idle_look_at()]
            .into_iter()
            .flatten()
            .min()
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
        if self.end_by.is_some_and(|by| by <= now) {
            self.end_by = None;
            self.close_pane_by_force();
        }
        if self.store_at.is_some_and(|at| at <= now) {
            self.store_what_waits().await;
        }
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
