//! What was committed in a worktree, from git's log of its HEAD.

use std::collections::HashMap;

use crate::error::Result;
use crate::{Checkout, Oid};

/// The newest entries of the log that are read.
const MAX_ENTRIES: &str = "--max-count=20000";
const MAX_BYTES: usize = 8 << 20;
/// What a rebuild writes beside the commit that it leads to.
pub(crate) const REBUILT: &str = "quarterdeck: rebuilt onto ";

/// The commits that HEAD came to by making them.
#[derive(Debug, Default)]
pub(super) struct Made {
    commits: HashMap<Oid, bool>,
    rebuilt: Vec<(Oid, Oid)>,
}

impl Made {
    /// Whether it was made there.
    pub(super) fn has(&self, oid: &Oid) -> bool {
        self.commits.contains_key(oid)
    }

    /// Whether it was made as a copy of another one, by a rebase or a cherry-pick.
    pub(super) fn is_copy(&self, oid: &Oid) -> bool {
        self.commits.get(oid).copied().unwrap_or(false)
    }

    /// The rebuilds: a base and a tip, between which all is the session's own.
    pub(super) fn rebuilt(&self) -> &[(Oid, Oid)] {
        &self.rebuilt
    }
}

impl Checkout {
    /// Reads the log; empty where none is kept.
    pub(super) async fn made_here(&self) -> Result<Made> {
        let call = self
            .read("reflog")
            .args(["log", "-g", "-z", "--format=%H%x1f%gs", MAX_ENTRIES, "HEAD", "--"])
            .limit(MAX_BYTES);
        let output = self.git.run(call).await?;
        let mut made = Made::default();
        if !output.ok() {
            return Ok(made);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        for record in text.split('\0') {
            let Some((oid, how)) = record.trim_start_matches('\n').split_once('\u{1f}') else {
                continue;
            };
            let Some(oid) = Oid::parse(oid) else { continue };
            if let Some(base) = how.strip_prefix(REBUILT) {
                made.rebuilt.extend(Oid::parse(base.trim()).map(|base| (base, oid)));
            } else if let Some(copied) = making(how) {
                made.commits.insert(oid, copied);
            }
        }
        Ok(made)
    }
}

/// Whether these words of git are about making a commit, and then whether as a copy. All others,
/// such as those of a checkout, a reset or a fast-forward, are about going to one that is there.
fn making(how: &str) -> Option<bool> {
    let (command, said) = how.split_once(": ").unwrap_or((how, ""));
    let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
    match word {
        "commit" => Some(rest.contains("cherry-pick")),
        "revert" => Some(false),
        "cherry-pick" | "am" => Some(true),
        // A merge says so; a fast-forward says that.
        "merge" | "pull" if said.contains("Merge made by") => Some(false),
        "rebase" | "pull" => {
            let step = command.rsplit_once('(')?.1.trim_end_matches(')');
            let moves = matches!(step, "start" | "finish" | "abort" | "skip" | "reset" | "exec");
            (!moves).then_some(true)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn making_a_commit_is_told_from_going_to_one() {
        for how in ["commit: x", "commit (initial): x", "commit (amend): x", "commit (merge): x"] {
            assert_eq!(making(how), Some(false), "{how}");
        }
        for how in
            ["merge b: Merge made by the 'ort' strategy.", "pull: Merge made by x", "revert: x"]
        {
            assert_eq!(making(how), Some(false), "{how}");
        }
        for how in [
            "rebase (pick): x",
            "rebase -i (squash): x",
            "rebase (continue): (start) x",
            "pull --rebase origin main (pick): x",
            "cherry-pick: x",
            "commit (cherry-pick): x",
            "am: x",
        ] {
            assert_eq!(making(how), Some(true), "{how}");
        }
        for how in [
            "rebase (start): checkout origin/main",
            "rebase (finish): returning to refs/heads/x",
            "checkout: moving from a to b",
            "reset: moving to x",
            "merge b: Fast-forward",
            "pull: Fast-forward",
            "branch: Created from main",
            "",
        ] {
            assert_eq!(making(how), None, "{how}");
        }
    }
}
