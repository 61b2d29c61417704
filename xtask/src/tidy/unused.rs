use toml::{Table, Value};

use super::Finding;
use crate::tree::Tree;

const KINDS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Dependencies that no source names.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    let mut inherited = vec![];
    for manifest in tree.ending(&["/Cargo.toml"]) {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        let table: Table = manifest.text.parse().unwrap_or_default();
        for (kind, name) in dependencies(&table) {
            inherited.push(name.clone());
            if !is_used(tree, folder, &name) {
                found.push(Finding::new(&manifest.path, format!("{kind}: no source names {name}")));
            }
        }
        found.extend(twice(&manifest.path, &table));
    }
    let root: Table = tree.text("Cargo.toml").unwrap_or_default().parse().unwrap_or_default();
    let offered = root.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    for name in offered.and_then(Value::as_table).into_iter().flat_map(Table::keys) {
        if !inherited.contains(name) {
            found.push(Finding::new("Cargo.toml", format!("no crate uses {name}")));
        }
    }
    found
}

fn dependencies(manifest: &Table) -> impl Iterator<Item = (&'static str, String)> {
    KINDS.iter().flat_map(|kind| {
        let table = manifest.get(*kind).and_then(Value::as_table);
        table.into_iter().flat_map(Table::keys).map(|name| (*kind, name.clone()))
    })
}

/// What the crate uses anyway need not be said for its tests, unless they want more of it.
fn twice(path: &str, manifest: &Table) -> Vec<Finding> {
    let of = |kind| manifest.get(kind).and_then(Value::as_table);
    let (Some(uses), Some(tests_use)) = (of("dependencies"), of("dev-dependencies")) else {
        return vec![];
    };
    let more = |value: &Value| value.get("features").is_some();
    tests_use
        .iter()
        .filter(|(name, value)| uses.contains_key(*name) && !more(value))
        .map(|(name, _)| Finding::new(path, format!("dev-dependencies: {name} is there already")))
        .collect()
}

fn is_used(tree: &Tree, folder: &str, dependency: &str) -> bool {
    let name = dependency.replace('-', "_");
    tree.ending(&[".rs"]).filter(|file| file.path.starts_with(folder)).any(|file| {
        file.text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or(line);
            code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: (&str, &str) =
        ("Cargo.toml", "[workspace.dependencies]\nthis-one = \"1\"\nother = \"1\"\n");
    const CRATE: &str = "[dependencies]\nthis-one.workspace = true\n";

    fn told(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|f| format!("{}: {}", f.place, f.what)).collect()
    }

    #[test]
    fn a_dependency_that_no_source_names_is_found() {
        let found = told(&[
            ("crates/a/Cargo.toml", CRATE),
            ("crates/a/src/lib.rs", "// this_one\nuse this_one_more::X;\n"),
            ("crates/b/src/lib.rs", "use this_one::X;\n"),
        ]);
        assert_eq!(found, ["crates/a/Cargo.toml: dependencies: no source names this-one"]);
        let found =
            told(&[("crates/a/Cargo.toml", CRATE), ("crates/a/build.rs", "use this_one::X;\n")]);
        assert!(found.is_empty());
    }

    #[test]
    fn what_no_crate_uses_is_found() {
        let files = [ROOT, ("a/Cargo.toml", CRATE), ("a/src/lib.rs", "this_one!();\n")];
        assert_eq!(told(&files), ["Cargo.toml: no crate uses other"]);
    }

    #[test]
    fn what_is_said_twice_is_found() {
        let twice = format!("{CRATE}[dev-dependencies]\nthis-one.workspace = true\n");
        let source = ("a/src/lib.rs", "use this_one::X;\n");
        let found = told(&[("a/Cargo.toml", &twice), source]);
        assert_eq!(found, ["a/Cargo.toml: dev-dependencies: this-one is there already"]);
        let more = twice.replacen(
            "[dev-dependencies]\nthis-one.workspace = true",
            "[dev-dependencies]\nthis-one = { workspace = true, features = [\"x\"] }",
            1,
        );
        assert!(told(&[("a/Cargo.toml", &more), source]).is_empty());
    }
}
