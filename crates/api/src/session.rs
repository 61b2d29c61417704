use qd_core::{Attention, Lifecycle, Millis, Session, TRASH_KEEPS};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{ProblemBody, ShippingView, rfc3339};

/// A session, as scripts and the page see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    /// Its name for life.
    pub id: String,
    /// Grows with each change; send it as `If-Match` to change only what you saw.
    pub version: u64,
    /// What the person calls it.
    pub title: String,
    /// The agent's name, or `shell`, or `command`.
    pub agent: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The repository or folder that was asked for.
    pub repo: String,
    /// The folder that the program runs in; absent until it is there.
    pub worktree: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// The name of the base.
    pub base: Option<String>,
    /// The commit of the base.
    pub base_commit: Option<String>,
    /// `worktree`, `existing-worktree`, `in-place` or `adopted`.
    pub kind: String,
    /// `creating`, `running`, `paused`, `hibernated`, `exited`, `failed` or `trashed`.
    pub state: String,
    /// A change that is under way: `fetch`, `worktree` or `start` while it is being made,
    /// else the action: `trash`, `restore`, `purge`, `pause`, `resume`, `hibernate`, `wake` or
    /// `restart`.
    pub pending: Option<String>,
    /// Whether it needs a person, and how that is known.
    pub attention: AttentionView,
    /// Labels.
    pub tags: Vec<String>,
    /// Kept at the top.
    pub pinned: bool,
    /// Words of the person.
    pub notes: String,
    /// When it was asked for, RFC 3339.
    pub created_at: String,
    /// When its state last changed, RFC 3339.
    pub changed_at: String,
    /// Its terminal; absent while it has none.
    pub pane: Option<PaneView>,
    /// How its program ended.
    pub exit: Option<ExitView>,
    /// What went wrong, if anything did.
    pub problem: Option<ProblemBody>,
    /// What was said while it was made, such as a base that could not be fetched.
    pub messages: Vec<String>,
    /// What is kept of it while it is paused or in the trash, in one sentence.
    pub kept: Option<String>,
    /// When the trash ends it by itself, RFC 3339; absent while it is not in the trash.
    #[serde(default)]
    pub purge_at: Option<String>,
    /// When it is woken, if it is hibernated then, RFC 3339.
    #[serde(default)]
    pub wake_at: Option<String>,
    /// The agent's own id of its conversation, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The session in whose worktree it works, and with which it goes.
    #[serde(default)]
    pub parent: Option<String>,
    /// The pane in the person's own tmux that it is; absent for all but adopted ones.
    #[serde(default)]
    pub adopted: Option<AdoptedView>,
    /// How much it has changed against its base; absent until it was counted.
    pub diff_stat: Option<DiffStat>,
    /// What of its work is being shipped, or was last since the daemon started.
    #[serde(default)]
    pub shipping: Option<ShippingView>,
    /// The title that the program gave its terminal.
    pub terminal_title: Option<String>,
}

/// Whether a session needs a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AttentionView {
    /// `unknown`, `working`, `permission`, `question`, `idle`, `done` or `error`.
    pub state: String,
    /// Since when, RFC 3339.
    pub since: String,
    /// Where the evidence came from.
    pub source: String,
    /// From 0 to 1.
    pub confidence: f32,
    /// One sentence.
    pub why: String,
    /// Source by source.
    pub evidence: Vec<Evidence>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    /// Where it came from.
    pub source: String,
    /// What it says.
    pub says: String,
    /// When it was seen, RFC 3339.
    pub at: String,
}

/// The terminal of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaneView {
    /// Its tmux pane id, such as `%3`.
    pub id: String,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

/// A pane in the person's own tmux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AdoptedView {
    /// The socket of its tmux server.
    pub socket: String,
    /// Its tmux pane id, such as `%3`.
    pub pane: String,
    /// What it was called when it was adopted, such as `work:1.0`.
    pub name: String,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExitView {
    /// Its exit code, when it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// How much a session has changed against its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffStat {
    /// Files.
    pub files: u32,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
}

/// What a person may change; an absent field stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// 1 to 200 characters, no control characters.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub title: Option<String>,
    /// Labels, all of them.
    pub tags: Option<Vec<String>>,
    /// Kept at the top.
    pub pinned: Option<bool>,
    /// Up to 10,000 characters.
    #[schema(max_length = 10000)]
    pub notes: Option<String>,
    /// When it is to be woken, if it is hibernated then, RFC 3339; an empty text takes that back.
    #[schema(max_length = 64)]
    pub wake_at: Option<String>,
}

/// Work that takes longer than a request. Events report its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Operation {
    /// Its id: the session's id and what is done.
    pub id: String,
    /// The session.
    pub session: String,
    /// What is done now.
    pub step: String,
    /// Steps in all.
    pub of: u32,
    /// `running`, `done` or `failed`.
    pub state: String,
}

impl SessionView {
    /// The view of a session; what only its live terminal knows is filled in by its owner.
    #[must_use]
    pub fn new(session: &Session, attention: &Attention) -> Self {
        let place = session.place.as_ref();
        let base = place.and_then(|p| p.base.as_ref());
        Self {
            id: session.id.to_string(),
            version: session.version,
            title: session.launch.title.to_string(),
            agent: session.launch.agent.clone(),
            command: session.launch.argv.clone(),
            repo: session.launch.repo.clone(),
            worktree: place.map(|p| p.worktree.clone()),
            branch: place.and_then(|p| p.branch.clone()).or_else(|| session.launch.branch.clone()),
            base: base.map(|b| b.name.clone()).or_else(|| session.launch.base.clone()),
            base_commit: base.map(|b| b.commit.clone()),
            kind: word(&session.launch.kind),
            state: word(&session.lifecycle),
            pending: session.pending.map(|pending| match pending {
                qd_core::Pending::Create(step) => step.as_str().to_owned(),
                other => word(&other),
            }),
            attention: AttentionView {
                state: word(&attention.state),
                since: rfc3339(attention.since),
                source: word(&attention.source),
                confidence: attention.confidence,
                why: attention.why.clone(),
                evidence: vec![],
            },
            tags: session.launch.tags.iter().map(ToString::to_string).collect(),
            pinned: session.pinned,
            notes: session.notes.clone(),
            created_at: rfc3339(session.created_at),
            changed_at: rfc3339(session.changed_at),
            pane: None,
            exit: session.exit.map(|e| ExitView { code: e.code, signal: e.signal }),
            problem: session.problem.as_ref().map(|p| ProblemBody::new(p, 0)),
            messages: place.map(|p| p.notes.clone()).unwrap_or_default(),
            kept: session.parked.as_ref().map(|p| p.kept.clone()),
            wake_at: session.wake_at.map(rfc3339),
            purge_at: (session.lifecycle == Lifecycle::Trashed)
                .then(|| rfc3339(Millis(session.changed_at.0.saturating_add(TRASH_KEEPS)))),
            conversation: session.launch.conversation.clone(),
            parent: session.launch.parent.as_ref().map(ToString::to_string),
            adopted: session.launch.adopted.as_ref().map(|at| AdoptedView {
                socket: at.socket.clone(),
                pane: format!("%{}", at.pane),
                name: at.name.clone(),
            }),
            diff_stat: None,
            shipping: None,
            terminal_title: None,
        }
    }
}

/// The wire word of a unit variant.
fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}
