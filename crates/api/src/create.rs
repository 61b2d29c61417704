use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What `qd new` and the create dialog ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewSession {
    /// The repository; any folder beneath its top will do.
    pub repo: String,
    /// 1 to 200 characters; made from the prompt or the command when absent.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub title: Option<String>,
    /// The agent's name, or `shell`. Absent: `shell`, or `command` when a command is given.
    pub agent: Option<String>,
    /// The program and its arguments, run without a shell.
    pub command: Option<Vec<String>>,
    /// The first prompt, for agents that take one as an argument.
    pub prompt: Option<String>,
    /// The base of a new branch. Absent: the remote's default branch, freshly fetched.
    pub base: Option<String>,
    /// The branch: checked out if it is there, else made from the base. Absent: made from the title.
    pub branch: Option<String>,
    /// A worktree that is there already.
    pub worktree: Option<String>,
    /// Work in the folder itself.
    pub in_place: bool,
    /// Allow a folder that another session works in.
    pub shared: bool,
    /// Labels.
    pub tags: Vec<String>,
    /// Variables for the program.
    pub env: BTreeMap<String, String>,
    /// Columns at birth.
    #[schema(minimum = 2, maximum = 1000)]
    pub cols: Option<u32>,
    /// Rows at birth.
    #[schema(minimum = 1, maximum = 500)]
    pub rows: Option<u32>,
    /// `resume`, `rerun` or `stop`.
    #[schema(pattern = "^(resume|rerun|stop)$")]
    pub on_loss: Option<String>,
}

/// What `qd adopt` asks for: a tmux pane of the person's own as a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewAdoption {
    /// The pane, as tmux takes a target: `%3`, `work`, `work:1`, `work:1.0`.
    pub target: String,
    /// The socket of its tmux server, by its whole path. Absent: that of the person's usual one.
    pub socket: Option<String>,
    /// 1 to 200 characters; made from the names of window and pane when absent.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub title: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
}

/// An agent that can be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentInfo {
    /// Its name in `agent`.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The path of its program, when it was found.
    pub found: Option<String>,
    /// Its version, when it told.
    pub version: Option<String>,
    /// How to get it.
    pub install: Option<String>,
    /// Whether it takes a first prompt as an argument.
    pub takes_prompt: bool,
    /// What is wrong with the file that describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A repository that sessions worked in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepoInfo {
    /// Its top folder.
    pub path: String,
    /// Sessions in it, those in the trash aside.
    pub sessions: u32,
    /// When a session was last made there, RFC 3339.
    pub used_at: String,
}

/// The branches of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Branches {
    /// The top folder.
    pub repo: String,
    /// The branch that new work begins at.
    pub default: Option<String>,
    /// Local branches, most recently used first.
    pub local: Vec<String>,
    /// Branches of remotes, such as `origin/main`.
    pub remote: Vec<String>,
    /// Folders of worktrees that are there.
    pub worktrees: Vec<String>,
    /// The folder in which new worktrees of it are made: each by its branch and its session's id.
    pub worktrees_in: String,
}

/// Folders that begin with what was typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Paths {
    /// Absolute paths, at most 50.
    pub paths: Vec<String>,
    /// The person's home, which `~` stands for; absent where it is not known.
    pub home: Option<String>,
}
