use std::collections::VecDeque;

use super::evidence::Piece;
use super::{AttentionSource, AttentionState};
use crate::Millis;

/// Tools that may be open at once, and closed ones that are remembered.
const TOOLS: usize = 64;
/// An equal hook so soon after, in milliseconds, is the same one delivered twice.
const TWICE: u64 = 2_000;

/// One call of a hook, read from the agent's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it was called.
    pub at: Millis,
    /// The conversation that it names.
    pub conversation: Option<String>,
    /// What it reports.
    pub event: HookEvent,
}

/// What a hook reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A conversation begins.
    Began {
        /// It takes the place of another one that the same program had.
        instead: bool,
    },
    /// It got a task.
    Prompted,
    /// A tool is about to be used.
    ToolBegins {
        /// The agent's own id of this use.
        id: Option<String>,
        /// The tool.
        name: String,
    },
    /// A tool was used, or failed, or was refused.
    ToolEnds {
        /// The agent's own id of this use.
        id: Option<String>,
        /// The tool.
        name: String,
    },
    /// It asks whether it may use a tool.
    AsksPermission {
        /// The tool, where that is told.
        tool: Option<String>,
        /// What it asks, in words.
        what: String,
    },
    /// It asks something else.
    AsksQuestion {
        /// The tool that asks, where that is told.
        tool: Option<String>,
        /// What it asks, in words.
        what: String,
    },
    /// The turn is over.
    Stopped {
        /// How many tasks go on in the background.
        background: usize,
    },
    /// The turn is over because of an error.
    Failed {
        /// The error, in the agent's words.
        why: String,
    },
    /// It says that it waits for the next task.
    Waits,
    /// A sign of life that changes nothing.
    Alive,
    /// The conversation is over.
    Ended,
}

/// What became of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It counts.
    Noted,
    /// It was heard before; nothing changes.
    Twice,
    /// It is older than what is known; nothing changes.
    Late,
    /// It is of another conversation, such as that of a program which the agent itself started;
    /// nothing changes.
    Stranger,
}

/// What the hooks of one run add up to.
#[derive(Clone, Debug, Default)]
pub(super) struct Hooks {
    conversation: Option<String>,
    open: Vec<Tool>,
    closed: VecDeque<String>,
    /// What is asked, and the tool that it is about.
    asked: Option<Option<Tool>>,
    last: Option<Hook>,
    strangers: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tool {
    id: Option<String>,
    name: String,
}

impl Hooks {
    pub(super) fn bound_to(conversation: Option<String>) -> Self {
        Self { conversation, ..Self::default() }
    }

    pub(super) fn strangers(&self) -> u32 {
        self.strangers
    }

