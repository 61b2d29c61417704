use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Attention, AttentionSource, AttentionState, Millis, Problem, SessionId, Tag, Title};

/// All that is known of one session. It changes only through [`crate::evolve`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its name for life.
    pub id: SessionId,
    /// Grows by one with each event; a command may name the version that it expects.
    pub version: u64,
    /// What it was asked to be.
    pub launch: Launch,
    /// Where it stands in its life.
    pub lifecycle: Lifecycle,
    /// A change that is under way and is not finished yet.
    pub pending: Option<Pending>,
    /// Where its files are, once they exist.
    pub place: Option<Place>,
    /// How its program ended, once it did.
    pub exit: Option<Exit>,
    /// Why it failed, or what went wrong last.
    pub problem: Option<Problem>,
    /// Where its worktree was put away, while it is paused or in the trash.
    pub parked: Option<Parked>,
    /// What it was before it went to the trash.
    pub before_trash: Option<Lifecycle>,
    /// When it was asked for.
    pub created_at: Millis,
    /// When its lifecycle last changed.
    pub changed_at: Millis,
    /// Kept at the top by the person.
    pub pinned: bool,
    /// What the person wrote about it.
    pub notes: String,
    /// Its program was asked to end with the daemon: that it is gone is no loss then.
    #[serde(default)]
    pub end_asked: bool,
    /// How often its program was started. The one that is being started is the next one.
    #[serde(default)]
    pub run: u64,
    /// When it is to be woken, if it is hibernated then.
    #[serde(default)]
    pub wake_at: Option<Millis>,
}

/// What a person asks for when they create a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Its title.
    pub title: Title,
    /// The agent's name, such as `claude`, or `shell`, or `command`.
    pub agent: String,
    /// The program and its arguments; never a shell line.
    pub argv: Vec<String>,
    /// The directory that was asked for: a repository, or any folder for `InPlace`.
    pub repo: String,
    /// What is done with the files.
    pub kind: Kind,
    /// The branch, when one was named or made.
    pub branch: Option<String>,
    /// The base that was asked for.
    pub base: Option<String>,
    /// Labels.
    pub tags: Vec<Tag>,
    /// Variables set for the program beside those that the daemon passes on.
    pub env: BTreeMap<String, String>,
    /// The size that the terminal is born with.
    pub size: Size,
    /// What happens when the terminal is lost with the machine or with tmux.
    pub on_loss: OnLoss,
    /// The agent's own id of its conversation, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The session in whose worktree it works, and with which it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// The pane of somebody else's tmux server that it is, for [`Kind::Adopted`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<AdoptedPane>,
}

impl Launch {
    /// Whether what runs in it is not ours to end or to start.
    #[must_use]
    pub fn is_adopted(&self) -> bool {
        self.kind == Kind::Adopted
    }
}

/// A pane of a tmux server that is not ours, in one life of that server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdoptedPane {
    /// The socket of the server.
    pub socket: String,
    /// The process of the server.
    pub server: u32,
    /// When the server started: seconds since 1970, as it says itself.
    pub started: u64,
    /// The number of the pane, as in `%3`.
    pub pane: u32,
    /// What it was called when it was adopted, such as `work:1.0`.
    pub name: String,
}

impl AdoptedPane {
    /// Whether it is the same pane, whatever it is called by now.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        let key = |pane: &Self| (pane.server, pane.started, pane.pane);
        self.socket == other.socket && key(self) == key(other)
    }
}

/// What is done with the files of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A worktree of its own, made by us.
    Worktree,
    /// A worktree that was there before.
    ExistingWorktree,
    /// The directory itself.
    InPlace,
    /// A terminal that somebody else started.
    Adopted,
}

/// What to do after the terminal was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnLoss {
    /// Start the agent with its own conversation.
    Resume,
    /// Start the command again.
    Rerun,
    /// Stay ended.
    Stop,
}

/// The size of a terminal, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

impl Size {
    /// What a terminal is born with when nobody says otherwise.
    pub const BORN: Self = Self { cols: 120, rows: 40 };

    /// Takes a size into the bounds that terminals live with: 2 to 1,000 columns, 1 to 500 rows.
    #[must_use]
    pub fn clamped(cols: u32, rows: u32) -> Self {
        let within = |value: u32, low, high| u16::try_from(value.clamp(low, high)).unwrap_or(80);
        Self { cols: within(cols, 2, 1000), rows: within(rows, 1, 500) }
    }
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifecycle {
    /// It is being made.
    Creating,
    /// Its program runs.
    Running,
    /// Its program was ended and its worktree put away; its branch is free.
    Paused,
    /// Its program was ended to free memory; its worktree is where it was.
    Hibernated,
    /// Its program ended, whatever its code.
    Exited,
    /// We could not start it.
    Failed,
    /// It is in the trash.
    Trashed,
}

/// A change that takes time and is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pending {
    /// A step of the creation.
    Create(Step),
    /// On its way to the trash.
    Trash,
    /// On its way back.
    Restore,
    /// Being ended for good.
    Purge,
    /// Its program is ending, then its worktree is put away.
    Pause,
    /// Its worktree is brought back, then its program is started.
    Resume,
    /// Its program is ending.
    Hibernate,
    /// Its program is being started again, after it has ended if it has not yet.
    Wake,
    /// The same, asked for while it ran or had ended.
    Restart,
}

