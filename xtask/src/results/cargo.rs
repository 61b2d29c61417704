use std::collections::BTreeMap;

use serde_json::Value;

use super::{Outcome, Test};

/// The tests in what `cargo test` prints. `binaries` is what `cargo test --no-run` tells in JSON:
/// the name of a test binary alone does not say whose it is.
pub fn parse(binaries: &str, log: &str) -> Vec<Test> {
    let prefixes = prefixes(binaries);
    let mut tests = vec![];
    let mut prefix = None;
    for line in log.lines() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("Running ") {
            prefix = binary(rest).and_then(|name| prefixes.get(name));
        } else if trimmed.starts_with("Doc-tests ") {
            prefix = None;
        } else if let (Some(prefix), Some((name, outcome))) = (prefix, test(line)) {
            tests.push(Test { name: format!("{prefix}::{name}"), outcome });
        }
    }
    tests
}

/// From file names of test binaries to how the names of their tests begin.
fn prefixes(binaries: &str) -> BTreeMap<String, String> {
    let mut prefixes = BTreeMap::new();
    for told in binaries.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(path) = told["executable"].as_str() else { continue };
        if told["profile"]["test"] != true {
            continue;
        }
        let package = package(told["package_id"].as_str().unwrap_or_default());
        let is_test = told["target"]["kind"].as_array().is_some_and(|k| k.contains(&"test".into()));
        let prefix = match told["target"]["name"].as_str() {
            Some(target) if is_test => format!("{package}::{target}"),
            _ => package.to_owned(),
        };
        prefixes.insert(last(path).to_owned(), prefix);
    }
    prefixes
}

/// The name in `path+file:///a/b#name@1.0.0`, or in `path+file:///a/name#1.0.0`.
fn package(id: &str) -> &str {
    let (path, rest) = id.split_once('#').unwrap_or((id, ""));
    rest.split_once('@').map_or_else(|| last(path), |(name, _)| name)
}

/// The binary in `unittests src/lib.rs (target/debug/deps/name-hash)`.
fn binary(rest: &str) -> Option<&str> {
    Some(last(rest.rsplit_once('(')?.1.strip_suffix(')')?))
}

fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name and the end in `test a::b ... ok`.
fn test(line: &str) -> Option<(&str, Outcome)> {
    let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let name = name.trim_end_matches(" - should panic");
    let outcome = match end.split([',', ' ', '<']).next()? {
        "ok" => Outcome::Passed,
        "FAILED" => Outcome::Failed,
        "ignored" => Outcome::Ignored,
        _ => return None,
    };
    Some((name, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARIES: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///x/crates/core#qd-core@0.1.0","target":{"kind":["lib"],"name":"qd_core"},"profile":{"test":true},"executable":"/x/target/debug/deps/qd_core-1"}
{"reason":"compiler-artifact","package_id":"path+file:///x/crates/qd#0.1.0","target":{"kind":["test"],"name":"it"},"profile":{"test":true},"executable":"/x/target/debug/deps/it-2"}
{"reason":"build-finished","success":true}
"#;

    #[test]
    fn tests_have_the_names_of_their_crates() {
        let log = "     Running unittests src/lib.rs (target/debug/deps/qd_core-1)\n\
                   test id::tests::short ... ok\n\
                   test id::tests::long ... FAILED\n\
                   test result: FAILED. 1 passed; 1 failed\n     \
                   Running tests/it/main.rs (target/debug/deps/it-2)\n\
                   test new::makes ... ignored, needs a network\n   \
                   Doc-tests qd_core\n\
                   test crates/core/src/lib.rs - id (line 3) ... ok\n";
        let test = |name: &str, outcome| Test { name: name.to_owned(), outcome };
        assert_eq!(
            parse(BINARIES, log),
            [
                test("qd-core::id::tests::short", Outcome::Passed),
                test("qd-core::id::tests::long", Outcome::Failed),
                test("qd::it::new::makes", Outcome::Ignored),
            ]
        );
    }
}
