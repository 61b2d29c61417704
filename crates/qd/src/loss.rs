//! What is at stake with a session, in sentences.

use qd_api::{LossCommits, LossFiles, LossView};

use crate::{clock, output};

/// What there is when it is about to go to the trash.
pub fn before_trash(loss: &LossView) -> Vec<String> {
    let mut lines = Vec::new();
    if loss.running {
        lines.push("Its program runs, and would be ended.".to_owned());
    }
    match loss.children.as_slice() {
        [] => {}
        [shell] => lines.push(format!("The shell {shell} in its worktree would go with it.")),
        shells => {
            lines.push(format!(
                "The shells {} in its worktree would go with it.",
                shells.join(", ")
            ));
        }
    }
    if !loss.sharers.is_empty() {
        let others = loss.sharers.join(", ");
        lines.push(format!("It cannot go while others work in its worktree: {others}."));
    }
    lines.extend(loss.files.as_ref().map(files));
    if let Some(commits) = loss.commits.as_ref().filter(|commits| commits.count > 0) {
        lines.push(format!("{} not merged and not pushed:", number(commits.count, "commit")));
        lines.extend(newest(commits));
    }
    if let Some(unknown) = &loss.unknown {
        lines.push(format!("What it holds could not be counted: {}", output::plain(unknown)));
    }
    lines.push(output::plain(&loss.kept));
    lines.push(format!("It would be kept until {}.", clock::local(&loss.until)));
    lines
}

/// What is gone for good when it is purged.
pub fn before_purge(loss: &LossView) -> Vec<String> {
    let mut lines: Vec<String> = loss.files.as_ref().map(files).into_iter().collect();
    if let Some(commits) = &loss.commits {
        let stay = commits.count - commits.loose.min(commits.count);
        if stay > 0 {
            let branch = output::plain(loss.branch.as_deref().unwrap_or("its branch"));
            let count = number(stay, "commit");
            lines.push(format!("{count} not merged and not pushed: on {branch}, which stays."));
        }
        if commits.loose > 0 {
            let count = number(commits.loose, "commit");
            lines.push(format!("{count} on no branch and on no remote, gone with it:"));
            lines.extend(newest(commits));
        }
    }
    if let Some(unknown) = &loss.unknown {
        lines.push(format!("What it holds could not be counted: {}", output::plain(unknown)));
    }
    lines
}

fn files(files: &LossFiles) -> String {
    let kinds = [
        (files.staged, "staged"),
        (files.unstaged, "unstaged"),
        (files.untracked, "untracked"),
        (files.ignored, "ignored"),
    ];
    let some: Vec<_> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
    let more = if files.at_least { ", and more" } else { "" };
    if some.is_empty() {
        "Nothing in it is uncommitted.".to_owned()
    } else {
        format!("Files that are not committed: {}{more}.", some.join(", "))
    }
}

fn newest(commits: &LossCommits) -> impl Iterator<Item = String> {
    commits.newest.iter().map(|commit| {
        let short: String = commit.id.chars().take(10).collect();
        format!("  {short} {}", output::plain(&commit.subject))
    })
}

fn number(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use qd_api::LossCommit;

    use super::*;

    fn loss() -> LossView {
        let commit = LossCommit { id: "0123456789abcdef".into(), subject: "Fix\u{1b} it".into() };
        LossView {
            running: true,
            children: vec!["shell1".into()],
            sharers: vec![],
            files: Some(LossFiles {
                staged: 1,
                unstaged: 0,
                untracked: 3,
                ignored: 0,
                at_least: false,
            }),
            commits: Some(LossCommits { count: 2, loose: 0, newest: vec![commit] }),
            branch: Some("fix".into()),
            made_branch: true,
            kept: "All.".into(),
            unknown: None,
            until: "2026-01-15T00:00:00Z".into(),
        }
    }

    #[test]
    fn a_loss_is_told_in_full_and_obeys_no_terminal() {
        let said = before_trash(&loss()).join("\n");
        for part in [
            "runs",
            "shell1",
            "1 staged, 3 untracked",
            "2 commits",
            "0123456789 Fix\u{fffd} it",
            "2026-01-15",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("unstaged"), "{said}");
        let mut loss = loss();
        let said = before_purge(&loss).join("\n");
        assert!(said.contains("on fix, which stays") && !said.contains("gone"), "{said}");
        loss.commits.as_mut().unwrap().loose = 2;
        let said = before_purge(&loss).join("\n");
        assert!(said.contains("gone with it") && !said.contains("stays"), "{said}");
    }
}
