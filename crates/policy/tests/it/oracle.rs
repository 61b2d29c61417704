//! Another parser of shells as the judge: each command that it sees is one of our parts, or we ask.

use std::collections::BTreeSet;

use proptest::prelude::*;
use qd_policy::Decision;
use tree_sitter::{Node, Parser, Tree};

use crate::corpus::rows;
use crate::fuzz::{config, script};
use crate::verdict;

fn tree(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    parser.parse(text, None)
}

/// The names of commands that stand there as plain words.
fn names(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(tree) = tree(text) else { return found };
    let mut open: Vec<Node<'_>> = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.kind() == "command_name" {
            let name = node.utf8_text(text.as_bytes()).unwrap_or_default();
            let plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
            // To it these two are commands.
            if !name.is_empty() && name.chars().all(plain) && !matches!(name, "time" | "coproc") {
                found.insert(name.rsplit('/').next().unwrap_or(name).to_owned());
            }
        }
        for at in 0..node.child_count() {
            open.extend(node.child(at.try_into().unwrap()));
        }
    }
    found
}

fn agrees(text: &str) -> Result<(), String> {
    let verdict = verdict(text);
    if verdict.verdict != Decision::Allow {
        return Ok(());
    }
    let ours: BTreeSet<&str> =
        verdict.parts.iter().map(|judged| judged.part.program.as_str()).collect();
    match names(text).into_iter().find(|name| !ours.contains(name.as_str())) {
        Some(name) => Err(format!("{name} of {text:?} is not among {ours:?}")),
        None => Ok(()),
    }
}

#[test]
fn the_other_parser_sees_commands() {
    let seen = names("ls | wc; x=$(id) && (cd a; \"$(date)\")");
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["cd", "date", "id", "ls", "wc"]);
}

#[test]
fn each_labelled_command_has_the_parts_that_another_parser_sees() {
    for row in ["public.tsv", "own.tsv", "frozen.tsv"].iter().flat_map(|name| rows(name)) {
        agrees(&row.command).unwrap();
    }
}

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn each_made_up_command_has_the_parts_that_another_parser_sees(text in script()) {
        prop_assert_eq!(agrees(&text), Ok(()));
    }
}
