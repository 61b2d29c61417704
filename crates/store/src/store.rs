//! The owner of the threads.

use std::path::Path;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot, watch};

use crate::handle::StoreHandle;
use crate::home::Warning;
use crate::job::{Read, Write};
use crate::open::{self, Opened};
use crate::schema::{STEPS, Step};
use crate::writer::Writer;
use crate::{StoreError, StoreOptions, event_log, reader};

/// What an acknowledged write survives. See the crate documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The end of the process.
    #[default]
    Normal,
    /// A power cut.
    Full,
}

impl Durability {
    pub(crate) fn pragma(self) -> &'static str {
        match self {
            Self::Normal => "NORMAL",
            Self::Full => "FULL",
        }
    }
}

/// Owns the threads of an open store; not `Clone`.
///
/// [`Store::close`] ends them in order. Dropping the owner ends them too, after
/// what is queued, without waiting for them.
#[derive(Debug)]
pub struct Store {
    writes: mpsc::Sender<Write>,
    reads: Vec<mpsc::Sender<Read>>,
    writer: Worker,
    readers: Vec<Worker>,
    warnings: Vec<Warning>,
}

#[derive(Debug)]
struct Worker {
    thread: JoinHandle<()>,
    done: oneshot::Receiver<Result<(), StoreError>>,
}

impl Store {
    /// Opens `quarterdeck.db` in `dir`, and makes both if they are missing
    /// (modes 0600 and 0700). An older database is copied to `backups/` and
    /// migrated. Blocks; call it before the runtime is busy. Holding the
    /// [`HomeLock`](crate::HomeLock) is up to the caller.
    ///
    /// # Errors
    ///
    /// Refused without touching the file: [`StoreError::NewerSchema`],
    /// [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::Corrupt`]. Also [`StoreError::ReadOnly`],
    /// [`StoreError::DiskFull`], [`StoreError::Backup`], [`StoreError::Migration`].
    pub fn open(dir: &Path, options: StoreOptions) -> Result<(Self, StoreHandle), StoreError> {
        Self::open_with(dir, &options, STEPS)
    }

    pub(crate) fn open_with(
        dir: &Path,
        options: &StoreOptions,
        steps: &[Step],
    ) -> Result<(Self, StoreHandle), StoreError> {
        let Opened { writer: conn, readers: conns, warnings } = open::open(dir, options, steps)?;
        let (latest, latest_seen) = watch::channel(event_log::latest(&conn)?);
        let queue = options.queue.max(1);

        let (writes, requests) = mpsc::channel(queue);
        let thread = Writer::new(conn, requests, latest, options.durability);
        let writer = start("qd-store-writer", dir, move || thread.run())?;

        let mut reads = Vec::with_capacity(conns.len());
        let mut readers = Vec::with_capacity(conns.len());
        for conn in conns {
            let (sender, requests) = mpsc::channel(queue);
            readers.push(start("qd-store-reader", dir, move || reader::run(conn, requests))?);
            reads.push(sender);
        }
        let handle = StoreHandle::new(
            writes.downgrade(),
            reads.iter().map(mpsc::Sender::downgrade),
            latest_seen,
        );
        Ok((Self { writes, reads, writer, readers, warnings }, handle))
    }

    /// What the owner of the home should know, found when it was opened.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Finishes what is queued, moves the WAL into the database and joins the
    /// threads. Whoever asks later gets [`StoreError::Closed`].
    ///
    /// # Errors
    ///
    /// The error of the last checkpoint. The data is safe in the WAL all the same.
    pub async fn close(self) -> Result<(), StoreError> {
        let Self { writes, reads, writer, readers, .. } = self;
        for sender in reads {
            // A reader that is gone needs no message.
            let _ = sender.send(Read::Close).await;
        }
        let mut result = Ok(());
        for worker in readers {
            result = result.and(worker.join().await);
        }
        // Last, because only the last connection can empty the WAL.
        let _ = writes.send(Write::Close).await;
        result.and(writer.join().await)
    }
}

impl Worker {
    async fn join(self) -> Result<(), StoreError> {
        let result = self.done.await;
        // The thread has said its last word, so this does not wait.
        let joined = self.thread.join();
        match (result, joined) {
            (Ok(result), Ok(())) => result,
            _ => Err(StoreError::Database { code: 0, detail: "a store thread broke".into() }),
        }
    }
}

fn start(
    name: &str,
    dir: &Path,
    run: impl FnOnce() -> Result<(), StoreError> + Send + 'static,
) -> Result<Worker, StoreError> {
    let (last_word, done) = oneshot::channel();
    let thread = thread::Builder::new()
        .name(name.into())
        .spawn(move || {
            let result = run();
            if let Err(error) = &result {
                tracing::warn!(%error, "a store thread ended with an error");
            }
            // Nobody waits if the owner was dropped.
            let _ = last_word.send(result);
        })
        .map_err(|error| StoreError::io(dir, &error))?;
    Ok(Worker { thread, done })
}
