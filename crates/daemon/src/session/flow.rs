//! How far each viewer is, and when to stop sending to it.
//!
//! A viewer never slows the program: what it cannot take now it gets later from the ring, or,
//! when the ring has moved on, as a fresh snapshot.

/// Bytes that may be on the way to a viewer without being acknowledged.
pub(crate) const WINDOW: u64 = 1024 * 1024;

/// One viewer's place in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    next: u64,
    acked: u64,
    behind: bool,
}

impl Flow {
    /// A viewer that is to get `next` as its next byte.
    pub(crate) fn starting_at(next: u64) -> Self {
        Self { next, acked: next, behind: false }
    }

    /// The number of the next byte to send.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Bytes that may be sent now.
    pub(crate) fn room(&self) -> u64 {
        WINDOW.saturating_sub(self.next.saturating_sub(self.acked))
    }

    /// Whether live output may be sent as it comes.
    pub(crate) fn is_live(&self) -> bool {
        !self.behind
    }

    /// So many bytes were handed over.
    pub(crate) fn sent(&mut self, bytes: u64) {
        self.next += bytes;
    }

    /// Live output could not be handed over.
    pub(crate) fn fall_behind(&mut self) {
        self.behind = true;
    }

    /// It has all that there is again.
    pub(crate) fn catch_up(&mut self) {
        self.behind = false;
    }

    /// The viewer drew all before `seq`. Numbers out of range are taken to the nearest that
    /// can be true: a viewer cannot have drawn what it was not sent.
    pub(crate) fn ack(&mut self, seq: u64) {
        self.acked = self.acked.max(seq.min(self.next));
    }

    /// Whether it is worth trying to send it more from the ring.
    pub(crate) fn wants_more(&self) -> bool {
        self.behind && self.room() >= WINDOW / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_window_and_goes_on_when_half_is_acknowledged() {
        let mut flow = Flow::starting_at(100);
        flow.sent(WINDOW);
        assert_eq!(flow.room(), 0);
        flow.fall_behind();
        flow.ack(100 + WINDOW / 2 - 1);
        assert!(!flow.wants_more());
        flow.ack(100 + WINDOW / 2);
        assert!(flow.wants_more());
        flow.catch_up();
        assert!(flow.is_live());
    }

    #[test]
    fn a_lying_acknowledgement_buys_no_room() {
        let mut flow = Flow::starting_at(0);
        flow.sent(10);
        flow.ack(u64::MAX);
        assert_eq!(flow.room(), WINDOW);
        flow.sent(WINDOW);
        assert_eq!(flow.room(), 0);
        flow.ack(3);
        assert_eq!(flow.room(), 0, "an old acknowledgement takes nothing back");
    }
}