    /// Whether a tool was begun and has not ended.
    pub(super) fn has_open_tool(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes a hook in; gives what became of it, and what hooks say now if that is anything new.
    pub(super) fn hear(&mut self, hook: Hook) -> (Heard, Option<Piece>) {
        if !self.is_ours(&hook) {
            self.strangers = self.strangers.saturating_add(1);
            return (Heard::Stranger, None);
        }
        if let Some(last) = &self.last {
            if last.event == hook.event
                && hook.at.since(last.at).max(last.at.since(hook.at)) < TWICE
            {
                return (Heard::Twice, None);
            }
            if hook.at < last.at {
                // What ended has ended, however late that is told.
                if let HookEvent::ToolEnds { id, name } = &hook.event {
                    self.close(id.as_deref(), name);
                }
                return (Heard::Late, None);
            }
        }
        let said = self.fold(&hook.event);
        let at = hook.at;
        self.last = Some(hook);
        let piece = said.map(|(state, confidence, says)| {
            Piece::new(AttentionSource::Hook, state, at, confidence, &says)
        });
        (Heard::Noted, piece)
    }

    /// Hooks are bound to the conversation of this run. Another one takes its place only when the
    /// agent says that it does.
    fn is_ours(&mut self, hook: &Hook) -> bool {
        let Some(named) = &hook.conversation else { return true };
        let known = self.conversation.as_ref();
        let instead = matches!(hook.event, HookEvent::Began { instead: true });
        if known.is_none() || instead {
            self.conversation = Some(named.clone());
            return true;
        }
        known == Some(named)
    }

    /// What hooks say after this one: state, sureness, words. None: as before.
    fn fold(&mut self, event: &HookEvent) -> Option<(AttentionState, f32, String)> {
        use AttentionState::{Done, Error, Idle, Permission, Question, Unknown, Working};
        let words = |text: &str| text.to_owned();
        match event {
            HookEvent::Began { .. } => {
                self.forget();
                // A dialog of the start may be up, which no hook tells of.
                Some((Idle, 0.7, words("The conversation is open and has no task yet.")))
            }
            HookEvent::Prompted => {
                self.forget();
                Some((Working, 1.0, words("It works on what it was given.")))
            }
            HookEvent::ToolBegins { id, name } => {
                if id.as_ref().is_some_and(|id| self.closed.contains(id)) {
                    return None;
                }
                let tool = Tool { id: id.clone(), name: name.clone() };
                if !self.open.contains(&tool) && self.open.len() < TOOLS {
                    self.open.push(tool);
                }
                // Another tool that begins answers no question.
                self.asked.is_none().then(|| (Working, 1.0, format!("It uses {name}.")))
            }
            HookEvent::ToolEnds { id, name } => {
                self.close(id.as_deref(), name);
                self.asked.is_none().then(|| (Working, 1.0, format!("It has used {name}.")))
            }
            HookEvent::AsksPermission { tool, what } => self.ask(tool.as_ref(), Permission, what),
            HookEvent::AsksQuestion { tool, what } => self.ask(tool.as_ref(), Question, what),
            HookEvent::Stopped { background: 0 } => {
                self.forget();
                Some((Done, 1.0, words("It has finished its turn.")))
            }
            HookEvent::Stopped { background } => {
                self.asked = None;
                let tasks = if *background == 1 { "task goes" } else { "tasks go" };
                Some((Working, 0.9, format!("{background} {tasks} on in the background.")))
            }
            HookEvent::Failed { why } => {
                self.forget();
                Some((Error, 1.0, format!("Its turn failed: {why}")))
            }
            HookEvent::Waits => {
                let ended = self.is_in_turn();
                self.forget();
                ended.then(|| (Idle, 1.0, words("It says that it waits for the next task.")))
            }
            HookEvent::Alive => None,
            HookEvent::Ended => {
                self.forget();
                Some((Unknown, 0.5, words("Its conversation is over.")))
            }
        }
    }

    /// The first to ask is what is asked until it is answered.
    fn ask(
        &mut self,
        tool: Option<&String>,
        state: AttentionState,
        what: &str,
    ) -> Option<(AttentionState, f32, String)> {
        // The agent does not say which call it is about: the last one of that tool.
        let about = tool.and_then(|name| self.open.iter().rfind(|open| open.name == *name));
        if self.asked.is_some() && tool.is_none() {
            return None;
        }
        self.asked = Some(about.cloned());
        Some((state, 1.0, what.to_owned()))
    }

    fn close(&mut self, id: Option<&str>, name: &str) {
        let is_it = |tool: &Tool| match (id, tool.id.as_deref()) {
            (Some(id), Some(open)) => id == open,
            _ => tool.name == name,
        };
        if let Some(at) = self.open.iter().position(is_it) {
            self.open.remove(at);
        }
        if self.asked.as_ref().is_some_and(|about| about.as_ref().is_none_or(is_it)) {
            self.asked = None;
        }
        if let Some(id) = id {
            if self.closed.len() == TOOLS {
                self.closed.pop_front();
            }
            self.closed.push_back(id.to_owned());
        }
    }

    fn is_in_turn(&self) -> bool {
        !matches!(
            self.last.as_ref().map(|hook| &hook.event),
            None | Some(
                HookEvent::Stopped { background: 0 }
                    | HookEvent::Failed { .. }
                    | HookEvent::Began { .. }
                    | HookEvent::Waits
                    | HookEvent::Ended
            )
        )
    }

    fn forget(&mut self) {
        self.open.clear();
        self.asked = None;
    }
}
