//! Whether this session is needed just now, and its rest when it is not.

use std::time::Duration;

use qd_core::{Action, AttentionState, Lifecycle, OnLoss};
use tokio::time::Instant;

use super::hold::Hold;
use super::{Done, Owner};
use crate::doze::{Candidate, Usage, usage};

impl Owner {
    /// When its processes are to be looked at, if it is to be hibernated when it is idle.
    pub(super) fn idle_look_at(&self) -> Option<Instant> {
        let after = self.shared.settings.hibernate.after?;
        let waits = self.looking || !matches!(self.hold, Hold::Here(_));
        (!waits && self.comes_back())
            .then(|| self.idle_due.unwrap_or_else(|| self.idle.next_look(after)))
    }

    /// It may be time to look.
    pub(super) fn look_whether_idle(&mut self, now: Instant) {
        let Some(after) = self.shared.settings.hibernate.after else { return };
        // What happened since the time was set moves it: the clock is not set anew for each.
        let due = self.idle.next_look(after);
        self.idle_due = Some(due);
        if due > now {
            return;
        }
        let Some(root) = self.hold.pane().and_then(crate::panes::Pane::root) else { return };
        self.looking = true;
        self.work.spawn(async move {
            // A machine without such figures has nobody found idle.
            let used = tokio::task::spawn_blocking(move || usage(root)).await;
            Done::Looked(used.unwrap_or_default())
        });
    }

    /// Its processes were looked at.
    pub(super) async fn looked_whether_idle(&mut self, used: Option<Usage>) {
        self.looking = false;
        let Some(after) = self.shared.settings.hibernate.after else { return };
        let now = Instant::now();
        let idle = used.is_some_and(|used| {
            let idle = self.idle.looked(now, used, after);
            idle && self.candidate().is_some_and(|candidate| candidate.comes_back(used))
        });
        self.idle_due = Some(self.idle.next_look(after).max(now + after / 100));
        if idle && !self.shared.stop.is_cancelled() {
            match self.begin(Action::Hibernate, None).await {
                Ok(_) => {
                    tracing::info!(session = %self.id, "hibernated: it has been idle for long");
                    self.advance().await;
                }
                Err(problem) => {
                    tracing::warn!(session = %self.id, %problem, "an idle session stays");
                    self.idle_due = Some(now + after.max(Duration::from_secs(1)));
                }
            }
        }
    }

    /// Whether its program, once ended, can be started again and go on.
    fn comes_back(&self) -> bool {
        self.state.launch.on_loss != OnLoss::Stop
    }

    /// What whoever frees memory is told; none when it is not to be hibernated now.
    pub(super) fn candidate(&self) -> Option<Candidate> {
        use AttentionState::{Permission, Question, Working};
        let root = self.hold.pane()?.root()?;
        let free = self.state.lifecycle == Lifecycle::Running
            && self.state.pending.is_none()
            && self.end_by.is_none()
            && self.unsaved.is_empty()
            && self.input.is_empty()
            && self.held.is_empty()
            && self.comes_back()
            && !self.terminal.has_natives()
            && !matches!(self.state.attention().state, Working | Permission | Question);
        free.then(|| Candidate {
            since: self.idle.since(),
            root,
            version: self.state.version,
            alone: self.state.launch.conversation.is_none(),
        })
    }
}
