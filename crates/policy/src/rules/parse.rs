use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Decision, Ready, Rule, Scope};

/// Rules that one file may have.
const MOST: usize = 20_000;

/// What is wrong with a file of rules, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong, in a sentence.
    pub what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "rule")]
    rules: Vec<Spanned<Rule>>,
}

/// Reads a file of rules.
///
/// # Errors
/// With all that is wrong in it: unknown keys and bad patterns, names that are there twice, and
/// rules that look for the same with the same priority and say different things.
pub fn parse(text: &str, scope: Scope, trusted: bool) -> Result<Vec<Ready>, Vec<Fault>> {
    let file: File = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        vec![fault(text, at, error.message())]
    })?;
    if file.rules.len() > MOST {
        return Err(vec![fault(text, 0, &format!("there are more than {MOST} rules"))]);
    }
    let (mut ready, mut faults) = (vec![], vec![]);
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut said: BTreeMap<String, (Decision, String)> = BTreeMap::new();
    for spanned in file.rules {
        let start = spanned.span().start;
        let rule = spanned.into_inner();
        if rule.id.is_empty() || rule.id.chars().any(|c| c.is_control() || c.is_whitespace()) {
            faults.push(fault(text, at(text, start, "id"), "an id is one word"));
        }
        if names.insert(rule.id.clone(), start).is_some() {
            let what = format!("there are two rules with the id {}", rule.id);
            faults.push(fault(text, at(text, start, "id"), &what));
        }
        if scope != Scope::BuiltIn && rule.id.starts_with("qd.") {
            faults.push(fault(text, at(text, start, "id"), "ids that begin with qd. are built in"));
        }
        if rule.verdict == Decision::Deny && rule.reason.is_empty() {
            faults.push(fault(
                text,
                at(text, start, "verdict"),
                "a rule that denies says a reason",
            ));
        }
        let key = format!("{} {}", rule.priority, rule.looks_for());
        match said.get(&key) {
            Some((verdict, other)) if *verdict != rule.verdict => {
                let what = format!(
                    "{} and {other} look for the same with the same priority, and say {} and {}",
                    rule.id,
                    rule.verdict.name(),
                    verdict.name(),
                );
                faults.push(fault(text, at(text, start, "verdict"), &what));
            }
            _ => {
                said.insert(key, (rule.verdict, rule.id.clone()));
            }
        }
        match Ready::new(rule, scope, trusted) {
            Ok(rule) => ready.push(rule),
            Err(bad) => faults.push(fault(text, at(text, start, bad.key), &bad.to_string())),
        }
    }
    if faults.is_empty() { Ok(ready) } else { Err(faults) }
}

/// Rules as a file of rules.
///
/// # Errors
/// When one of them cannot be written.
pub fn to_toml(rules: &[Ready]) -> Result<String, toml::ser::Error> {
    #[derive(Serialize)]
    struct File<'r> {
        rule: Vec<&'r Rule>,
    }
    toml::to_string(&File { rule: rules.iter().map(|ready| &ready.rule).collect() })
}

/// Where a key of a rule stands, as far as that can be told.
fn at(text: &str, start: usize, key: &str) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let end =
        rest.get(1..).and_then(|rest| rest.find("[[rule]]")).map_or(rest.len(), |end| end + 1);
    let mut offset = start;
    for line in rest.get(..end).unwrap_or_default().split_inclusive('\n') {
        let word = line.trim_start();
        if word.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('=')) {
            return offset + line.len() - word.len();
        }
        offset += line.len();
    }
    start
}

fn fault(text: &str, at: usize, what: &str) -> Fault {
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Fault { line, column, what: what.trim_end_matches('\n').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        parse(text, Scope::Person, true).unwrap_err().iter().map(Fault::to_string).collect()
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_column() {
        let text = "[[rule]]\nid = \"a\"\nverdict = \"allow\"\nprogramm = \"x\"\n";
        assert!(
            faults(text)[0].starts_with("line 4, column 1: unknown field `programm`"),
            "{:?}",
            faults(text)
        );
        let text = "[[rule]]\nid = \"a\"\nverdict = \"allow\"\n  program = \"[x\"\n";
        assert!(
            faults(text)[0].starts_with("line 4, column 3: the pattern of `program`"),
            "{:?}",
            faults(text)
        );
        let text = "[[rule]]\nid = \"a\"\nverdict = \"maybe\"\n";
        assert!(faults(text)[0].starts_with("line 3"), "{:?}", faults(text));
        assert!(faults("[[rule]\n")[0].starts_with("line 1"));
    }

    #[test]
    fn conflicts_are_said() {
        let text = "[[rule]]\nid = \"a\"\nverdict = \"allow\"\nprogram = \"x\"\n\n\
            [[rule]]\nid = \"b\"\nverdict = \"ask\"\nprogram = \"x\"\n";
        assert_eq!(
            faults(text),
            [
                "line 8, column 1: b and a look for the same with the same priority, and say ask and allow"
            ]
        );
        let text = "[[rule]]\nid = \"a\"\nverdict = \"allow\"\n\n[[rule]]\nid = \"a\"\nverdict = \"allow\"\n";
        assert_eq!(faults(text), ["line 6, column 1: there are two rules with the id a"]);
    }

    #[test]
    fn a_rule_that_denies_says_why() {
        assert_eq!(
            faults("[[rule]]\nid = \"a\"\nverdict = \"deny\"\n"),
            ["line 3, column 1: a rule that denies says a reason"]
        );
    }
}
