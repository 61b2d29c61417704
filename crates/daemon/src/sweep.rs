//! Panes of no session: what a lost connection or a killed daemon left in tmux.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Session, may_run};

use crate::shared::Shared;

/// How soon a tmux that could not be asked is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(5);

/// The sessions that were there at the start.
pub(crate) struct Known {
    all: BTreeSet<String>,
    /// Those that may have a program.
    with_pane: BTreeSet<String>,
}

impl Known {
    pub(crate) fn of(sessions: &[Session]) -> Self {
        let ids = |s: &Session| s.id.to_string();
        Self {
            all: sessions.iter().map(ids).collect(),
            with_pane: sessions.iter().filter(|session| may_run(session)).map(ids).collect(),
        }
    }
}

/// Closes, once after a start, the panes of this home that no session has.
pub(crate) async fn sweep(shared: Arc<Shared>, known: Known) {
    // A session of this daemon is on the list before it has a pane.
    let owned = |id: &str| {
        let registry = shared.registry.borrow();
        let is_new = || registry.keys().any(|key| key.as_str() == id) && !known.all.contains(id);
        known.with_pane.contains(id) || is_new()
    };
    while let Err(problem) = shared.panes.sweep(owned).await {
        tracing::debug!(%problem, "panes of no session were not looked for yet");
        if !shared.pause(ASK_AGAIN).await {
            return;
        }
    }
}
