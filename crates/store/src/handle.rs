//! The address of the store.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use crate::job::{Read, Work, Write};
use crate::{Durability, StoreError};

/// An address of the store: cheap to clone, good for asking, useless once the
/// [`Store`](crate::Store) is closed or dropped (then [`StoreError::Closed`]).
#[derive(Clone, Debug)]
pub struct StoreHandle {
    // Weak, so that the owner alone keeps the threads alive.
    writes: mpsc::WeakSender<Write>,
    reads: Arc<[Reader]>,
    latest: watch::Receiver<u64>,
}

impl StoreHandle {
    pub(crate) fn new(
        writes: mpsc::WeakSender<Write>,
        reads: impl Iterator<Item = mpsc::WeakSender<Read>>,
        latest: watch::Receiver<u64>,
    ) -> Self {
        let reads = reads.map(|sender| Reader { sender, load: Arc::new(()) }).collect();
        Self { writes, reads, latest }
    }

    /// The number of the last committed event; 0 before the first. Never behind
    /// an answer already given.
    #[must_use]
    pub fn latest(&self) -> u64 {
        *self.latest.borrow()
    }

    /// Tells of every growth of [`StoreHandle::latest`]. It says how far one may
    /// read, not what happened: several commits may show as one change.
    /// It ends when the store closes.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.latest.clone()
    }

    /// Runs `work` on the writer, in a savepoint that is rolled back if it fails.
    pub(crate) async fn write<T, F>(&self, durability: Durability, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Work::new(work, reply));
        let writes = self.writes.upgrade().ok_or(StoreError::Closed)?;
        writes.send(Write::Job { job, durability }).await.map_err(|_| StoreError::Closed)?;
        drop(writes);
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `query` on the reader with the least to do.
    pub(crate) async fn read<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let reader = self
            .reads
            .iter()
            .min_by_key(|reader| Arc::strong_count(&reader.load))
            .ok_or(StoreError::Closed)?;
        let load = Arc::clone(&reader.load);
        let job = Box::new(move |conn: &Connection| {
            // A caller that is gone does not want the answer.
            let _ = reply.send(query(conn));
            drop(load);
        });
        let sender = reader.sender.upgrade().ok_or(StoreError::Closed)?;
        sender.send(Read::Job(job)).await.map_err(|_| StoreError::Closed)?;
        drop(sender);
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

#[derive(Debug)]
struct Reader {
    sender: mpsc::WeakSender<Read>,
    /// Each query that waits or runs holds a clone: the count is the load.
    load: Arc<()>,
}
