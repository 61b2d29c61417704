//! Which viewer may type.

use qd_core::{Code, Problem};

use super::Terminal;
use crate::message::ViewerId;
use crate::viewer::ViewerEvent;

impl Terminal {
    /// Whether a viewer may type; if not, it is told why.
    pub(crate) fn may_type(&mut self, viewer: ViewerId) -> bool {
        let Some(seat) = self.seats.get_mut(&viewer) else { return false };
        let problem = if seat.looks_only {
            Problem::new(Code::NotAllowed, "This viewer looks only.", "Take over to type.")
        } else if !self.lease.allows(&seat.device) {
            Problem::new(Code::LeaseHeld, "Another device has the input.", "Take over to type.")
        } else {
            self.sizes.typed(viewer);
            return true;
        };
        seat.tell(ViewerEvent::Refused(problem));
        false
    }

    /// Tells a viewer that what it asked was refused.
    pub(crate) fn refuse(&mut self, viewer: ViewerId, problem: Problem) {
        if let Some(seat) = self.seats.get_mut(&viewer) {
            seat.tell(ViewerEvent::Refused(problem));
        }
    }

    /// A viewer takes the lease or gives it back.
    pub(crate) fn lease(&mut self, viewer: ViewerId, take: bool) {
        let Some(seat) = self.seats.get_mut(&viewer) else { return };
        let changed = if take {
            seat.looks_only = false;
            self.sizes.may_type(viewer);
            self.lease.take(&seat.device, &seat.name)
        } else {
            self.lease.release(&seat.device)
        };
        if changed {
            self.sizes.leased(self.lease.device());
            self.tell_lease();
        }
    }

    pub(super) fn tell_lease(&mut self) {
        for seat in self.seats.values_mut() {
            let holder = self.lease.seen_by(&seat.device);
            seat.tell(ViewerEvent::Lease { holder });
        }
    }
}
