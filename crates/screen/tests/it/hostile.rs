//! Input that wants to hurt.

use proptest::{collection::vec, prelude::*};
use qd_screen::{Screen, Size};

use crate::stream;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_size_takes_any_stream(
        sizes in vec((0..120u16, 0..60u16), 1..6), streams in vec((stream::tokens(20), stream::noise()), 6),
    ) {
        let mut screen = Screen::new(Size::new(0, 0), 30);
        for ((cols, rows), (tokens, noise)) in sizes.into_iter().zip(streams) {
            screen.resize(Size::new(cols, rows));
            screen.feed(&stream::concat(&tokens));
            screen.feed(&noise.0);
            let size = screen.size();
            prop_assert_eq!((size.cols(), size.rows()), (cols.max(1), rows.max(1)));
            prop_assert_eq!(screen.lines().len(), usize::from(size.rows()));
            prop_assert!(screen.history_len() <= 30);
            screen.snapshot(usize::MAX);
            screen.screen_ansi();
        }
    }
}
