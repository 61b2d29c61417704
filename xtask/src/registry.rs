//! `features.toml`: what there is, which code does it, and which tests prove it.

mod features;
mod ran;
mod readme;
mod sources;
mod surface;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::results;
use crate::tree::Tree;
use features::Registry;

/// Checks the registry against the tree and, when there are recorded results, against them.
pub fn run(root: &Path, results: Option<&Path>) -> Result<()> {
    let tree = Tree::read(root)?;
    let registry = read(&tree)?;
    let mut found = check(&tree, &registry);
    if let Some(dir) = results {
        let not_there = |name| format!("{name} is not among the results: its tests did not run");
        found.extend(results::missing(dir).into_iter().map(not_there));
        found.extend(ran::check(&registry, &results::read(dir)?));
    }
    for finding in &found {
        eprintln!("registry: {finding}");
    }
    if !found.is_empty() {
        bail!("{} things in the registry are not so", found.len());
    }
    println!("{}", readme::line(&registry));
    Ok(())
}

/// Puts the counts into README.md.
pub fn write(root: &Path) -> Result<()> {
    let tree = Tree::read(root)?;
    let registry = read(&tree)?;
    let text = tree.text(readme::PATH).context("README.md is not there")?;
    std::fs::write(root.join(readme::PATH), readme::with_line(text, &registry)?)?;
    Ok(())
}

/// The line that tells how far it is.
pub fn summary(root: &Path) -> Result<String> {
    Ok(readme::line(&read(&Tree::read(root)?)?))
}

fn read(tree: &Tree) -> Result<Registry> {
    Registry::parse(tree.text("features.toml").context("features.toml is not there")?)
}

fn check(tree: &Tree, registry: &Registry) -> Vec<String> {
    let mut found = registry.check();
    found.extend(sources::check(tree, registry));
    found.extend(surface::check(tree, registry));
    found.extend(readme::check(tree, registry));
    found
}
