//! What travels to the threads: a piece of work and the address of who waits.

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{Durability, StoreError};

/// Work for the writer, run inside a transaction it does not own.
pub(crate) trait WriteJob: Send {
    /// Does the work and keeps the result until the fate of the transaction is known.
    fn run(&mut self, conn: &Connection) -> Result<(), StoreError>;
    /// Answers the caller: with the result kept if `committed` is `Ok`.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

/// A message to the writer.
pub(crate) enum Write {
    Job { job: Box<dyn WriteJob>, durability: Durability },
    Close,
}

/// A message to a reader.
pub(crate) enum Read {
    Job(Box<dyn FnOnce(&Connection) + Send>),
    Close,
}

/// A closure and the place for its result.
pub(crate) struct Work<T, F> {
    work: Option<F>,
    result: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Work<T, F> {
    pub(crate) fn new(work: F, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self { work: Some(work), result: None, reply }
    }
}

impl<T, F> WriteJob for Work<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, conn: &Connection) -> Result<(), StoreError> {
        let Some(work) = self.work.take() else { return Err(StoreError::Closed) };
        self.result = Some(work(conn)?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let answer = match (committed, self.result) {
            (Ok(()), Some(result)) => Ok(result),
            (Ok(()), None) => Err(StoreError::Closed),
            (Err(error), _) => Err(error),
        };
        // A caller that is gone does not want the answer.
        let _ = self.reply.send(answer);
    }
}
