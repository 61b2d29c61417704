use std::collections::BTreeSet;

use super::Finding;
use crate::tree::Tree;

const CODE: &str = "crates/core/src/problem.rs";
const DOCUMENT: &str = "docs/problems.md";

/// Every problem code stands in the document, and nothing else does.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let (Some(code), Some(document)) = (tree.text(CODE), tree.text(DOCUMENT)) else {
        return vec![Finding::new(DOCUMENT, format!("it or {CODE} is not there"))];
    };
    let (code, document) = (codes(code), documented(document));
    let missing = code.difference(&document).map(|code| format!("`{code}` is missing"));
    let extra = document.difference(&code).map(|code| format!("`{code}` is no code of {CODE}"));
    missing.chain(extra).map(|what| Finding::new(DOCUMENT, what)).collect()
}

/// From lines such as `Name => "text": "meaning",`.
fn codes(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter_map(|line| line.trim().split_once(" => \"")?.1.split_once("\": \""))
        .map(|(code, _)| code)
        .collect()
}

/// From rows of a table that begin with a code.
fn documented(text: &str) -> BTreeSet<&str> {
    text.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_that_is_not_documented_is_found_and_the_other_way_round() {
        let code = "    A => \"a_b\": \"Meaning.\",\n    C => \"c\": \"Other.\",\n";
        let document = "| code | meaning |\n| `a_b` | x |\n| `d` | y |\n";
        let found = check(&Tree::of(&[(CODE, code), (DOCUMENT, document)]));
        let told: Vec<_> = found.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(told, ["`c` is missing", "`d` is no code of crates/core/src/problem.rs"]);
    }

    #[test]
    fn the_codes_are_found_at_all() {
        let tree = Tree::read(&crate::root()).unwrap();
        assert!(codes(tree.text(CODE).unwrap()).len() > 40);
    }
}
