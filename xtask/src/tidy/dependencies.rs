use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use super::Finding;
use crate::process;
use crate::tree::Tree;

const POLICY: &str = "deny.toml";

/// What this reads of deny.toml. `cargo deny` reads all of it, and is not everywhere.
#[derive(Debug, Deserialize)]
struct Policy {
    licenses: Licences,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    /// It may be there, but once.
    #[serde(default)]
    deny_multiple_versions: bool,
    reason: String,
}

/// A crate of others, as cargo tells it.
#[derive(Clone, Debug)]
pub struct Package {
    name: String,
    version: String,
    licence: String,
    source: String,
}

/// All that the workspace is built from and tested with on this system. Cargo fetches what was
/// never built here, as it would to build it.
pub fn packages(root: &Path) -> Result<Vec<Package>> {
    let tool = |name: &str, or: &str| std::env::var(name).unwrap_or_else(|_| or.to_owned());
    let about = process::output(root, &tool("RUSTC", "rustc"), &["-vV"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not name its host")?;
    let args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", host];
    let told: Value =
        serde_json::from_str(&process::output(root, &tool("CARGO", "cargo"), &args)?)?;
    let packages = told["packages"].as_array().context("cargo metadata names no packages")?;
    Ok(packages.iter().filter_map(package).collect())
}

/// None for a crate of ours.
fn package(told: &Value) -> Option<Package> {
    let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    told["source"].as_str().map(|source| Package {
        name: text("name"),
        version: text("version"),
        licence: text("license"),
        source: source.to_owned(),
    })
}

/// What deny.toml says of licences, of banned crates and of sources, for these.
pub fn check(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let policy = match toml::from_str::<Policy>(tree.text(POLICY).unwrap_or_default()) {
        Ok(policy) => policy,
        Err(error) => return vec![Finding::new(POLICY, format!("cannot be read: {error}"))],
    };
    let mut found = vec![];
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        let Package { name, version, licence, source } = package;
        versions.entry(name).or_default().insert(version);
        let mut broken = |what: String| {
            found.push(Finding::new(format!("crate {name} {version}"), what));
        };
        if !is_allowed(licence, &policy.licenses.allow) {
            broken(format!("{POLICY} does not allow its licence: `{licence}`"));
        }
        if !source.starts_with("registry+") && !source.starts_with("sparse+") {
            broken(format!("it comes from no registry: {source}"));
        }
    }
    for Ban { name, deny_multiple_versions, reason } in &policy.bans.deny {
        let most = usize::from(*deny_multiple_versions);
        let there = versions.get(name.as_str()).map_or(0, BTreeSet::len);
        if there > most {
            let what = format!("{there} versions of it; {POLICY} allows {most}: {reason}");
            found.push(Finding::new(format!("crate {name}"), what));
        }
    }
    found
}

/// Whether an SPDX expression can be met by allowed licences alone. `/` is an old way to write OR;
/// AND binds more closely than OR.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest, allowed) && rest.is_empty()
}

fn either(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut met = both(rest, allowed);
    while let ["OR", after @ ..] = *rest {
        *rest = after;
        met |= both(rest, allowed);
    }
    met
}

fn both(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut met = one(rest, allowed);
    while let ["AND", after @ ..] = *rest {
        *rest = after;
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    match *rest {
        ["(", after @ ..] => {
            *rest = after;
            let met = either(rest, allowed);
            let Some((&")", after)) = rest.split_first() else { return false };
            *rest = after;
            met
        }
        [name, "WITH", exception, after @ ..] => {
            *rest = after;
            allowed.contains(&format!("{name} WITH {exception}"))
        }
        [name, after @ ..] => {
            *rest = after;
            allowed.contains(*name)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "[licenses]\nallow = [\"MIT\", \"Apache-2.0\", \"Zlib\", \
        \"Apache-2.0 WITH LLVM-exception\"]\n[bans]\ndeny = [\
        { crate = \"bad\", reason = \"no\" }, \
        { crate = \"single\", deny-multiple-versions = true, reason = \"one\" }]\n";

    fn of(name: &str, version: &str, licence: &str) -> Package {
        let [name, version, licence] = [name, version, licence].map(str::to_owned);
        Package { name, version, licence, source: "registry+index".to_owned() }
    }

    fn told(packages: &[Package]) -> Vec<String> {
        let found = check(&Tree::of(&[(POLICY, RULES)]), packages);
        found.into_iter().map(|f| format!("{}: {}", f.place, f.what)).collect()
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_found() {
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 AND BSL-1.0 OR MIT",
            "(MIT OR GPL-3.0) AND Zlib",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(told(&[of("a", "1", good)]).is_empty(), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR Zlib) AND GPL-3.0",
            "MIT AND",
            "(MIT",
            "MIT)",
            "MIT Zlib",
            "Zlib WITH LLVM-exception",
        ] {
            assert_eq!(told(&[of("a", "1", bad)]).len(), 1, "{bad}");
        }
    }

    #[test]
    fn a_banned_crate_is_found() {
        let found =
            told(&[of("bad", "1", "MIT"), of("single", "1", "MIT"), of("single", "2", "MIT")]);
        assert_eq!(
            found,
            [
                "crate bad: 1 versions of it; deny.toml allows 0: no",
                "crate single: 2 versions of it; deny.toml allows 1: one",
            ]
        );
        assert!(told(&[of("single", "1", "MIT")]).is_empty());
    }

    #[test]
    fn a_crate_from_elsewhere_is_found() {
        let elsewhere =
            Package { source: "git+https://example.test".to_owned(), ..of("a", "1", "MIT") };
        assert_eq!(told(&[elsewhere]).len(), 1);
    }

    #[test]
    fn a_policy_that_cannot_be_read_is_found() {
        assert_eq!(check(&Tree::default(), &[]).len(), 1);
    }
}
