//! The ring against a plain vector.

use proptest::{collection::vec, prelude::*};
use qd_screen::{Ring, RingError};

proptest! {
    #[test]
    fn a_ring_is_the_end_of_all_that_was_pushed(
        capacity in 1..9000usize, first in 0..u64::from(u32::MAX),
        pushes in vec(vec(any::<u8>(), 0..4000), 0..12),
        reads in vec((any::<prop::sample::Index>(), 0..5000usize), 8),
    ) {
        let mut ring = Ring::new(capacity, first);
        let mut all = Vec::new();
        for push in &pushes {
            ring.push(push);
            all.extend_from_slice(push);
            prop_assert!(ring.allocated() <= capacity);
        }
        let kept = all.len().min(capacity);
        prop_assert_eq!(ring.end(), first + all.len() as u64);
        prop_assert_eq!(ring.start(), ring.end() - kept as u64);
        for (at, max) in reads {
            let at = at.index(all.len() + 3);
            let seq = first + at as u64;
            match ring.read(seq, max) {
                Ok((a, b)) => {
                    prop_assert!(at >= all.len() - kept);
                    let want = &all[at..all.len().min(at + max)];
                    prop_assert_eq!([a, b].concat(), want);
                }
                Err(RingError::TooOld { from, start }) => {
                    prop_assert!(from == seq && start == ring.start() && seq < start);
                }
                Err(RingError::Future { from, end }) => {
                    prop_assert!(from == seq && end == ring.end() && seq > end);
                }
            }
        }
    }
}
