//! What `scripts/test.sh` records: which tests ran, and how each ended.

mod cargo;
mod page;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// All recorded tests.
#[derive(Clone, Debug, Default)]
pub struct Results {
    pub tests: Vec<Test>,
}

/// One test that a runner told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// As features.toml names it.
    pub name: String,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    Ignored,
}

/// What is recorded, and what its names begin with.
const REPORTS: &[(&str, &str)] = &[("vitest.json", "page"), ("e2e.json", "e2e")];

/// The recorded reports that are not there: their tests did not run to an end.
pub fn missing(dir: &Path) -> Vec<&'static str> {
    REPORTS.iter().map(|(name, _)| *name).filter(|name| !dir.join(name).exists()).collect()
}

/// Reads what is recorded in a folder. The Rust tests must be there; others when they ran.
pub fn read(dir: &Path) -> Result<Results> {
    let text = |name: &str| {
        std::fs::read_to_string(dir.join(name))
            .with_context(|| format!("{} cannot be read", dir.join(name).display()))
    };
    let mut tests = cargo::parse(&text("binaries.json")?, &text("cargo.log")?);
    for (name, kind) in REPORTS {
        if dir.join(name).exists() {
            tests.extend(page::parse(kind, &serde_json::from_str(&text(name)?)?));
        }
    }
    if dir.join("schemathesis.ok").exists() {
        tests.push(Test { name: "script: schemathesis".to_owned(), outcome: Outcome::Passed });
    }
    Ok(Results { tests })
}

/// Prints how many tests of each kind ran, and the sum as cargo would.
pub fn print(dir: &Path) -> Result<()> {
    let results = read(dir)?;
    for (kind, begin) in [("page", "page: "), ("browser", "e2e: "), ("script", "script: ")] {
        let count = results.tests.iter().filter(|test| test.name.starts_with(begin)).count();
        println!("{kind} tests: {count}");
    }
    let count = |wanted| results.tests.iter().filter(|test| test.outcome == wanted).count();
    let (passed, failed) = (count(Outcome::Passed), count(Outcome::Failed));
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    let ignored = count(Outcome::Ignored);
    println!("test result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored");
    if failed > 0 {
        bail!("{failed} tests failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_not_there_is_found() {
        let dir = std::env::temp_dir().join(format!("qd-xtask-{}", std::process::id()));
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("vitest.json"), "{}").unwrap();
        let found = missing(&dir);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(found, ["e2e.json"]);
    }
}
