use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::Finding;
use crate::process;

/// Which crates of ours a crate may name. A crate that is not listed is refused: give it a row.
const MAY_USE: &[(&str, &[&str])] = &[
    ("qd-core", &[]),
    ("qd-screen", &[]),
    ("qd-policy", &[]),
    ("qd-tmux", &[]),
    ("qd-git", &[]),
    ("qd-store", &[]),
    ("qd-api", &["qd-core"]),
    ("qd-agents", &["qd-core"]),
    (
        "qd-daemon",
        &["qd-core", "qd-agents", "qd-screen", "qd-tmux", "qd-git", "qd-store", "qd-api"],
    ),
    ("qd-server", &["qd-core", "qd-api", "qd-daemon"]),
    ("qd-client", &["qd-core", "qd-api"]),
    // The server only for `serve`, the daemon for that and for backups, tmux only for `internal` and
    // `attach`.
    ("qd", &["qd-core", "qd-api", "qd-client", "qd-server", "qd-daemon", "qd-tmux", "qd-policy"]),
    // Beside the program from outside, it measures the parts that have a speed of their own.
    ("qd-bench", &["qd-core", "qd-screen", "qd-policy", "qd-tmux", "qd-store", "qd-api"]),
    ("xtask", &[]),
];

/// Crates that do no I/O, and what they must not reach, not even through another crate of ours.
const PURE: &[&str] = &["qd-core", "qd-screen", "qd-policy"];
const IMPURE: &[&str] = &["tokio", "axum", "hyper", "rusqlite", "rustix", "nix", "libc"];

/// Crates of others that have one home.
const HOMES: &[(&str, &[&str])] = &[
    ("axum", &["qd-server"]),
    ("tower", &["qd-server"]),
    ("tower-http", &["qd-server"]),
    ("utoipa-axum", &["qd-server"]),
    // The benches commit the same rows without the store.
    ("rusqlite", &["qd-store", "qd-bench"]),
    ("clap", &["qd"]),
    ("anyhow", &["qd", "xtask"]),
];

/// A crate of the workspace with the names of what it depends on.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    /// What it is built with, build scripts included; what only its tests use is their affair.
    pub uses: BTreeSet<String>,
}

/// The crates of the workspace, as cargo tells them.
pub fn members(root: &Path) -> Result<Vec<Member>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let args = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let told: Value = serde_json::from_str(&process::output(root, &cargo, &args)?)?;
    let packages = told["packages"].as_array().context("cargo metadata names no packages")?;
    Ok(packages.iter().map(member).collect())
}

fn member(package: &Value) -> Member {
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let uses = dependencies.filter(|used| used["kind"] != "dev").map(name).collect();
    Member { name: name(package), uses }
}

pub fn check(members: &[Member]) -> Vec<Finding> {
    let ours: BTreeMap<&str, &Member> = members.iter().map(|m| (m.name.as_str(), m)).collect();
    let mut found = vec![];
    for member in members {
        let name = member.name.as_str();
        let broken = |what: String| Finding::new(format!("crate {name}"), what);
        let Some((_, allowed)) = MAY_USE.iter().find(|(crate_name, _)| *crate_name == name) else {
            found.push(broken("it has no row in MAY_USE of xtask/src/tidy/layers.rs".to_owned()));
            continue;
        };
        for used in &member.uses {
            let used = used.as_str();
            if ours.contains_key(used) && !allowed.contains(&used) {
                found.push(broken(format!("it may not use {used}")));
            }
            let home = HOMES.iter().find(|(theirs, _)| *theirs == used);
            if home.is_some_and(|(_, homes)| !homes.contains(&name)) {
                found.push(broken(format!("{used} is not for this crate")));
            }
        }
        if PURE.contains(&name) {
            for used in reached(name, &ours).iter().filter(|used| IMPURE.contains(&used.as_str())) {
                found.push(broken(format!("it is pure and may not reach {used}")));
            }
        }
    }
    found
}

/// All that a crate uses, through crates of ours too.
fn reached(name: &str, ours: &BTreeMap<&str, &Member>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(next) = open.pop() {
        for used in ours.get(next.as_str()).into_iter().flat_map(|member| &member.uses) {
            if seen.insert(used.clone()) {
                open.push(used.clone());
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, uses: &[&str]) -> Member {
        let uses = uses.iter().map(|used| (*used).to_owned()).collect();
        Member { name: name.to_owned(), uses }
    }

    fn told(members: &[Member]) -> Vec<String> {
        check(members).into_iter().map(|f| format!("{}: {}", f.place, f.what)).collect()
    }

    #[test]
    fn a_crate_that_reaches_up_is_found() {
        let found = told(&[of("qd-core", &["qd-api"]), of("qd-api", &["serde"])]);
        assert_eq!(found, ["crate qd-core: it may not use qd-api"]);
    }

    #[test]
    fn a_pure_crate_that_reaches_the_runtime_is_found_even_at_second_hand() {
        let found = told(&[of("qd-screen", &["qd-git"]), of("qd-git", &["tokio"])]);
        assert!(found.contains(&"crate qd-screen: it is pure and may not reach tokio".to_owned()));
    }

    #[test]
    fn a_crate_away_from_its_home_is_found() {
        let found = told(&[of("qd-daemon", &["axum", "rusqlite"])]);
        assert_eq!(
            found,
            [
                "crate qd-daemon: axum is not for this crate",
                "crate qd-daemon: rusqlite is not for this crate"
            ]
        );
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        assert_eq!(told(&[of("qd-new", &[])]).len(), 1);
    }

    #[test]
    fn tests_may_use_what_ships_not() {
        let package = serde_json::json!({"name": "qd-screen", "dependencies": [
            {"name": "tokio", "kind": "dev"}, {"name": "lz4_flex", "kind": null}]});
        let member = member(&package);
        assert_eq!(member.uses.len(), 1);
        assert!(check(&[member]).is_empty());
    }
}
