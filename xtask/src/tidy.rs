//! Rules of the tree that neither rustc nor clippy checks. `docs/adr` and `ARCHITECTURE.md` say
//! why they are. Each has a test on a planted violation.

mod dependencies;
mod ignored;
mod layers;
mod length;
mod lock;
mod names;
mod ownership;
mod problems;
mod text;
mod unused;
mod words;

use std::path::Path;

use anyhow::{Result, bail};

use crate::tree::Tree;

/// Where a rule is broken, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    place: String,
    what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }

    fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), what)
    }
}

/// Checks every rule; fails with all that is wrong.
pub fn run(root: &Path) -> Result<()> {
    let found = check(root)?;
    for finding in &found {
        eprintln!("{}: {}", finding.place, finding.what);
    }
    if !found.is_empty() {
        bail!("{} rules of the tree are broken", found.len());
    }
    Ok(())
}

fn check(root: &Path) -> Result<Vec<Finding>> {
    let tree = Tree::read(root)?;
    let mut found = layers::check(&layers::members(root)?);
    let rules = [
        names::check,
        length::check,
        text::check,
        words::check,
        lock::check,
        ignored::check,
        unused::check,
    ];
    for rule in rules {
        found.extend(rule(&tree));
    }
    found.extend(ownership::check(&tree));
    found.extend(problems::check(&tree));
    found.extend(dependencies::check(&tree, &dependencies::packages(root)?));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let found = check(&crate::root()).unwrap();
        assert!(found.is_empty(), "{found:#?}");
    }
}
