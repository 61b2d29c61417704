//! Replay, then follow.

use tokio::sync::watch;

use crate::{StoreError, StoreHandle, StoredEvent};

/// Reads the log from a number on and waits at its end: nothing is missed,
/// nothing comes twice, however fast others append.
///
/// There is no seam between replay and live: it only ever reads the log, and the
/// watch merely says when to read again.
#[derive(Debug)]
pub struct Follower {
    store: StoreHandle,
    latest: watch::Receiver<u64>,
    since: u64,
}

impl StoreHandle {
    /// Follows the log from the first event after `since` (0: from the beginning).
    #[must_use]
    pub fn follow(&self, since: u64) -> Follower {
        Follower { store: self.clone(), latest: self.subscribe(), since }
    }
}

impl Follower {
    /// The next events, at least one and at most `limit` (0 counts as 1), in order.
    /// Waits while there is none. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] when the store closes; any error of a read.
    pub async fn next(&mut self, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        loop {
            let since = self.since;
            // The guard inside the watch is let go before the next await.
            let grown = self.latest.wait_for(|latest| *latest > since).await.map(|_| ());
            if grown.is_err() {
                return Err(StoreError::Closed);
            }
            let events = self.store.events(since, limit.max(1)).await?;
            if let Some(last) = events.last() {
                self.since = last.number;
                return Ok(events);
            }
        }
    }

    /// The number of the last event handed out.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.since
    }
}
