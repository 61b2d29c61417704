use std::fmt::Write as _;

use super::{Ready, builtin};
use crate::effect::Kind;

/// The document about rules, with every built-in rule in it.
#[must_use]
pub fn reference() -> String {
    let mut text = String::from(include_str!("reference.md"));
    text.push_str("\n| rule | says | looks for | why |\n|---|---|---|---|\n");
    for Ready { rule, .. } in builtin() {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            rule.id,
            rule.verdict.name(),
            rule.looks_for(),
            rule.reason
        );
    }
    text.push_str("\n## Effects\n\nRisk: 1 reads, 2 changes with undo, 3 reaches out, 4 destroys. A place may raise it.\n");
    text.push_str("\n| effect | risk | what |\n|---|---|---|\n");
    for (_, name, risk, what) in Kind::ALL {
        let _ = writeln!(text, "| `{name}` | {risk} | {} |", what.trim());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_document_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
        let committed = std::fs::read_to_string(path).unwrap();
        assert!(
            committed == reference(),
            "docs/rules.md is stale: write it anew with `qd internal rules-reference`"
        );
    }
}
