//! Whether a session needs a person, from timed evidence.

mod evidence;
mod hooks;
mod judge;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::evidence::{Evidence, Piece};
pub use self::hooks::{Heard, Hook, HookEvent};
pub use self::judge::{Rule, SILENCE, Verdict};
use crate::Millis;

/// Whether a session needs a person, and how that is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attention {
    /// What the session is doing, as far as the evidence goes.
    pub state: AttentionState,
    /// Since when it does.
    pub since: Millis,
    /// Where the deciding evidence came from.
    pub source: AttentionSource,
    /// How sure, from 0 to 1.
    pub confidence: f32,
    /// One sentence for people.
    pub why: String,
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionState {
    /// No evidence says what it does.
    Unknown,
    /// It is busy.
    Working,
    /// It asks for a permission.
    Permission,
    /// It asks a question.
    Question,
    /// It waits for the next task.
    Idle,
    /// It has finished.
    Done,
    /// It has failed.
    Error,
}

/// Where evidence comes from, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionSource {
    /// A hook of the agent.
    Hook,
    /// An escape sequence that states the status.
    StatusSequence,
    /// The agent's own status file.
    StatusFile,
    /// The agent's own API.
    AgentApi,
    /// The transcript of the conversation.
    Transcript,
    /// The terminal's title.
    Title,
    /// What is on the screen.
    Screen,
    /// Whether the process runs, and how it ended.
    Process,
    /// Nothing.
    None,
}
