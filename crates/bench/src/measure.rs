//! One measured value, and the files that hold them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::fault::Result;

/// One value of one run. Its group and name stay the same from commit to commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// `core`, `api`, `terminal` or `daemon`.
    pub group: String,
    /// What was measured, unique in its group.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Its unit; `x` for a ratio.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// The bench that gave it: the word for `qd-bench run`.
    pub bench: String,
    /// The bar that it has to keep, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// How it was come by, or what it was compared with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The commit, machine and date of the run.
    #[serde(default)]
    pub run: String,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
}

impl Measure {
    /// Whether it keeps its bar; none when it has none.
    #[must_use]
    pub fn met(&self) -> Option<bool> {
        self.target.map(|target| match self.better {
            Better::Lower => self.value <= target,
            Better::Higher => self.value >= target,
        })
    }
}

/// Reads one file of results.
///
/// # Errors
/// When it is not there or is no list of measures.
pub fn read(file: &Path) -> Result<Vec<Measure>> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Reads all files of results in a folder.
///
/// # Errors
/// When the folder cannot be read, or a file in it is no list of measures.
pub fn read_all(dir: &Path) -> Result<Vec<Measure>> {
    let mut paths: Vec<_> = std::fs::read_dir(dir)?.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    // The engine's before the browser's.
    paths.sort_by_key(|path| (path.file_name().is_some_and(|n| n != "latest.json"), path.clone()));
    let mut all = vec![];
    for path in paths {
        all.extend(read(&path)?);
    }
    Ok(all)
}

/// Puts the results of some benches in the place of the older ones of the same benches.
///
/// # Errors
/// When the file cannot be written.
pub fn merge(file: &Path, benches: &[&str], fresh: Vec<Measure>) -> Result<()> {
    let mut all = read(file).unwrap_or_default();
    all.retain(|old| !benches.contains(&old.bench.as_str()));
    all.extend(fresh);
    let order = crate::benches::names();
    all.sort_by_key(|measure| order.iter().position(|name| *name == measure.bench));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, serde_json::to_string_pretty(&all)? + "\n")?;
    Ok(())
}

#[cfg(test)]
pub(crate) fn sample(name: &str, value: f64, better: Better, target: Option<f64>) -> Measure {
    Measure {
        group: "terminal".into(),
        name: name.into(),
        value,
        unit: "ms".into(),
        better,
        bench: "echo".into(),
        target,
        note: String::new(),
        run: "a run".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_kept_from_its_better_side() {
        assert_eq!(sample("a", 1.0, Better::Lower, Some(1.0)).met(), Some(true));
        assert_eq!(sample("a", 1.1, Better::Lower, Some(1.0)).met(), Some(false));
        assert_eq!(sample("a", 0.9, Better::Higher, Some(1.0)).met(), Some(false));
        assert_eq!(sample("a", 0.9, Better::Higher, None).met(), None);
    }

    #[test]
    fn a_bench_run_again_replaces_only_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/latest.json");
        let mut other = sample("other", 1.0, Better::Lower, None);
        other.bench = "idle".into();
        merge(&file, &["idle", "echo"], vec![sample("old", 1.0, Better::Lower, None), other])
            .unwrap();
        merge(&file, &["echo"], vec![sample("new", 2.0, Better::Lower, None)]).unwrap();
        let mut names: Vec<_> = read(&file).unwrap().into_iter().map(|m| m.name).collect();
        names.sort();
        assert_eq!(names, ["new", "other"]);
    }
}
