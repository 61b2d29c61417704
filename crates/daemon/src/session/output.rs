//! What comes from the pane, and the size that it has.

use std::time::Duration;

use bytes::Bytes;
use qd_core::{Command, Size};
use tokio::time::Instant;

use super::{Done, Owner, RESERVE, STAT_AFTER, STAT_EVERY, Then};
use crate::message::ViewerId;
use crate::panes::PaneEvent;

impl Owner {
    pub(super) async fn pane_told(&mut self, event: PaneEvent) -> Then {
        match event {
            PaneEvent::Output(data) => self.take_output(&data).await,
            PaneEvent::Wrote(written) => self.wrote_input(written),
            PaneEvent::Looked => self.looked_at_input(),
            PaneEvent::Ended(exit) => {
                self.let_pane_go(exit.is_some());
                self.end_by = None;
                self.drop_input(&self.no_program());
                self.terminal.exited(exit);
                self.report(Command::Exited(exit)).await;
                self.save_screen();
                self.count_diff();
                self.publish();
                self.advance_trash().await;
            }
            PaneEvent::TapLost => {
                if let Some(pane) = self.pane.take() {
                    let panes = self.shared.panes.clone();
                    self.work.spawn(async move { Done::Retapped(panes.retap(pane).await) });
                }
            }
        }
        Then::Continue
    }

    /// The program is gone: what it left behind is ended, and the pane closes.
    fn let_pane_go(&mut self, ended_in_order: bool) {
        let Some(pane) = self.pane.take() else { return };
        self.closing = true;
        let id = self.id.clone();
        self.work.spawn(async move {
            let gone = if ended_in_order { pane.leave().await } else { pane.kill().await };
            if let Err(problem) = gone {
                // After a loss of tmux there is nothing left to close.
                tracing::debug!(session = %id, %problem, "a pane was not closed in order");
            }
            Done::Closed
        });
    }

    pub(super) async fn take_output(&mut self, data: &Bytes) {
        self.reserve(data.len() as u64).await;
        self.terminal.output(data);
        for event in self.terminal.screen_mut().take_events().0 {
            if let qd_screen::Event::Title(_) = event
                && self.title_due.is_none()
            {
                // Spinners change the title many times a second; one view a second is enough.
                self.title_due = Some(Instant::now() + Duration::from_secs(1));
            }
        }
        if self.state.place.as_ref().is_some_and(|p| p.base.is_some()) && self.stat_due.is_none() {
            let now = Instant::now();
            let earliest = self.stat_read.map_or(now, |read| read + STAT_EVERY);
            self.stat_due = Some((now + STAT_AFTER).max(earliest));
        }
    }

    /// Makes sure that the numbers of the next bytes are ours, over restarts too.
    pub(super) async fn reserve(&mut self, bytes: u64) {
        let need = self.terminal.ring().end() + bytes;
        if need <= self.reserved {
            return;
        }
        match self.shared.store.reserve(self.id.as_str(), need + RESERVE).await {
            Ok(upto) => self.reserved = upto,
            Err(error) => {
                // The stream goes on: after a crash a viewer may get a snapshot that it did not
                // need, never a wrong byte, because the ring starts anew then.
                tracing::warn!(session = %self.id, %error, "sequence numbers were not reserved");
                self.reserved = need;
            }
        }
    }

    /// Brings the terminal to the size that the rule asks for.
    pub(super) fn settle_size(&mut self) {
        if self.resizing || self.pane.is_none() {
            return;
        }
        if let Some((viewer, size)) = self.terminal.wanted_size() {
            self.begin_resize(size, Some(viewer));
        }
    }

    pub(super) fn begin_resize(&mut self, size: Size, by: Option<ViewerId>) {
        let Some(pane) = &self.pane else { return };
        self.resizing = true;
        let (panes, target) = (self.shared.panes.clone(), pane.target());
        self.work.spawn(async move {
            let result = panes.resize(target, size).await;
            Done::Resized(size, by, result)
        });
    }
}
