//! What comes from the pane, and the size that it has.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use qd_core::{Code, Problem, Size};
use tokio::time::Instant;

use super::hold::Hold;
use super::terminal::CHUNK;
use super::{Done, Owner, RESERVE, ResizeBy};
use crate::message::{Reply, ViewerId};
use crate::panes::{Pane, PaneEvent, Printed};

impl Owner {
    pub(super) async fn pane_told(&mut self, event: PaneEvent) {
        match event {
            PaneEvent::Output(data) => self.take_output(&data).await,
            PaneEvent::Wrote(written) => self.wrote_input(written),
            PaneEvent::Looked(unread) => self.looked_at_input(unread),
            PaneEvent::Ended(exit) => {
                let Some(pane) = self.hold.take_pane(Hold::Closing) else { return };
                self.ended(Some(exit)).await;
                // What it left behind is ended, and the pane closes.
                let shared = Arc::clone(&self.shared);
                self.work.spawn(async move {
                    shared.step("pane-leaves").await;
                    Done::Closed(pane.leave().await.map(|()| None))
                });
            }
            PaneEvent::LinkLost => {
                // Most likely the pane is gone, or all of tmux is; who says so is not the link.
                self.end_by = None;
                drop(self.hold.take_pane(Hold::Joining));
                self.join(Duration::ZERO);
            }
            PaneEvent::TapLost => {
                if let Some(pane) = self.hold.take_pane(Hold::Joining) {
                    self.retap(pane, Duration::ZERO);
                }
            }
        }
    }

    /// Takes what the program printed out of its stream, and shows it. At any moment it is in the
    /// stream or on the tape, and nobody has seen what is not on the tape.
    async fn take_output(&mut self, data: &Bytes) {
        self.reserve(data.len() as u64).await;
        self.tape.output(self.terminal.ring().end(), data);
        self.shared.step("tape-written").await;
        if let Some(pane) = self.hold.pane_mut() {
            pane.taken(data.len());
        }
        self.shared.step("tape-unsettled").await;
        self.tape.settle();
        self.printed(data);
    }

    /// Takes in what was printed while no daemon was there, a part at a time: others have their
    /// turns in between.
    pub(super) async fn take_printed(&mut self, printed: &Printed) {
        let mut rest = printed.bytes.clone();
        if rest.is_empty() {
            return;
        }
        match &printed.spool {
            Some((id, from)) => self.tape.spool(self.terminal.ring().end(), id, *from),
            // Nobody could tell how much of it is on the tape: there is none until it is taken.
            None => self.tape.drop_it(),
        }
        while !rest.is_empty() {
            let part = rest.split_to(rest.len().min(CHUNK));
            self.reserve(part.len() as u64).await;
            self.tape.printed(self.terminal.ring().end(), &part);
            self.printed(&part);
            self.shared.step("spool-part").await;
            tokio::task::yield_now().await;
        }
    }

    /// The program printed this, and it is safe.
    fn printed(&mut self, data: &Bytes) {
        self.terminal.output(data);
        let now = Instant::now();
        self.held.printed(now);
        self.idle.touch(now);
        self.look_for_conversation_soon(now);
        for event in self.terminal.screen_mut().take_events().0 {
            if let qd_screen::Event::Title(_) = event
                && self.title_due.is_none()
            {
                // Spinners change the title many times a second; one view a second is enough.
                self.title_due = Some(Instant::now() + Duration::from_secs(1));
            }
        }
        self.count_diff_soon();
        self.tape.turn(&self.terminal, now);
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
        // A window of the person's own has the size that it has there.
        if self.resizing || self.hold.pane().is_none_or(Pane::is_adopted) {
            return;
        }
        if let Some((viewer, size)) = self.terminal.wanted_size() {
            self.begin_resize(size, ResizeBy::Viewer(viewer));
        }
    }

    /// A size from the command line; answered when tmux has it. One at a time is under way, and
    /// one waits: the last that was asked for.
    pub(super) fn ask_resize(&mut self, size: Size, reply: Reply<()>) {
        if self.hold.pane().is_none() {
            let _ = reply.send(Err(self.no_program()));
        } else if self.state.is_adopted() {
            let _ = reply.send(Err(self.sized_elsewhere()));
        } else if self.resizing {
            if let Some((_, overtaken)) = self.resize_next.replace((size, reply)) {
                let _ = overtaken.send(Err(Problem::new(
                    Code::StateConflict,
                    "Another size was asked for before this one was set.",
                    "Look at the size with `qd show`, and set it again if need be.",
                )));
            }
        } else if size == self.terminal.size() {
            let _ = reply.send(Ok(()));
        } else {
            self.begin_resize(size, ResizeBy::Command(reply));
        }
    }

    fn sized_elsewhere(&self) -> Problem {
        Problem::new(
            Code::StateConflict,
            format!(
                "\u{201c}{}\u{201d} has the size of its window in your tmux.",
                self.state.launch.title
            ),
            "Resize that window; this session follows. Nothing was changed.",
        )
    }

    fn begin_resize(&mut self, size: Size, by: ResizeBy) {
        let Some(target) = self.hold.pane().and_then(Pane::target) else { return };
        self.resizing = true;
        let panes = self.shared.panes.clone();
        self.work.spawn(async move {
            let result = panes.resize(target, size).await;
            Done::Resized(size, by, result)
        });
    }

    /// The terminal has this size.
    pub(super) fn take_size(&mut self, size: Size, by: Option<ViewerId>) {
        if size != self.terminal.size() {
            self.tape.resized(self.terminal.ring().end(), size);
            self.terminal.resized(size, by);
        }
    }

    /// tmux has the size, or does not.
    pub(super) fn resized(&mut self, size: Size, by: ResizeBy, result: Result<(), Problem>) {
        self.resizing = false;
        let done = result.is_ok();
        if done {
            let viewer = if let ResizeBy::Viewer(viewer) = by { Some(viewer) } else { None };
            self.take_size(size, viewer);
            self.publish();
        }
        match (by, result) {
            (ResizeBy::Command(reply), result) => drop(reply.send(result)),
            (ResizeBy::Viewer(_), Err(problem)) => {
                tracing::warn!(session = %self.id, %problem, "the terminal kept its size");
            }
            (ResizeBy::Viewer(_), Ok(())) => {}
        }
        if let Some((size, reply)) = self.resize_next.take() {
            self.ask_resize(size, reply);
        } else if done {
            self.settle_size();
        }
    }
}
