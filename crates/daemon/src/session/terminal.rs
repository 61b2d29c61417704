//! The terminal of one session as its owner holds it: the screen, the ring of raw bytes, and
//! the viewers.

mod behind;
mod natives;
#[cfg(test)]
mod tests;
mod typing;

use std::collections::BTreeMap;

use bytes::Bytes;
use qd_core::{Exit, Size};
use qd_screen::{Ring, Screen};
use tokio::sync::mpsc;

use super::flow::Flow;
use super::lease::Lease;
use super::seat::Seat;
use super::size::SizeRule;
use crate::message::ViewerId;
use crate::natives::Native;
use crate::viewer::{AttachRequest, ViewerEvent, ViewerGone};

/// Lines of history that a session keeps.
pub(crate) const HISTORY_LINES: usize = 10_000;
/// Most bytes of raw output that a session keeps in memory. A viewer that is held up for a tenth
/// of a second while a program floods its terminal still finds all of it here.
pub(crate) const RING_BYTES: usize = 1024 * 1024;
/// Most bytes in one output event.
pub(crate) const CHUNK: usize = 64 * 1024;
/// Events that may wait for a viewer's task.
pub(crate) const VIEWER_QUEUE: usize = 256;

/// Screen, ring and viewers. Not `Clone`: the session's owner holds it by value.
#[derive(Debug)]
pub(crate) struct Terminal {
    screen: Screen,
    ring: Ring,
    size: Size,
    /// Who set the size: none since birth; inside, none when it was not a viewer.
    sized_by: Option<Option<ViewerId>>,
    /// The number of the next byte when the screen was last drawn anew. Whoever comes back with a
    /// lower one has it drawn for another size, or lacks what never had a number.
    redrawn: Option<u64>,
    exit: Option<Exit>,
    sizes: SizeRule,
    lease: Lease,
    seats: BTreeMap<ViewerId, Seat>,
    /// Native clients: the viewer that each counts as, and how it was last seen.
    natives: BTreeMap<String, (ViewerId, Native)>,
    next_viewer: ViewerId,
}

impl Terminal {
    /// An empty terminal whose first byte will have the number `first`.
    pub(crate) fn new(size: Size, first: u64) -> Self {
        Self {
            screen: Screen::new(screen_size(size), HISTORY_LINES),
            ring: Ring::new(RING_BYTES, first),
            size,
            sized_by: None,
            redrawn: None,
            exit: None,
            sizes: SizeRule::default(),
            lease: Lease::default(),
            seats: BTreeMap::new(),
            natives: BTreeMap::new(),
            next_viewer: 1,
        }
    }

    /// The screen.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// The screen, to take its events.
    pub(crate) fn screen_mut(&mut self) -> &mut Screen {
        &mut self.screen
    }

    /// The raw bytes.
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Its size.
    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// The number below which nobody is resumed, see [`Terminal::refill`].
    pub(crate) fn redrawn(&self) -> Option<u64> {
        self.redrawn
    }

    /// The program printed.
    pub(crate) fn output(&mut self, data: &Bytes) {
        self.screen.feed(data);
        self.ring.push(data);
        let mut more_than_fits = false;
        for seat in self.seats.values_mut() {
            if !seat.flow.is_live() {
                continue;
            }
            if seat.flow.room() < data.len() as u64 {
                seat.flow.fall_behind();
                more_than_fits |= seat.flow.wants_more();
            } else {
                seat.give(data.clone());
            }
        }
        if more_than_fits {
            self.catch_up_all();
        }
        self.sweep();
    }

    /// Puts a state in place that did not come as output: what was saved, or what tmux shows.
    /// All viewers get a fresh screen, also those who come back with a number below `next`.
    pub(crate) fn replace(&mut self, screen: Screen, size: Size, next: u64, reason: &'static str) {
        self.size = size;
        self.screen = screen;
        self.ring = Ring::new(RING_BYTES, next);
        self.redrawn = Some(next);
        self.resync_all(reason);
    }

    /// Puts another's state in place; its viewers stay with it. All viewers of this one get a fresh
    /// screen.
    pub(crate) fn take_over(&mut self, other: Self) {
        self.size = other.size;
        self.screen = other.screen;
        self.ring = other.ring;
        self.redrawn = other.redrawn;
        self.resync_all("lost");
    }

    /// Something is missing from here on: all viewers get a fresh screen, also those who come back
    /// with all that was before.
    pub(crate) fn gap(&mut self) {
        self.ring.pass_over_one();
        self.redrawn = Some(self.ring.end());
        self.resync_all("lost");
    }

    /// Another program begins on an empty screen; what the last one showed goes into the history.
    /// All viewers get a fresh screen.
    pub(crate) fn begin_again(&mut self) {
        self.screen.feed(b"\x18\x1b[?1049l\x1b[m\x1b[r\x1b[2J\x1bc");
        self.exit = None;
        self.ring.pass_over_one();
        self.redrawn = Some(self.ring.end());
        self.resync_all("restarted");
    }

    /// Puts back the output that led to the state that is, when it fits, and from which number
    /// on it does.
    pub(crate) fn refill(&mut self, start: u64, output: &[u8], redrawn: Option<u64>) {
        if start + output.len() as u64 == self.ring.end() {
            self.ring = Ring::new(RING_BYTES, start);
            self.ring.push(output);
            self.redrawn = redrawn;
        }
    }

