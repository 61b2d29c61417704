//! A snapshot after any byte, and then the rest, is the same as the whole.

use proptest::prelude::*;
use qd_screen::{Screen, Size};

use crate::{state::State, stream};

const HISTORY: usize = 50;

fn size() -> impl Strategy<Value = Size> {
    prop_oneof![
        4 => (2..40u16, 2..9u16),
        1 => (1..5u16, 1..4u16),
        1 => Just((80, 24)),
    ]
    .prop_map(|(cols, rows)| Size::new(cols, rows))
}

fn fed(size: Size, parts: &[&[u8]]) -> Screen {
    let mut screen = Screen::new(size, HISTORY);
    for part in parts {
        screen.feed(part);
    }
    screen
}

/// Compares at the split and after the rest.
fn check(size: Size, before: &[u8], after: &[u8]) -> Result<(), TestCaseError> {
    let whole = fed(size, &[before]);
    // The one state that no sequence leads to without losing another: the cursor below the scroll
    // region with DECOM on. The saved cursor is lost there.
    if whole.modes().origin && whole.cursor().y > whole.scroll_region().1 {
        return Ok(());
    }
    let snapshot = whole.snapshot(usize::MAX);
    let mut copy = fed(size, &[&snapshot]);
    let shown = || snapshot.escape_ascii().to_string();
    let difference = State::of(&copy).difference(&State::of(&whole));
    prop_assert!(difference.is_none(), "at the split: {}\n{}", difference.unwrap(), shown());
    copy.feed(after);
    let whole = fed(size, &[before, after]);
    let difference = State::of(&copy).difference(&State::of(&whole));
    prop_assert!(difference.is_none(), "after the rest: {}\n{}", difference.unwrap(), shown());
    Ok(())
}

proptest! {
    #![proptest_config(stream::config())]

    #[test]
    fn a_snapshot_resumes_between_sequences(
        size in size(), before in stream::tokens(30), after in stream::tokens(12),
    ) {
        check(size, &stream::concat(&before), &stream::concat(&after))?;
    }

    #[test]
    fn a_snapshot_resumes_inside_of_anything(
        size in size(), before in stream::tokens(20), last in stream::token(),
        cut in any::<prop::sample::Index>(), after in stream::tokens(6),
    ) {
        // Inside of a clear with ED 2 and ED 3 the history to be taken out is not known any more.
        prop_assume!(!last.0.windows(3).any(|w| w == b"[3J"));
        let (head, tail) = last.0.split_at(cut.index(last.0.len() + 1));
        check(size, &[&stream::concat(&before), head].concat(), &[tail, &stream::concat(&after)].concat())?;
    }

    #[test]
    fn a_snapshot_resumes_inside_of_noise(
        size in size(), noise in stream::noise(), cut in any::<prop::sample::Index>(),
    ) {
        let (before, after) = noise.0.split_at(cut.index(noise.0.len() + 1));
        check(size, before, after)?;
    }
}
