//! Who sets the size of a terminal that several viewers look at.
//!
//! The rule in words: the size is that of the lease holder; with no lease, of the viewer that
//! last typed or resized its window. Attaching alone never changes it while another viewer is
//! there. When the one who set it leaves, it is that of the one most recently active; with no
//! viewer it stays.

use qd_core::Size;

use crate::message::ViewerId;

/// The viewers of one terminal, as far as its size is concerned.
#[derive(Debug, Default)]
pub(crate) struct SizeRule {
    viewers: Vec<Entry>,
    setter: Option<ViewerId>,
    lease: Option<String>,
    turn: u64,
}

#[derive(Debug)]
struct Entry {
    viewer: ViewerId,
    device: String,
    size: Size,
    /// The turn of its last key or resize; its attach counts less than any of those.
    active: u64,
    attached: u64,
    looks_only: bool,
}

impl SizeRule {
    /// A viewer came.
    pub(crate) fn attach(&mut self, viewer: ViewerId, device: &str, size: Size, looks_only: bool) {
        self.turn += 1;
        let alone = !self.viewers.iter().any(|v| !v.looks_only);
        self.viewers.push(Entry {
            viewer,
            device: device.to_owned(),
            size,
            active: 0,
            attached: self.turn,
            looks_only,
        });
        if alone && !looks_only {
            self.setter = Some(viewer);
        }
    }

    /// A viewer left.
    pub(crate) fn leave(&mut self, viewer: ViewerId) {
        self.viewers.retain(|v| v.viewer != viewer);
        if self.setter == Some(viewer) {
            self.setter = self
                .viewers
                .iter()
                .filter(|v| !v.looks_only)
                .max_by_key(|v| (v.active, v.attached))
                .map(|v| v.viewer);
        }
    }

    /// A viewer that looked only may type from now on.
    pub(crate) fn may_type(&mut self, viewer: ViewerId) {
        if let Some(entry) = self.viewers.iter_mut().find(|v| v.viewer == viewer) {
            entry.looks_only = false;
        }
    }

    /// A viewer typed.
    pub(crate) fn typed(&mut self, viewer: ViewerId) {
        self.touch(viewer, None);
    }

    /// A viewer's window changed.
    pub(crate) fn resized(&mut self, viewer: ViewerId, size: Size) {
        self.touch(viewer, Some(size));
    }

    /// The lease went to a device, or to nobody.
    pub(crate) fn leased(&mut self, device: Option<&str>) {
        self.lease = device.map(str::to_owned);
    }

    /// Somebody without a window set the size: it stays until a viewer is active again.
    pub(crate) fn forced(&mut self) {
        self.setter = None;
    }

    /// Who sets the size now, and which; none when it stays as it is.
    pub(crate) fn wanted(&self) -> Option<(ViewerId, Size)> {
        let holder = self.lease.as_deref().and_then(|device| {
            self.viewers
                .iter()
                .filter(|v| v.device == device)
                .max_by_key(|v| (v.active, v.attached))
        });
        holder
            .or_else(|| self.viewers.iter().find(|v| Some(v.viewer) == self.setter))
            .map(|v| (v.viewer, v.size))
    }

    fn touch(&mut self, viewer: ViewerId, size: Option<Size>) {
        self.turn += 1;
        let turn = self.turn;
        if let Some(entry) = self.viewers.iter_mut().find(|v| v.viewer == viewer) {
            entry.size = size.unwrap_or(entry.size);
            if !entry.looks_only {
                entry.active = turn;
                self.setter = Some(viewer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESK: Size = Size { cols: 120, rows: 40 };
    const PHONE: Size = Size { cols: 51, rows: 36 };

    fn both() -> SizeRule {
        let mut rule = SizeRule::default();
        rule.attach(1, "desk", DESK, false);
        rule.attach(2, "phone", PHONE, false);
        rule
    }

    #[test]
    fn looking_does_not_set_the_size_while_another_looks() {
        assert_eq!(both().wanted(), Some((1, DESK)));
    }

    #[test]
    fn the_one_who_types_sets_it_and_it_goes_back_when_they_leave() {
        let mut rule = both();
        rule.typed(2);
        assert_eq!(rule.wanted(), Some((2, PHONE)));
        rule.leave(2);
        assert_eq!(rule.wanted(), Some((1, DESK)));
    }

    #[test]
    fn the_lease_outranks_the_last_key() {
        let mut rule = both();
        rule.leased(Some("desk"));
        rule.typed(2);
        assert_eq!(rule.wanted(), Some((1, DESK)));
        rule.leased(None);
        assert_eq!(rule.wanted(), Some((2, PHONE)));
    }

    #[test]
    fn with_no_viewer_it_stays() {
        let mut rule = both();
        rule.leave(1);
        rule.leave(2);
        assert_eq!(rule.wanted(), None);
    }

    #[test]
    fn a_reader_never_sets_it() {
        let mut rule = SizeRule::default();
        rule.attach(1, "phone", PHONE, true);
        assert_eq!(rule.wanted(), None);
        rule.resized(1, DESK);
        assert_eq!(rule.wanted(), None);
        rule.attach(2, "desk", DESK, false);
        assert_eq!(rule.wanted(), Some((2, DESK)));
    }

    #[test]
    fn a_reader_that_took_over_sets_it_like_any_other() {
        let mut rule = SizeRule::default();
        rule.attach(1, "desk", DESK, false);
        rule.attach(2, "phone", PHONE, true);
        rule.may_type(2);
        rule.leased(Some("phone"));
        rule.leased(None);
        rule.typed(2);
        assert_eq!(rule.wanted(), Some((2, PHONE)), "also when it gave the lease back");
    }

    #[test]
    fn a_size_from_the_command_line_stays_until_somebody_is_active() {
        let mut rule = both();
        rule.forced();
        assert_eq!(rule.wanted(), None);
        rule.typed(1);
        assert_eq!(rule.wanted(), Some((1, DESK)));
    }

    #[test]
    fn when_the_setter_leaves_the_most_recently_active_sets_it() {
        let mut rule = both();
        rule.attach(3, "tablet", Size { cols: 80, rows: 30 }, false);
        rule.typed(2);
        rule.typed(1);
        rule.typed(3);
        rule.leave(3);
        assert_eq!(rule.wanted(), Some((1, DESK)));
    }
}
