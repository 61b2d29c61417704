//! Benchmarks: runs them, and compares two sets of results.
//!
//! A result file is a JSON array of `{"group", "name", "value", "unit", "better"}`; `better` is
//! `lower` or `higher`. `qd-bench` and `bench/browser` write them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::{process, registry};

/// A change smaller than this, in percent, is taken for noise.
const NOISE: f64 = 10.0;

#[derive(Clone, Debug, Deserialize)]
struct Measure {
    group: String,
    name: String,
    value: f64,
    unit: String,
    better: Better,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Better {
    Lower,
    Higher,
}

/// Runs `bench/run --out OUT`.
pub fn run(root: &Path, out: &Path) -> Result<()> {
    let program = root.join("bench/run");
    if !program.is_file() {
        bail!("bench/run is not there: there is nothing to measure with");
    }
    std::fs::create_dir_all(out)?;
    let (program, out) = (program.to_string_lossy(), std::path::absolute(out)?);
    process::run(root, &program, &["--out", &out.to_string_lossy()])
}

/// Prints, as Markdown, how far the registry is and how two sets of results differ.
pub fn report(root: &Path, base: &Path, head: &Path) -> Result<()> {
    println!("## Registry\n\n{}\n", registry::summary(root)?);
    println!("{}", table(&read(base)?, &read(head)?));
    Ok(())
}

/// All results in a folder; none when the folder is not there.
fn read(dir: &Path) -> Result<Vec<Measure>> {
    let mut all = vec![];
    let Ok(entries) = std::fs::read_dir(dir) else { return Ok(all) };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
        let text = std::fs::read_to_string(path)?;
        let measures: Vec<Measure> = serde_json::from_str(&text)
            .with_context(|| format!("{} is no list of measures", path.display()))?;
        all.extend(measures);
    }
    Ok(all)
}

fn table(base: &[Measure], head: &[Measure]) -> String {
    let before: BTreeMap<_, _> = base.iter().map(|m| ((&m.group, &m.name), m)).collect();
    let mut text = String::new();
    let mut group = "";
    for measure in head {
        if measure.group != group {
            group = &measure.group;
            let _ = writeln!(text, "## {group}\n\n| | base | head | change |\n|---|---:|---:|---|");
        }
        let old = before.get(&(&measure.group, &measure.name));
        let was = old.map_or_else(|| "-".to_owned(), |old| format!("{:.2}", old.value));
        let change = old.map_or_else(|| "new".to_owned(), |old| change(old.value, measure));
        let Measure { name, value, unit, .. } = measure;
        let _ = writeln!(text, "| {name} ({unit}) | {was} | {value:.2} | {change} |");
    }
    if head.is_empty() {
        text.push_str("No benchmark was run.\n");
    }
    text
}

fn change(old: f64, new: &Measure) -> String {
    if old == 0.0 {
        return "base is 0".to_owned();
    }
    let percent = (new.value - old) / old * 100.0;
    let worse = if new.better == Better::Lower { percent > NOISE } else { percent < -NOISE };
    format!("{percent:+.1} %{}", if worse { ", worse" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str, value: f64, better: &str) -> Measure {
        let better = if better == "lower" { Better::Lower } else { Better::Higher };
        let (group, unit) = ("core".to_owned(), "ms".to_owned());
        Measure { group, name: name.to_owned(), value, unit, better }
    }

    #[test]
    fn what_got_worse_is_said() {
        let base = [measure("a", 10.0, "lower"), measure("b", 10.0, "higher")];
        let head =
            [measure("a", 12.0, "lower"), measure("b", 12.0, "higher"), measure("c", 1.0, "lower")];
        let text = table(&base, &head);
        assert!(text.contains("| a (ms) | 10.00 | 12.00 | +20.0 %, worse |"), "{text}");
        assert!(text.contains("| b (ms) | 10.00 | 12.00 | +20.0 % |"), "{text}");
        assert!(text.contains("| c (ms) | - | 1.00 | new |"), "{text}");
    }
}
