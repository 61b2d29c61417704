use std::collections::BTreeSet;

use serde_json::Value;

use super::features::Registry;
use crate::tree::Tree;

const OPENAPI: &str = "openapi.json";
const COMMANDS: &str = "docs/cli.md";
const METHODS: &[&str] = &["get", "put", "post", "delete", "patch", "head", "options"];

/// Every route and every command belongs to a feature.
pub fn check(tree: &Tree, registry: &Registry) -> Vec<String> {
    let mut found = vec![];
    match tree.text(OPENAPI).map(serde_json::from_str::<Value>) {
        Some(Ok(document)) => {
            let named = registry.features.iter().flat_map(|feature| &feature.routes);
            compare("route", &routes(&document), named, OPENAPI, &mut found);
        }
        _ => found.push(format!("{OPENAPI} is not there or no JSON: run `make gen`")),
    }
    match tree.text(COMMANDS) {
        Some(text) => {
            let named = registry.features.iter().flat_map(|feature| &feature.commands);
            compare("command", &commands(text), named, COMMANDS, &mut found);
        }
        None => found.push(format!("{COMMANDS} is not there: run `make gen`")),
    }
    found
}

fn compare<'a>(
    kind: &str,
    there: &BTreeSet<String>,
    named: impl Iterator<Item = &'a String>,
    file: &str,
    found: &mut Vec<String>,
) {
    let named: BTreeSet<String> = named.cloned().collect();
    for one in there.difference(&named) {
        found.push(format!("the {kind} `{one}` is named by no feature"));
    }
    for one in named.difference(there) {
        found.push(format!("the {kind} `{one}` is not in {file}"));
    }
}

fn routes(document: &Value) -> BTreeSet<String> {
    let mut routes = BTreeSet::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in item.as_object().into_iter().flat_map(|item| item.keys()) {
            if METHODS.contains(&method.as_str()) {
                routes.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    routes
}

/// From headings such as `## qd new`; the bare `qd` is a command too.
fn commands(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix("## qd"));
    headings.map(|rest| if rest.is_empty() { "qd" } else { rest.trim() }.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::features::planted;
    use super::*;

    const ROW: &str =
        "[[feature]]\nid = \"a\"\ntitle = \"A\"\nstage = 1\ncode = [\"a\"]\nstatus = \"done\"\n";

    #[test]
    fn what_no_feature_names_is_found_and_what_is_not_there_too() {
        let document = r#"{"paths": {"/a": {"get": {}, "parameters": []}, "/b": {"post": {}}}}"#;
        let tree =
            Tree::of(&[(OPENAPI, document), (COMMANDS, "# T\n## qd\n## qd new\n## qd ls\n")]);
        let registry = planted(&format!(
            "{ROW}routes = [\"GET /a\", \"GET /c\"]\ncommands = [\"qd\", \"new\", \"rm\"]\n"
        ));
        assert_eq!(
            check(&tree, &registry),
            [
                "the route `POST /b` is named by no feature",
                "the route `GET /c` is not in openapi.json",
                "the command `ls` is named by no feature",
                "the command `rm` is not in docs/cli.md",
            ]
        );
    }

    #[test]
    fn nothing_to_compare_with_is_found() {
        assert_eq!(check(&Tree::default(), &planted(ROW)).len(), 2);
    }
}
