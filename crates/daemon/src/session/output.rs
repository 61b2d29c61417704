//! What comes from the pane, and the size that it has.

use std::time::Duration;

use bytes::Bytes;
use qd_core::{Command, Size};
use tokio::time::Instant;

use super::{Done, Owner, RESERVE, STAT_AFTER, STAT_EVERY, Then};
use crate::message::ViewerId;
use crate::panes::PaneEvent;

impl Owner {
    pub(super) async fn from_pane(&mut self, event: PaneEvent) -> Then {
        match event {
            PaneEvent::Output => {
                let data = self.buffer.split().freeze();
                self.take_output(&data).await;
            }
            PaneEvent::Writable => self.write_input(),
            PaneEvent::Ended(exit) => {
                self.pane = None;
                self.end_by = None;
                self.input.fail(&self.no_program());
                self.terminal.exited(exit);
                self.report(Command::Exited(exit)).await;
                self.save_screen();
                self.count_diff();
                self.publish();
                self.advance_trash();
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
            let result = panes.resize(&target, size).await;
            Done::Resized(size, by, result)
        });
    }
}