    /// A viewer takes its place and gets what it needs to begin, in this one turn.
    pub(crate) fn attach(
        &mut self,
        request: AttachRequest,
        events: mpsc::Sender<ViewerEvent>,
    ) -> ViewerId {
        let viewer = self.next_viewer;
        self.next_viewer += 1;
        let device = request.principal.device_key();
        self.sizes.attach(viewer, &device, request.size, request.read_only);
        let resumed = request.from.filter(|from| {
            self.redrawn.is_none_or(|redrawn| *from >= redrawn) && self.ring.read(*from, 0).is_ok()
        });
        let name = match request.principal {
            crate::Principal::Owner { name, .. } => name,
            crate::Principal::Session(id) => id.to_string(),
        };
        let mut seat = Seat {
            events,
            flow: Flow::starting_at(resumed.unwrap_or(self.ring.end())),
            device,
            name,
            looks_only: request.read_only,
            scrollback: request.scrollback.min(HISTORY_LINES),
            stale: false,
            full: false,
            gone: false,
            exit_owed: self.exit.is_some(),
        };
        match resumed {
            Some(seq) => {
                seat.tell(ViewerEvent::Resume { seq, size: self.size });
                if seq < self.ring.end() {
                    seat.flow.fall_behind();
                }
            }
            None => seat.tell(self.snapshot(seat.scrollback)),
        }
        seat.tell(ViewerEvent::Lease { holder: self.lease.seen_by(&seat.device) });
        self.seats.insert(viewer, seat);
        self.catch_up(viewer);
        viewer
    }

    /// A viewer drew all before `seq`.
    pub(crate) fn ack(&mut self, viewer: ViewerId, seq: u64) {
        if let Some(seat) = self.seats.get_mut(&viewer) {
            seat.flow.ack(seq);
            if seat.flow.wants_more() {
                self.catch_up(viewer);
            }
        }
    }

    /// A viewer left.
    pub(crate) fn leave(&mut self, viewer: ViewerId) {
        let Some(seat) = self.seats.remove(&viewer) else { return };
        self.sizes.leave(viewer);
        // The last of its device takes the lease with it.
        if !self.seats.values().any(|other| other.device == seat.device)
            && self.lease.release(&seat.device)
        {
            self.sizes.leased(None);
            self.tell_lease();
        }
    }

    /// A viewer's window changed.
    pub(crate) fn viewer_resized(&mut self, viewer: ViewerId, size: Size) {
        self.sizes.resized(viewer, size);
    }

    /// The size that the rule asks for, when it is not the one that is.
    pub(crate) fn wanted_size(&self) -> Option<(ViewerId, Size)> {
        self.sizes.wanted().filter(|(_, size)| *size != self.size)
    }

    /// The size was set by somebody without a window.
    pub(crate) fn size_forced(&mut self) {
        self.sizes.forced();
    }

    /// The terminal has this size now. Every viewer gets a whole screen of that size: what it
    /// has was drawn for another.
    pub(crate) fn resized(&mut self, size: Size, by: Option<ViewerId>) {
        if size == self.size {
            return;
        }
        self.size = size;
        // One number is passed over: who had all before the resize is told from who has it since.
        // What is kept of the output moves with it, for those who read it as a log.
        self.ring.pass_over_one();
        self.redrawn = Some(self.ring.end());
        self.sized_by = Some(by);
        self.screen.resize(screen_size(size));
        // The size is told with the screen.
        self.resync_all("resized");
    }

    /// Who set the size, as a viewer is told.
    fn sized_by(&self, viewer: ViewerId) -> &'static str {
        match self.sized_by {
            None => "birth",
            Some(None) => "command",
            Some(Some(setter)) if setter == viewer => "you",
            Some(Some(setter)) if self.natives.values().any(|(native, _)| *native == setter) => {
                "native"
            }
            Some(Some(_)) => "viewer",
        }
    }

    /// The program ended.
    pub(crate) fn exited(&mut self, exit: Option<Exit>) {
        let exit = exit.unwrap_or(Exit { code: None, signal: None });
        self.exit = Some(exit);
        for seat in self.seats.values_mut() {
            seat.exit_owed = true;
        }
        for viewer in self.seats.keys().copied().collect::<Vec<_>>() {
            self.catch_up(viewer);
        }
        self.catch_up_all();
    }

    /// Lets the viewers of a device go, or all of them.
    pub(crate) fn dismiss(&mut self, device: Option<&str>, why: ViewerGone) {
        let leaving: Vec<_> = self
            .seats
            .iter()
            .filter(|(_, seat)| device.is_none_or(|d| d == seat.device))
            .map(|(viewer, _)| *viewer)
            .collect();
        for viewer in leaving {
            if let Some(seat) = self.seats.get_mut(&viewer) {
                seat.tell(ViewerEvent::Gone(why));
            }
            self.leave(viewer);
        }
    }

    fn snapshot(&self, scrollback: usize) -> ViewerEvent {
        ViewerEvent::Snapshot {
            seq: self.ring.end(),
            size: self.size,
            data: Bytes::from(self.screen.snapshot(scrollback)),
        }
    }
}

/// A screen with this drawn on it. Takes its time over a long history: not for a turn.
pub(crate) fn drawn(size: Size, drawing: &[u8]) -> Screen {
    let mut screen = Screen::new(screen_size(size), HISTORY_LINES);
    screen.feed(drawing);
    screen
}

fn screen_size(size: Size) -> qd_screen::Size {
    qd_screen::Size::new(size.cols, size.rows)
}
