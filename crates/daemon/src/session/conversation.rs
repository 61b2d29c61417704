//! Which conversation of its agent a session has, for agents that name their conversations
//! themselves.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Command, Problem};
use tokio::time::Instant;

use super::{Done, Owner};
use crate::agents::Asked;

/// How long after output it is looked for, so that the agent has written its files.
const LOOK_AFTER: Duration = Duration::from_secs(2);

impl Owner {
    /// It printed: while its conversation is not known, it may have begun one now.
    pub(super) fn look_for_conversation_soon(&mut self, now: Instant) {
        let launch = &self.state.launch;
        let is_known = launch.conversation.is_some() || launch.is_adopted();
        if !is_known && self.names_own && self.conversation_due.is_none() {
            self.conversation_due = Some(now + LOOK_AFTER);
        }
    }

    /// Looks for it beside the turns.
    pub(super) fn look_for_conversation(&mut self) {
        self.conversation_due = None;
        let Some(place) = &self.state.place else { return };
        let launch = self.state.launch.clone();
        let env = super::create::environment(&self.shared, &self.id, &launch, self.state.run);
        let folder = PathBuf::from(&place.worktree);
        let asked =
            Asked { id: self.id.clone(), launch, folder, env, since: self.state.created_at };
        let shared = Arc::clone(&self.shared);
        self.work.spawn(async move {
            let found = asked.with(&shared, |catalog, launch, place, taken| {
                qd_agents::conversation(catalog, launch, place, |id| taken.contains(id))
            });
            Done::Conversation(found.await)
        });
    }

    /// It was looked for.
    pub(super) async fn looked_for_conversation(&mut self, found: Result<Option<String>, Problem>) {
        match found {
            Ok(Some(id)) => self.report(Command::ConversationFound(id)).await,
            Ok(None) => {}
            Err(problem) => tracing::warn!(session = %self.id, %problem, "no conversation"),
        }
    }
}
