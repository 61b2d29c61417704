//! What does not matter to the machine, always the same.

use std::collections::BTreeMap;

use qd_core::{Code, Kind, Launch, OnLoss, Parked, Place, Problem, Size, Title};

/// What went wrong.
pub fn problem() -> Problem {
    Problem::new(Code::GitFailed, "It failed.", "Try again.")
}

/// What is asked for.
pub fn launch(on_loss: OnLoss, kind: Kind) -> Launch {
    Launch {
        title: Title::parse("t").unwrap(),
        agent: "command".into(),
        argv: vec!["true".into()],
        repo: "/r".into(),
        kind,
        branch: None,
        base: None,
        tags: vec![],
        env: BTreeMap::new(),
        size: Size::BORN,
        on_loss,
        conversation: None,
        parent: None,
        adopted: None,
    }
}

/// Where its files are; `ours`: we made them.
pub fn place(ours: bool) -> Box<Place> {
    Box::new(Place {
        worktree: "/w".into(),
        common_dir: None,
        checkout: None,
        branch: None,
        made_branch: ours,
        made_worktree: ours,
        base: None,
        receipt: None,
        notes: vec![],
    })
}

/// Where they were put away, if they were.
pub fn parked(path: Option<&str>) -> Box<Parked> {
    Box::new(Parked { path: path.map(Into::into), receipt: None, kept: String::new() })
}
