use super::Finding;
use crate::tree::Tree;

const RUST: &str = concat!("#[ign", "ore]");

/// A test that does not run says why.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    for file in tree.ending(&[".rs"]) {
        for (at, line) in file.text.lines().enumerate() {
            if line.trim() == RUST {
                found.push(Finding::at(&file.path, at + 1, "an ignored test without a reason"));
            }
        }
    }
    for file in tree.ending(&[".ts", ".tsx", ".mjs"]) {
        for (at, line) in file.text.lines().enumerate() {
            let only = ["test.only(", "it.only(", "describe.only("];
            if only.iter().any(|only| line.contains(only)) {
                found.push(Finding::at(&file.path, at + 1, "only this test would run"));
            }
            let skip = ["test.skip(\"", "it.skip(\"", "describe.skip(\""];
            if skip.iter().any(|skip| line.contains(skip)) {
                found.push(Finding::at(&file.path, at + 1, "a test that is always skipped"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_is_ignored_without_a_reason_is_found() {
        let text = format!("{RUST}\nfn a() {{}}\n");
        assert_eq!(check(&Tree::of(&[("a.rs", &text)])).len(), 1);
        let text = format!("{} = \"needs a network\"]\nfn a() {{}}\n", RUST.trim_end_matches(']'));
        assert!(check(&Tree::of(&[("a.rs", &text)])).is_empty());
        let text = concat!("test.on", "ly(\"a\", () => {});\ntest(\"b\");\n");
        assert_eq!(check(&Tree::of(&[("a.test.ts", text)])).len(), 1);
    }
}
