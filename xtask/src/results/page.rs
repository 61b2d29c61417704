use serde_json::Value;

use super::{Outcome, Test};

/// The tests in a report of Vitest or of Playwright; they are told apart by their form.
pub fn parse(kind: &str, report: &Value) -> Vec<Test> {
    let mut tests = vec![];
    let mut add = |title: &Value, outcome| {
        let name = format!("{kind}: {}", title.as_str().unwrap_or_default());
        tests.push(Test { name, outcome });
    };
    for file in list(&report["testResults"]) {
        for test in list(&file["assertionResults"]) {
            let outcome = match test["status"].as_str() {
                Some("passed") => Outcome::Passed,
                Some("failed") => Outcome::Failed,
                _ => Outcome::Ignored,
            };
            add(&test["title"], outcome);
        }
    }
    let mut open: Vec<&Value> = list(&report["suites"]).collect();
    while let Some(suite) = open.pop() {
        open.extend(list(&suite["suites"]));
        for spec in list(&suite["specs"]) {
            // A test that passed at the second try is told as flaky, and here as failed.
            for test in list(&spec["tests"]) {
                let outcome = match test["status"].as_str() {
                    Some("expected") => Outcome::Passed,
                    Some("skipped") => Outcome::Ignored,
                    _ => Outcome::Failed,
                };
                add(&spec["title"], outcome);
            }
        }
    }
    tests
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(report: &str) -> Vec<(String, Outcome)> {
        let tests = parse("e2e", &serde_json::from_str(report).unwrap());
        tests.into_iter().map(|test| (test.name, test.outcome)).collect()
    }

    #[test]
    fn vitest_is_understood() {
        let report = r#"{"testResults":[{"assertionResults":[
            {"title":"a","status":"passed"},{"title":"b","status":"failed"},{"title":"c","status":"pending"}]}]}"#;
        let want = [("a", Outcome::Passed), ("b", Outcome::Failed), ("c", Outcome::Ignored)];
        assert_eq!(told(report), want.map(|(name, end)| (format!("e2e: {name}"), end)));
    }

    #[test]
    fn playwright_is_understood() {
        let report = r#"{"suites":[{"specs":[{"title":"a","tests":[{"status":"expected"}]}],
            "suites":[{"specs":[{"title":"b","tests":[{"status":"flaky"}]},
            {"title":"c","tests":[{"status":"skipped"}]}]}]}]}"#;
        let want = [("a", Outcome::Passed), ("b", Outcome::Failed), ("c", Outcome::Ignored)];
        assert_eq!(told(report), want.map(|(name, end)| (format!("e2e: {name}"), end)));
    }
}
