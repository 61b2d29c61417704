use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ProblemBody;

/// What a session would deliver, and how far it is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipView {
    /// The branch; absent when HEAD is detached.
    pub branch: Option<String>,
    /// Its commit. What is shipped names it, so that nothing goes that was not shown.
    pub tip: String,
    /// What it is delivered onto.
    pub base: ShipBase,
    /// The commits that the base does not have, newest first.
    pub commits: Vec<ShipCommit>,
    /// How many of them are not this session's.
    pub foreign: u32,
    /// There are more than are listed.
    pub truncated: bool,
    /// What is not committed.
    pub uncommitted: ShipFiles,
    /// Where the branch is pushed to; absent without a remote or a branch.
    pub remote: Option<ShipRemote>,
    /// What git has under way in the worktree, such as `rebase`.
    pub under_way: Option<String>,
    /// The branch before the last rebuild, when that can be undone.
    pub undo: Option<ShipUndo>,
    /// When it was read, RFC 3339.
    pub read_at: String,
}

/// What a branch is delivered onto.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipBase {
    /// Such as `origin/main`.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// Whether the remote was asked just now.
    pub fetched: bool,
    /// One sentence on where it is from.
    pub note: String,
    /// Where the branch left it; absent when the two have nothing in common.
    pub merge_base: Option<String>,
    /// How many commits it has that the branch does not.
    pub behind: u64,
    /// It once had commits that it has no more.
    pub rewritten: bool,
    /// The history ends early here, as only a part of it was fetched.
    pub shallow: bool,
}

/// A commit that would be delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipCommit {
    /// Its name.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// When it was committed, RFC 3339.
    pub at: String,
    /// `own`: made in this session. `session`: made in another one. `nobody`: it was there before,
    /// or came in from another branch.
    pub whose: String,
    /// The session that made it, when that is another one.
    pub session: Option<ShipSession>,
    /// Another branch that has it.
    pub on: Option<String>,
    /// It is a merge.
    pub merge: bool,
}

/// Another session, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipSession {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// What is not committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipFiles {
    /// Paths with staged changes.
    pub staged: u64,
    /// Paths with changes that are not staged.
    pub unstaged: u64,
    /// Untracked files.
    pub untracked: u64,
    /// Paths with a conflict.
    pub conflicted: u64,
}

/// Where a branch is pushed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipRemote {
    /// The remote.
    pub name: String,
    /// The branch there.
    pub branch: String,
    /// Its commit, as last seen; absent when it is not there.
    pub commit: Option<String>,
    /// How many commits it lacks.
    pub ahead: u64,
    /// How many commits it has that are not here.
    pub behind: u64,
    /// Some of those were never here: a push is refused.
    pub others: bool,
}

/// A rebuild that can be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipUndo {
    /// The branch's commit before it.
    pub before: String,
}

/// What a rebuild would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RebuildView {
    /// The branch.
    pub branch: String,
    /// Its commit, to be named when the rebuild is asked for.
    pub tip: String,
    /// The base's name.
    pub onto: String,
    /// The base's commit.
    pub onto_commit: String,
    /// The session's own commits, oldest first.
    pub own: Vec<RebuildCommit>,
    /// The commits that are left out, newest first.
    pub left_out: Vec<ShipCommit>,
    /// Paths with changes that are not committed and that are in the way.
    pub in_the_way: Vec<String>,
    /// Nothing would change.
    pub needless: bool,
    /// It can be done: nothing conflicts and nothing is in the way.
    pub ready: bool,
}

/// What becomes of a commit in a rebuild.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RebuildCommit {
    /// Its name now.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// `same`: it stays. `anew`: it is made anew. `in-base`: the base has its changes already.
    /// `plain-merge`: a merge without changes of its own, which is not needed. `conflict`: it does
    /// not fit. `not-tried`: it comes after one that does not fit.
    pub outcome: String,
    /// The paths that conflict.
    pub paths: Vec<String>,
}

/// What to commit. Without `files` and `staged`: all changes, untracked files too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCommit {
    /// The message.
    pub message: String,
    /// Only these paths, as the diff gives them; a renamed file is both its paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Only what is staged.
    #[serde(default)]
    pub staged: bool,
}

/// What to push.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPush {
    /// The branch's commit that was shown.
    pub tip: String,
    /// Commits that are not this session's go along.
    #[serde(default)]
    pub with_foreign: bool,
}

/// Which branch to rebuild.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRebuild {
    /// The branch's commit that was shown.
    pub tip: String,
}

/// What a merge into the base would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MergeView {
    /// The branch.
    pub branch: String,
    /// Its commit, to be named when the merge is asked for.
    pub tip: String,
    /// The base's name.
    pub onto: String,
    /// The base's commit, to be named as well.
    pub onto_commit: String,
    /// It is a branch of a remote: the merge is pushed there.
    pub remote: bool,
    /// `merge`, `squash` or `rebase`.
    pub way: String,
    /// How many commits of the branch get into the base.
    pub commits: u32,
    /// How many commits that are not this session's would go along.
    pub foreign: u32,
    /// The paths that conflict.
    pub conflicts: Vec<String>,
    /// The base has all of it already.
    pub needless: bool,
    /// It can be done: nothing conflicts, and there is something to do.
    pub ready: bool,
    /// The message that the commit gets unless another one is given; empty where commits keep
    /// theirs.
    pub message: String,
}

/// What to bring into the base, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMerge {
    /// The branch's commit that was shown.
    pub tip: String,
    /// The base's commit that was shown.
    pub onto_commit: String,
    /// `merge`: a merge commit. `squash`: one new commit. `rebase`: the session's own commits, made
    /// anew on the base.
    pub way: String,
    /// The message of the commit; without it the one that was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Commits that are not this session's go along.
    #[serde(default)]
    pub with_foreign: bool,
}

/// The last thing that was shipped of a session, or is being.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShippingView {
    /// `commit`, `push`, `rebuild`, `undo` or `merge`.
    pub what: String,
    /// `running`, `done` or `failed`.
    pub state: String,
    /// While it runs: the last line that git, a hook or the remote said. Then: what became of it.
    pub said: Option<String>,
    /// The branch's commit since.
    pub commit: Option<String>,
    /// When it began, RFC 3339.
    pub since: String,
    /// Why it was not done.
    pub problem: Option<ProblemBody>,
}
