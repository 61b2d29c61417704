//! How many columns a character takes, as tmux 3.3a on Debian 12 sees it.

mod table;

/// Columns that `c` takes: 0, 1 or 2. `None` for what tmux does not draw at all: C1 controls and
/// code points that its C library does not know.
pub(crate) fn columns(c: char) -> Option<u8> {
    let c = u32::from(c);
    match c {
        0..0x20 | 0x7f..0xa0 => return None,
        0x20..0x7f | 0xa0..0x300 | 0x2500..0x25fd => return Some(1),
        0x4e00..0x9fff | 0xac00..0xd7a4 => return Some(2),
        _ => {}
    }
    if within(table::ZERO, c) {
        Some(0)
    } else if within(table::WIDE, c) {
        Some(2)
    } else if within(table::NONE, c) {
        None
    } else {
        Some(1)
    }
}

fn within(ranges: &[(u32, u32)], c: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= c);
    after > 0 && ranges.get(after - 1).is_some_and(|&(_, last)| c <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_c_library() {
        for (c, width) in [
            ('a', Some(1)),
            ('\u{9b}', None),
            ('é', Some(1)),
            ('\u{301}', Some(0)),
            ('─', Some(1)),
            ('漢', Some(2)),
            ('⚠', Some(1)),
            ('\u{fe0f}', Some(0)),
            ('\u{200d}', Some(0)),
            ('👩', Some(2)),
            ('\u{e0b0}', Some(1)),
            ('\u{1f1e9}', Some(1)),
            ('\u{1fae8}', None),
        ] {
            assert_eq!(columns(c), width, "{c:?}");
        }
    }

    #[test]
    fn shortcuts_agree_with_the_tables() {
        for c in (0xa0..0x300).chain(0x2500..0x25fd) {
            assert!(![table::ZERO, table::WIDE, table::NONE].iter().any(|t| within(t, c)), "{c:x}");
        }
        for c in (0x4e00..0x9fff).chain(0xac00..0xd7a4) {
            assert!(within(table::WIDE, c), "{c:x}");
        }
    }
}
