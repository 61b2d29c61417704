//! The tables that people read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::fault::{Result, fault};
use crate::measure::{Better, Measure};

/// The tables of the document: the word in their markers, and the groups in them.
const TABLES: [(&str, &[&str]); 5] = [
    ("terminal", &["terminal"]),
    ("daemon", &["daemon"]),
    ("api", &["api"]),
    ("core", &["core"]),
    ("browser", &["browser"]),
];

/// A number with as many places as its size needs.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == value.trunc() || size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}

/// A table for the terminal.
#[must_use]
pub fn plain(measures: &[Measure]) -> String {
    let wide = measures.iter().map(|m| m.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for measure in measures {
        let Measure { bench, name, value, unit, .. } = measure;
        let value = format!("{} {unit}", number(*value));
        let pad = wide - name.chars().count();
        let (bar, met) = (bar(measure), verdict(measure));
        let row = format!("{bench:<11} {name}{:pad$} {value:>14} {bar:>14} {met}", "");
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text
}

/// Puts the tables between their markers in a Markdown file, and the runs that they are from.
///
/// # Errors
/// When the file cannot be read or written, or has no such markers.
pub fn write(measures: &[Measure], file: &Path) -> Result<()> {
    let mut text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    for (word, groups) in TABLES {
        let rows: Vec<&Measure> =
            measures.iter().filter(|m| groups.contains(&m.group.as_str())).collect();
        let table = if rows.is_empty() { "Not measured yet.\n".to_owned() } else { table(&rows) };
        text = between(&text, word, &table)?;
    }
    let runs: BTreeSet<&str> = measures.iter().map(|measure| measure.run.as_str()).collect();
    let runs: String = runs.iter().map(|run| format!("- {run}\n")).collect();
    text = between(&text, "runs", if runs.is_empty() { "- none\n" } else { &runs })?;
    std::fs::write(file, text)?;
    Ok(())
}

fn table(rows: &[&Measure]) -> String {
    let mut text =
        "| what | bar | measured | kept | how | `make bench ARGS=` |\n|---|---:|---:|---|---|---|\n"
            .to_owned();
    for measure in rows {
        let Measure { bench, name, value, unit, note, .. } = measure;
        let (value, bar, met) = (number(*value), bar(measure), verdict(measure));
        let _ = writeln!(text, "| {name} | {bar} | {value} {unit} | {met} | {note} | `{bench}` |");
    }
    text
}

fn bar(measure: &Measure) -> String {
    let Some(target) = measure.target else { return String::new() };
    let sign = if measure.better == Better::Lower { '\u{2264}' } else { '\u{2265}' };
    format!("{sign} {} {}", number(target), measure.unit)
}

fn verdict(measure: &Measure) -> &'static str {
    match measure.met() {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "",
    }
}

/// Replaces what stands between `<!-- bench WORD -->` and `<!-- end -->`.
fn between(text: &str, word: &str, fresh: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- bench {word} -->\n"), "<!-- end -->");
    let parts = text.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(end)?;
        Some(format!("{before}{begin}\n{fresh}\n{end}{after}"))
    });
    match parts {
        Some(text) => Ok(text),
        None => fault(format!("there is no {begin:?} with its {end:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::sample;

    #[test]
    fn a_table_takes_the_place_of_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.md");
        let words = ["terminal", "daemon", "api", "core", "browser", "runs"];
        let empty: String = words
            .iter()
            .map(|w| format!("# {w}\n<!-- bench {w} -->\nold\n<!-- end -->\n"))
            .collect();
        std::fs::write(&file, empty).unwrap();
        let measures = [sample("echo", 0.256, Better::Lower, Some(0.3))];
        write(&measures, &file).unwrap();
        write(&measures, &file).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text.matches("| echo | \u{2264} 0.30 ms | 0.26 ms | yes |").count(),
            1,
            "{text}"
        );
        assert!(text.contains("- a run") && !text.contains("old"));
        assert!(write(&measures, &dir.path().join("none.md")).is_err());
    }

    #[test]
    fn numbers_have_the_places_that_they_need() {
        let told: Vec<_> = [1234.5, 12.34, 1.234, 0.01234, 7.0].map(number).into();
        assert_eq!(told, ["1234", "12.3", "1.23", "0.0123", "7"]);
    }
}
