//! The classifier and the rules, on labelled commands, on hostile ones, and against another parser.

// `cfg(test)` tells clippy that what helps the tests is tests, too.
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod overlay;

use std::sync::LazyLock;

use qd_policy::{Place, Request, Rules, Subject, Verdict, builtin};

/// Where the labelled commands run.
pub fn place() -> Place {
    Place {
        cwd: "/w/a1".into(),
        worktree: "/w/a1".into(),
        home: "/home/dev".into(),
        checkout: Some("/home/dev/proj".into()),
        others: vec!["/w/a2".into()],
        branch: Some("agent/a1".into()),
        shared_branches: vec!["main".into()],
        daemon_home: Some("/home/dev/.local/share/quarterdeck".into()),
    }
}

/// What the built-in rules say of a command.
pub fn verdict(command: &str) -> Verdict {
    static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::new(builtin()));
    let subject = Subject { tool: "Bash".into(), ..Subject::default() };
    RULES.decide(&Request::Command(command.into()), &subject, &place())
}
