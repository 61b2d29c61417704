use std::collections::BTreeMap;

use super::features::Registry;
use crate::results::{Outcome, Results};

/// Every test that a row names ran and passed.
pub fn check(registry: &Registry, results: &Results) -> Vec<String> {
    let mut outcomes: BTreeMap<&str, Vec<Outcome>> = BTreeMap::new();
    for test in &results.tests {
        outcomes.entry(&test.name).or_default().push(test.outcome);
    }
    let mut found = vec![];
    for feature in &registry.features {
        for test in &feature.tests {
            let what = match outcomes.get(test.as_str()) {
                None => "did not run",
                Some(all) if all.contains(&Outcome::Failed) => "failed",
                Some(all) if !all.contains(&Outcome::Passed) => "was left out",
                Some(_) => continue,
            };
            found.push(format!("{}: the test `{test}` {what}", feature.id));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::features::planted;
    use super::*;
    use crate::results::Test;

    #[test]
    fn a_test_that_did_not_run_or_failed_is_found() {
        let registry = planted(
            "[[feature]]\nid = \"a\"\ntitle = \"A\"\nstage = 1\nstatus = \"done\"\ncode = [\"a\"]\n\
             tests = [\"a::ok\", \"a::bad\", \"a::skipped\", \"a::none\"]\n",
        );
        let test = |name: &str, outcome| Test { name: name.to_owned(), outcome };
        let results = Results {
            tests: vec![
                test("a::ok", Outcome::Passed),
                test("a::bad", Outcome::Passed),
                test("a::bad", Outcome::Failed),
                test("a::skipped", Outcome::Ignored),
            ],
        };
        assert_eq!(
            check(&registry, &results),
            [
                "a: the test `a::bad` failed",
                "a: the test `a::skipped` was left out",
                "a: the test `a::none` did not run",
            ]
        );
    }
}
