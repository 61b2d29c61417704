use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// All features, in the order of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    #[serde(rename = "feature")]
    pub features: Vec<Feature>,
}

/// One row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Such as `session.create`.
    pub id: String,
    pub title: String,
    pub status: Status,
    /// The order in which it is built, from 1.
    pub stage: u8,
    /// What is missing, when it is there in part.
    #[serde(default)]
    pub missing: Option<String>,
    /// Files and folders.
    pub code: Vec<String>,
    /// `crate::path::test`, `e2e: title`, `page: title` or `script: name`.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Tests of the real agents, which only `make test-agents` runs.
    #[serde(default)]
    pub agent_tests: Vec<String>,
    /// `METHOD /path`, as in openapi.json.
    #[serde(default)]
    pub routes: Vec<String>,
    /// Commands of `qd`, as in docs/cli.md; `qd` is the bare one.
    #[serde(default)]
    pub commands: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Done,
    Partial,
}

impl Registry {
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).context("features.toml is not of the right form")
    }

    /// How many have this status.
    pub fn count(&self, status: Status) -> usize {
        self.features.iter().filter(|feature| feature.status == status).count()
    }

    /// What each row must have, whatever the tree holds.
    pub fn check(&self) -> Vec<String> {
        let mut found = vec![];
        let mut seen = BTreeSet::new();
        for feature in &self.features {
            let id = &feature.id;
            if !seen.insert(id) {
                found.push(format!("{id} is there twice"));
            }
            if feature.title.is_empty() || feature.code.is_empty() {
                found.push(format!("{id} names no title or no code"));
            }
            if !(1..=5).contains(&feature.stage) {
                found.push(format!("{id} has a stage that is not 1 to 5"));
            }
            match feature.status {
                Status::Done if feature.tests.is_empty() => {
                    found.push(format!("{id} is done, and no test proves it"));
                }
                Status::Done if feature.missing.is_some() => {
                    found.push(format!("{id} is done, and something is missing"));
                }
                Status::Partial if feature.missing.is_none() => {
                    found.push(format!("{id} is there in part: say what is missing"));
                }
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
pub fn planted(rows: &str) -> Registry {
    Registry::parse(rows).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "[[feature]]\nid = \"a.b\"\ntitle = \"A\"\nstage = 1\ncode = [\"a\"]\n";

    #[test]
    fn done_without_a_test_is_found() {
        let found = planted(&format!("{ROW}status = \"done\"\n")).check();
        assert_eq!(found, ["a.b is done, and no test proves it"]);
    }

    #[test]
    fn in_part_without_what_is_missing_is_found() {
        let found = planted(&format!("{ROW}status = \"partial\"\n")).check();
        assert_eq!(found, ["a.b is there in part: say what is missing"]);
    }

    #[test]
    fn a_row_that_is_there_twice_is_found() {
        let row = format!("{ROW}status = \"done\"\ntests = [\"t\"]\n");
        assert_eq!(planted(&format!("{row}{row}")).check(), ["a.b is there twice"]);
    }

    #[test]
    fn a_field_that_is_not_known_is_refused() {
        assert!(Registry::parse(&format!("{ROW}status = \"done\"\ntest = []\n")).is_err());
    }
}
