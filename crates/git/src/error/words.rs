//! What scripts go by, and what a person can do.

use std::path::Path;

use super::GitError;
use crate::{Operation, RepoPath};

impl GitError {
    /// A stable name for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Self::GitMissing { .. } => "git_missing",
            Self::GitTooOld { .. } => "git_too_old",
            Self::PathMissing { .. } => "path_missing",
            Self::NotARepository { .. } => "not_a_repository",
            Self::NotTrusted { .. } => "repository_not_trusted",
            Self::Bare { .. } => "bare_repository",
            Self::NoCommits { .. } => "no_commits",
            Self::NotAWorktree { .. } => "not_a_worktree",
            Self::MainCheckout { .. } => "main_checkout",
            Self::WriterTaken { .. } => "repository_busy",
            Self::BaseMissing { .. } => "base_missing",
            Self::BranchInvalid { .. } => "branch_invalid",
            Self::BranchExists { .. } => "branch_exists",
            Self::BranchInTheWay { .. } => "branch_in_the_way",
            Self::BranchMissing { .. } => "branch_missing",
            Self::BranchMoved { .. } => "branch_moved",
            Self::BranchCheckedOut { .. } => "branch_checked_out",
            Self::PathExists { .. } => "path_exists",
            Self::PathRegistered { .. } => "path_registered",
            Self::WorktreeLocked { .. } => "worktree_locked",
            Self::OperationUnderWay { .. } => "operation_under_way",
            Self::HeadDetached { .. } => "head_detached",
            Self::Conflicts { .. } => "conflicts",
            Self::NothingInCommon { .. } => "nothing_in_common",
            Self::WorkInTheWay { .. } => "work_in_the_way",
            Self::TooManyCommits { .. } => "too_many_commits",
            Self::MessageInvalid => "message_invalid",
            Self::NothingToCommit => "nothing_to_commit",
            Self::HookRefused { .. } => "hook_refused",
            Self::HookTimedOut { .. } => "hook_timed_out",
            Self::NoRemote => "no_remote",
            Self::RemoteHasMore { .. } | Self::PushRejected { .. } => "push_rejected",
            Self::PushDeclined { protected: true, .. } => "branch_protected",
            Self::PushDeclined { .. } => "push_declined",
            Self::LoginNeeded { .. } => "login_needed",
            Self::RemoteUnreachable { .. } => "remote_unreachable",
            Self::NothingToUndo => "nothing_to_undo",
            Self::NoIdentity { .. } => "no_identity",
            Self::SigningFailed { .. } => "signing_failed",
            Self::ParkedMissing { .. } => "parked_missing",
            Self::ChangedMeanwhile { .. } => "changed_meanwhile",
            Self::DiskFull { .. } => "disk_full",
            Self::Permission { .. } => "permission_denied",
            Self::Locked { .. } => "git_locked",
            Self::TimedOut { .. } => "git_timed_out",
            Self::Cancelled { .. } => "cancelled",
            Self::TooLarge { .. } => "git_answer_too_large",
            Self::Failed { .. } => "git_failed",
            Self::Unexpected { .. } => "git_unexpected",
            Self::Io { .. } => "io",
        }
    }

    /// What a person can do about it, as one sentence, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::GitMissing { .. } => "Install git 2.39 or newer, or put it in the PATH.".into(),
            Self::GitTooOld { .. } => "Update git to 2.39 or newer.".into(),
            Self::NotARepository { path } => {
                format!("Choose a folder with a repository, or run: git init {}", quoted(path))
            }
            Self::NotTrusted { path } => format!(
                "If you trust it, run: git config --global --add safe.directory {}",
                quoted(path)
            ),
            Self::Bare { .. } => "Clone it, and choose the clone.".into(),
            Self::NoCommits { path } => format!(
                "Make a first commit: git -C {} commit --allow-empty -m \"First commit\"",
                quoted(path)
            ),
            Self::MainCheckout { .. } => {
                "Only a worktree that was added to the repository can be moved.".into()
            }
            Self::BaseMissing { .. } => {
                "Check the spelling, or fetch it first; leave it out for the default branch.".into()
            }
            Self::BranchInvalid { .. } => {
                "Use letters, digits, '-', '_', '.' and '/', and do not begin with '-'.".into()
            }
            Self::BranchExists { .. } => "Choose another name, or work on that branch.".into(),
            Self::BranchInTheWay { .. } => "Choose a name that is not below the other.".into(),
            Self::BranchMissing { .. } => {
                "It may have been deleted or renamed; work in the trash can come back without it."
                    .into()
            }
            Self::BranchMoved { .. } => {
                "Bring the work back without its branch, and merge the two by hand.".into()
            }
            Self::BranchCheckedOut { path, .. } => {
                format!("Work in {}, or choose another branch.", quoted(path))
            }
            Self::PathExists { .. } => "Choose another place, or move that folder away.".into(),
            Self::PathRegistered { path } => {
                format!("If the folder is gone for good, run: git worktree remove {}", quoted(path))
            }
            Self::WorktreeLocked { path, .. } => {
                format!("If that is right, run: git worktree unlock {}", quoted(path))
            }
            Self::OperationUnderWay { operation, path } => {
                let command = operation_command(*operation);
                format!("Finish it, or take it back with: git -C {} {command}", quoted(path))
            }
            Self::HeadDetached { path } => {
                format!("Check the branch out with: git -C {} switch BRANCH", quoted(path))
            }
            Self::Conflicts { .. } => {
                "Have the agent rebase by hand and solve the conflict, then try again.".into()
            }
            Self::NothingInCommon { .. } => {
                "Check that the base is the right one; if it is, merge by hand with `git merge --allow-unrelated-histories`.".into()
            }
            Self::WorkInTheWay { .. } => "Commit them or move them away, then try again.".into(),
            Self::TooManyCommits { .. } => {
                "Check that the base is the right one; if it is, rebase by hand.".into()
            }
            Self::MessageInvalid => "Say in a line what was changed, and why.".into(),
            Self::NothingToCommit => "All is committed already.".into(),
            Self::HookRefused { .. } => {
                "Nothing was changed. Mend what it names, or have the agent do it, then try again."
                    .into()
            }
            Self::HookTimedOut { .. } => {
                "Nothing was changed. Run it by hand to see what it waits for.".into()
            }
            Self::NoRemote => "Add one with: git remote add origin URL".into(),
            Self::RemoteHasMore { remote, branch, .. } => format!(
                "Nothing was changed. Look at them with: git log {remote}/{branch}; take them in \
                 with: git pull --rebase {remote} {branch}"
            ),
            Self::PushRejected { .. } => {
                "Nothing was changed. Fetch, look at what is new there, then try again.".into()
            }
            Self::PushDeclined { protected: true, .. } => {
                "Nothing was changed. Push to another branch and open a pull request.".into()
            }
            Self::PushDeclined { .. } => {
                "Nothing was changed. Mend what it names, then try again.".into()
            }
            Self::LoginNeeded { remote, .. } => format!(
                "Nothing was changed. Log in again, such as with `gh auth login`, until \
                 `git ls-remote {remote}` works in a terminal, then try again."
            ),
            Self::RemoteUnreachable { .. } => {
                "Nothing was changed. Check the network and the remote's address, then try again."
                    .into()
            }
            Self::NothingToUndo => "A rebuild can be undone once, after it was made.".into(),
            Self::NoIdentity { .. } => {
                "Run: git config --global user.name NAME; git config --global user.email ADDRESS"
                    .into()
            }
            Self::SigningFailed { .. } => {
                "Unlock the key, or turn signing off for this repository: \
                 git config commit.gpgSign false"
                    .into()
            }
            Self::ChangedMeanwhile { .. } => {
                "Stop what still writes in the folder, and try again.".into()
            }
            Self::DiskFull { .. } => "Make room, and try again.".into(),
            Self::Permission { .. } => "Check who owns the folder.".into(),
            Self::Locked { lock: Some(lock), .. } => {
                format!("Try again; if no git command runs any more, remove {}.", quoted(lock))
            }
            Self::Locked { lock: None, .. } => "Try again in a moment.".into(),
            Self::TimedOut { .. } => "Try again; if it happens again, run it by hand.".into(),
            Self::PathMissing { .. }
            | Self::NotAWorktree { .. }
            | Self::WriterTaken { .. }
            | Self::ParkedMissing { .. }
            | Self::Cancelled { .. }
            | Self::TooLarge { .. }
            | Self::Failed { .. }
            | Self::Unexpected { .. }
            | Self::Io { .. } => return None,
        })
    }
}

pub(super) fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "a merge",
        Operation::Rebase => "a rebase",
        Operation::Am => "the applying of patches",
        Operation::CherryPick => "a cherry-pick",
        Operation::Revert => "a revert",
        Operation::Bisect => "a bisect",
    }
}

/// A few paths, in words.
pub(super) fn named(paths: &[RepoPath]) -> String {
    const NAMED: usize = 5;
    let mut text: Vec<_> = paths.iter().take(NAMED).map(ToString::to_string).collect();
    if paths.len() > NAMED {
        text.push(format!("and {} more", paths.len() - NAMED));
    }
    text.join(", ")
}

fn operation_command(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "merge --abort",
        Operation::Rebase => "rebase --abort",
        Operation::Am => "am --abort",
        Operation::CherryPick => "cherry-pick --abort",
        Operation::Revert => "revert --abort",
        Operation::Bisect => "bisect reset",
    }
}

/// A path as a shell would take it back.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+@:".contains(&b));
    if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
