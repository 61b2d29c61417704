//! Who may type, when somebody has taken the right to.

/// The lease of one terminal's input. With no holder, all who may type do.
#[derive(Debug, Default)]
pub(crate) struct Lease {
    holder: Option<Holder>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Holder {
    device: String,
    name: String,
}

impl Lease {
    /// Whether this device may type.
    pub(crate) fn allows(&self, device: &str) -> bool {
        self.holder.as_ref().is_none_or(|h| h.device == device)
    }

    /// The device takes it, from whoever has it. Says whether anything changed.
    pub(crate) fn take(&mut self, device: &str, name: &str) -> bool {
        let holder = Some(Holder { device: device.to_owned(), name: name.to_owned() });
        let changed = self.holder != holder;
        self.holder = holder;
        changed
    }

    /// The device gives it back; nothing happens when it does not have it.
    pub(crate) fn release(&mut self, device: &str) -> bool {
        let held = self.holder.as_ref().is_some_and(|h| h.device == device);
        if held {
            self.holder = None;
        }
        held
    }

    /// The device that holds it.
    pub(crate) fn device(&self) -> Option<&str> {
        self.holder.as_ref().map(|h| h.device.as_str())
    }

    /// What the viewer of a device is told: `you`, another's name, or nothing when it is free.
    pub(crate) fn seen_by(&self, device: &str) -> Option<String> {
        self.holder.as_ref().map(
            |h| {
                if h.device == device { "you".to_owned() } else { h.name.clone() }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_for_all_until_it_is_taken() {
        let mut lease = Lease::default();
        assert!(lease.allows("a") && lease.allows("b"));
        assert!(lease.take("a", "desk"));
        assert!(!lease.take("a", "desk"), "taking it twice changes nothing");
        assert!(lease.allows("a") && !lease.allows("b"));
        assert_eq!(lease.seen_by("a").as_deref(), Some("you"));
        assert_eq!(lease.seen_by("b").as_deref(), Some("desk"));
        assert!(!lease.release("b"), "only the holder gives it back");
        assert!(lease.take("b", "phone"), "one press takes it over");
        assert!(!lease.allows("a"));
        assert!(lease.release("b"));
        assert_eq!(lease.device(), None);
    }
}
