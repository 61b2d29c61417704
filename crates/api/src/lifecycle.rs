use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What `qd shell` asks for: a second terminal in the worktree of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewShell {
    /// 1 to 200 characters; made from the session's when absent.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub title: Option<String>,
    /// The program and its arguments, run without a shell. Absent: the person's shell.
    pub command: Option<Vec<String>>,
}

/// What `qd fork` asks for: a session like another, that begins where that one is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewFork {
    /// 1 to 200 characters; made from the session's when absent.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub title: Option<String>,
    /// The new branch, which must not exist. Absent: made from the title.
    pub branch: Option<String>,
    /// The first prompt, for agents that take one as an argument. Absent: that of the session.
    pub prompt: Option<String>,
}

/// What is at stake when a session is put in the trash, and when it is purged there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LossView {
    /// Its program runs, and would be ended.
    pub running: bool,
    /// The shells in its worktree, which go with it.
    pub children: Vec<String>,
    /// Other sessions that work in its worktree: while there are any, it cannot be put away.
    pub sharers: Vec<String>,
    /// What is not committed; absent when nothing of it would be moved, or it cannot be counted.
    pub files: Option<LossFiles>,
    /// What is committed and nowhere else; absent as `files` is.
    pub commits: Option<LossCommits>,
    /// The branch of the session.
    pub branch: Option<String>,
    /// Whether the branch was made for the session. A branch that was there before is never
    /// deleted.
    pub made_branch: bool,
    /// What the trash keeps of it, in one sentence.
    pub kept: String,
    /// Why something could not be counted, if so.
    pub unknown: Option<String>,
    /// When it would be purged by itself if it went to the trash now, or when it is purged, if it
    /// is there. RFC 3339.
    pub until: String,
}

/// What is not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LossFiles {
    /// Files with staged changes.
    pub staged: u64,
    /// Files with changes that are not staged, conflicts included.
    pub unstaged: u64,
    /// Untracked files.
    pub untracked: u64,
    /// Ignored files and folders; a folder that is ignored as a whole counts as one.
    pub ignored: u64,
    /// There are more than these.
    pub at_least: bool,
}

/// Commits that are not merged and not pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LossCommits {
    /// How many are neither on the base nor on any remote.
    pub count: u64,
    /// How many of them are not on the session's branch either: nothing names them when it is
    /// purged.
    pub loose: u64,
    /// The newest of them, at most 20.
    pub newest: Vec<LossCommit>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LossCommit {
    /// Its name.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}
