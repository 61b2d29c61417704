//! Panes of no session: what a lost connection or a killed daemon left in tmux.

use std::sync::Arc;
use std::time::Duration;

use crate::shared::Shared;

/// How soon a tmux that could not be asked is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(5);

/// Closes, once after a start, the panes of this home that no session has. What is left of a
/// session that is known is ended by its owner, who knows whether it was started again meanwhile.
pub(crate) async fn sweep(shared: Arc<Shared>) {
    // A session is on the list before it has a pane.
    let owned = |id: &str| shared.registry.borrow().keys().any(|key| key.as_str() == id);
    shared.step("sweep").await;
    while let Err(problem) = shared.panes.sweep(owned).await {
        tracing::debug!(%problem, "panes of no session were not looked for yet");
        if !shared.pause(ASK_AGAIN).await {
            return;
        }
    }
    shared.step("swept").await;
}
