//! Which commits can be reached from which, in memory.

use std::collections::{HashMap, HashSet};

use super::log::Logged;
use crate::Oid;

/// A part of the history.
pub(super) struct Graph<'a> {
    parents: HashMap<&'a Oid, &'a [Oid]>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(log: &'a [Logged]) -> Self {
        let parents = log.iter().map(|logged| (&logged.commit.oid, logged.parents.as_slice()));
        Self { parents: parents.collect() }
    }

    /// The commits of this part that can be reached from `tip`, itself included.
    pub(super) fn reach(&self, tip: &Oid) -> HashSet<&'a Oid> {
        let mut found = HashSet::new();
        let mut ahead = vec![tip];
        while let Some(oid) = ahead.pop() {
            let Some((known, parents)) = self.parents.get_key_value(oid) else { continue };
            if found.insert(*known) {
                ahead.extend(parents.iter());
            }
        }
        found
    }

    /// The commits that were made from `start` to `tip`.
    pub(super) fn between(&self, start: Option<&Oid>, tip: &Oid) -> HashSet<&'a Oid> {
        let mut found = self.reach(tip);
        if let Some(start) = start {
            let before = self.reach(start);
            found.retain(|oid| !before.contains(oid));
        }
        found
    }
}
