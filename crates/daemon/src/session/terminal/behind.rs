//! Viewers that lack something: from the ring, or as a fresh screen, when they can take it.

use std::task::Poll;

use bytes::Bytes;
use qd_core::Exit;
use qd_screen::RingError;

use super::super::flow::Flow;
use super::{CHUNK, Terminal};
use crate::message::ViewerId;
use crate::viewer::ViewerEvent;

/// Events that a resync is, at most.
const RESYNC_EVENTS: usize = 5;

impl Terminal {
    /// Whether somebody waits for room in its queue.
    pub(crate) fn anyone_waits_for_room(&self) -> bool {
        self.seats.values().any(|seat| seat.full)
    }

    /// Waits until one of those who wait for room in their queue has it, or is gone; then
    /// [`Terminal::catch_up_all`] goes on with it. Cancel-safe.
    pub(crate) async fn room(&self) {
        let full = self.seats.values().filter(|seat| seat.full);
        let mut waits: Vec<_> =
            full.map(|seat| Box::pin(seat.events.reserve_many(RESYNC_EVENTS))).collect();
        std::future::poll_fn(|context| {
            let ready = waits.iter_mut().any(|wait| wait.as_mut().poll(context).is_ready());
            if ready { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Tries again for all who are behind.
    pub(crate) fn catch_up_all(&mut self) {
        let behind: Vec<_> = self
            .seats
            .iter()
            .filter(|(_, seat)| seat.flow.wants_more() || seat.full)
            .map(|(viewer, _)| *viewer)
            .collect();
        for viewer in behind {
            self.catch_up(viewer);
        }
        self.sweep();
    }

    pub(super) fn resync_all(&mut self, reason: &'static str) {
        for viewer in self.seats.keys().copied().collect::<Vec<_>>() {
            self.resync(viewer, reason);
        }
    }

    fn resync(&mut self, viewer: ViewerId, reason: &'static str) {
        let Some(seat) = self.seats.get_mut(&viewer) else { return };
        let events = seat.events.clone();
        // All of it or none of it: half a resync would be a wrong screen. And the places first:
        // a screen that cannot be sent is not drawn.
        let Ok(mut places) = events.try_reserve_many(RESYNC_EVENTS) else {
            seat.gone = events.is_closed();
            seat.full = !seat.gone;
            seat.stale = true;
            seat.flow.fall_behind();
            return;
        };
        let (scrollback, lease) = (seat.scrollback, self.lease.seen_by(&seat.device));
        let snapshot = self.snapshot(scrollback);
        let (end, size, exit) = (self.ring.end(), self.size, self.exit);
        let by = self.sized_by(viewer);
        let mut put = |event| {
            if let Some(place) = places.next() {
                place.send(event);
            }
        };
        put(ViewerEvent::Resync { reason });
        put(snapshot);
        put(ViewerEvent::Size { size, by });
        put(ViewerEvent::Lease { holder: lease });
        if let Some(Exit { code, signal }) = exit {
            put(ViewerEvent::Exit { code, signal });
        }
        drop(places);
        let Some(seat) = self.seats.get_mut(&viewer) else { return };
        seat.flow = Flow::starting_at(end);
        seat.stale = false;
        seat.full = false;
        seat.exit_owed = false;
    }

    /// Sends a viewer that is behind what it lacks, from the ring or as a fresh screen.
    pub(super) fn catch_up(&mut self, viewer: ViewerId) {
        let Some(seat) = self.seats.get_mut(&viewer) else { return };
        if seat.stale {
            return self.resync(viewer, "slow");
        }
        seat.full = false;
        while !seat.flow.is_live() {
            let most = usize::try_from(seat.flow.room()).unwrap_or(CHUNK).min(CHUNK);
            if most == 0 {
                return;
            }
            match self.ring.read(seat.flow.next(), most) {
                Ok(([], _)) => seat.flow.catch_up(),
                Ok((first, second)) => {
                    let mut data = Vec::with_capacity(first.len() + second.len());
                    data.extend_from_slice(first);
                    data.extend_from_slice(second);
                    if !seat.give(Bytes::from(data)) {
                        return;
                    }
                }
                Err(RingError::TooOld { .. } | RingError::Future { .. }) => {
                    return self.resync(viewer, "slow");
                }
            }
        }
        if let (true, Some(Exit { code, signal })) = (seat.exit_owed, self.exit) {
            seat.exit_owed = false;
            seat.tell(ViewerEvent::Exit { code, signal });
        }
    }

    /// Forgets viewers whose task is gone.
    pub(super) fn sweep(&mut self) {
        let gone: Vec<_> =
            self.seats.iter().filter(|(_, s)| s.gone).map(|(viewer, _)| *viewer).collect();
        for viewer in gone {
            self.leave(viewer);
        }
    }
}
