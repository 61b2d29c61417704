//! Two sets of results side by side.

use std::fmt::Write as _;

use crate::document::number;
use crate::measure::{Better, Measure};

/// A change smaller than this, in percent, is taken for noise.
const NOISE: f64 = 10.0;

/// A Markdown table: every measure of `head`, with what it was in `base`.
#[must_use]
pub fn table(base: &[Measure], head: &[Measure]) -> String {
    let mut text = "| | base | head | change | bar |\n|---|---:|---:|---|---|\n".to_owned();
    for new in head {
        let old = base.iter().find(|old| old.group == new.group && old.name == new.name);
        let was = old.map_or_else(|| "-".to_owned(), |old| number(old.value));
        let change = old.map_or_else(|| "new".to_owned(), |old| change(old.value, new));
        let bar = match new.met() {
            Some(true) => "kept",
            Some(false) => "missed",
            None => "",
        };
        let Measure { group, name, value, unit, .. } = new;
        let now = number(*value);
        let _ = writeln!(text, "| {group}: {name} ({unit}) | {was} | {now} | {change} | {bar} |");
    }
    for old in base.iter().filter(|old| !head.iter().any(|new| new.name == old.name)) {
        let _ = writeln!(text, "| {}: {} | {} | - | gone | |", old.group, old.name, old.value);
    }
    text
}

fn change(old: f64, new: &Measure) -> String {
    if old == 0.0 {
        return if new.value == 0.0 { "same" } else { "base is 0" }.to_owned();
    }
    let percent = (new.value - old) / old * 100.0;
    let worse = if new.better == Better::Lower { percent > NOISE } else { percent < -NOISE };
    format!("{percent:+.1} %{}", if worse { ", worse" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::sample;

    #[test]
    fn what_got_worse_missed_or_went_is_said() {
        let base = [
            sample("a", 10.0, Better::Lower, None),
            sample("b", 10.0, Better::Higher, None),
            sample("d", 10.0, Better::Higher, None),
        ];
        let head = [
            sample("a", 12.0, Better::Lower, Some(11.0)),
            sample("b", 12.0, Better::Higher, Some(11.0)),
            sample("c", 1.0, Better::Lower, None),
        ];
        let text = table(&base, &head);
        let rows = [
            "| terminal: a (ms) | 10 | 12 | +20.0 %, worse | missed |",
            "| terminal: b (ms) | 10 | 12 | +20.0 % | kept |",
            "| terminal: c (ms) | - | 1 | new |  |",
            "| terminal: d | 10 | - | gone | |",
        ];
        for row in rows {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }
}