/// The steps of a creation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The base is fetched and resolved.
    Fetch,
    /// The worktree is made.
    Worktree,
    /// The terminal and the program are started.
    Start,
}

impl Step {
    /// All steps, in order.
    pub const ALL: [Self; 3] = [Self::Fetch, Self::Worktree, Self::Start];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Worktree => "worktree",
            Self::Start => "start",
        }
    }
}

/// Where the files of a session are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The folder that the program runs in.
    pub worktree: String,
    /// The shared git folder, when it is a repository.
    pub common_dir: Option<String>,
    /// The top of the repository's main checkout, when it is a repository.
    #[serde(default)]
    pub checkout: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// Whether we made the branch.
    pub made_branch: bool,
    /// Whether we made the worktree.
    pub made_worktree: bool,
    /// What the changes are compared with.
    pub base: Option<Base>,
    /// What git needs to take it back or put it away, as the git adapter wrote it.
    #[serde(default)]
    pub receipt: Option<serde_json::Value>,
    /// What was done on the way and is worth saying, such as a base that could not be fetched.
    pub notes: Vec<String>,
}

/// The commit that a session's work begins at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The name it was resolved from, such as `origin/main`.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// Whether it is fresh.
    pub source: BaseSource,
}

/// Where a base was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseSource {
    /// Fetched from the remote just now.
    Fetched,
    /// What was here.
    Local,
}

/// How a program ended: by its own code or by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// Whether somebody saw how it ended.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.code.is_some() || self.signal.is_some()
    }
}

/// What the trash keeps of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parked {
    /// Where the worktree is now; none when it was left where it is.
    pub path: Option<String>,
    /// What git needs to bring it back, as the git adapter wrote it.
    pub receipt: Option<serde_json::Value>,
    /// One sentence on what was kept.
    pub kept: String,
}

impl Session {
    /// As [`Launch::is_adopted`].
    #[must_use]
    pub fn is_adopted(&self) -> bool {
        self.launch.is_adopted()
    }

    /// What the process alone says of it; better evidence comes from the agent.
    #[must_use]
    pub fn attention(&self) -> Attention {
        let (state, source, confidence, why) = match (self.lifecycle, self.exit) {
            (Lifecycle::Failed, _) => (
                AttentionState::Error,
                AttentionSource::Process,
                1.0,
                "It could not be started.".to_owned(),
            ),
            (Lifecycle::Exited, Some(Exit { code: Some(0), .. })) => (
                AttentionState::Done,
                AttentionSource::Process,
                1.0,
                "Its program ended with code 0.".to_owned(),
            ),
            (Lifecycle::Exited, Some(Exit { code: Some(code), .. })) => (
                AttentionState::Error,
                AttentionSource::Process,
                1.0,
                format!("Its program ended with code {code}."),
            ),
            (Lifecycle::Exited, Some(Exit { signal: Some(signal), .. })) => (
                AttentionState::Error,
                AttentionSource::Process,
                1.0,
                format!("Its program was ended by signal {signal}."),
            ),
            (Lifecycle::Paused, _) => {
                (AttentionState::Idle, AttentionSource::Process, 1.0, "It is paused.".to_owned())
            }
            (Lifecycle::Hibernated, _) => (
                AttentionState::Idle,
                AttentionSource::Process,
                1.0,
                "It is hibernated.".to_owned(),
            ),
            (Lifecycle::Exited, _) if self.is_adopted() => (
                AttentionState::Unknown,
                AttentionSource::Process,
                0.5,
                "Its pane is gone; how its program ended is not known.".to_owned(),
            ),
            (Lifecycle::Exited, _) => (
                AttentionState::Unknown,
                AttentionSource::Process,
                0.5,
                "Its program is gone; how it ended is not known.".to_owned(),
            ),
            (Lifecycle::Creating, _) => (
                AttentionState::Working,
                AttentionSource::Process,
                1.0,
                "It is being made.".to_owned(),
            ),
            (Lifecycle::Running | Lifecycle::Trashed, _) => (
                AttentionState::Unknown,
                AttentionSource::None,
                0.0,
                "Nothing says what it does; its program runs.".to_owned(),
            ),
        };
        let why = if self.lifecycle == Lifecycle::Trashed {
            "It is in the trash.".to_owned()
        } else {
            why
        };
        Attention { state, since: self.changed_at, source, confidence, why }
    }
}
