//! The thread that owns the write connection, and its group commit.

use rusqlite::Connection;
use tokio::sync::{mpsc, watch};

use crate::job::{Write, WriteJob};
use crate::{Durability, StoreError, event_log};

/// The most requests that share one transaction. It bounds how long the first
/// of them waits for the last.
const BATCH: usize = 256;

/// Owns the connection by value: whoever wants to write has to ask.
pub(crate) struct Writer {
    conn: Connection,
    requests: mpsc::Receiver<Write>,
    latest: watch::Sender<u64>,
    floor: Durability,
    set: Durability,
}

struct Batch {
    jobs: Vec<Box<dyn WriteJob>>,
    durability: Durability,
    close: bool,
}

impl Writer {
    pub(crate) fn new(
        conn: Connection,
        requests: mpsc::Receiver<Write>,
        latest: watch::Sender<u64>,
        floor: Durability,
    ) -> Self {
        Self { conn, requests, latest, floor, set: Durability::Normal }
    }

    /// Serves until the owner closes the store or nobody can ask any more, then
    /// moves the WAL into the database.
    pub(crate) fn run(mut self) -> Result<(), StoreError> {
        while let Some(batch) = self.next_batch() {
            let close = batch.close;
            self.commit(batch);
            if close {
                break;
            }
        }
        // Senders that still wait for room hear now that nobody will come.
        self.requests.close();
        while self.requests.try_recv().is_ok() {}
        drop(self.latest);
        let checkpoint = self
            .conn
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
            .map_err(StoreError::from)
            .and_then(|busy| if busy == 0 { Ok(()) } else { Err(StoreError::Busy) });
        let closed = self.conn.close().map_err(|(_, error)| error.into());
        checkpoint.and(closed)
    }

    /// Waits for one request and takes along what queued up behind it.
    fn next_batch(&mut self) -> Option<Batch> {
        let mut batch = Batch { jobs: Vec::new(), durability: self.floor, close: false };
        let mut next = self.requests.blocking_recv();
        next.as_ref()?;
        while let Some(request) = next {
            match request {
                Write::Close => {
                    batch.close = true;
                    break;
                }
                Write::Job { job, durability } => {
                    batch.jobs.push(job);
                    batch.durability = batch.durability.max(durability);
                }
            }
            next = if batch.jobs.len() < BATCH { self.requests.try_recv().ok() } else { None };
        }
        Some(batch)
    }

    /// Publishes before it answers, so that `latest` is never behind an answer.
    fn commit(&mut self, batch: Batch) {
        if batch.jobs.is_empty() {
            return;
        }
        let Batch { mut jobs, durability, .. } = batch;
        let mut outcomes = Vec::with_capacity(jobs.len());
        let committed = self.transact(&mut jobs, &mut outcomes, durability);
        match &committed {
            Ok(number) => {
                self.latest.send_if_modified(|latest| {
                    let grown = *number > *latest;
                    *latest = (*latest).max(*number);
                    grown
                });
            }
            Err(error) => {
                tracing::warn!(%error, requests = jobs.len(), "a batch was rolled back");
                self.roll_back();
            }
        }
        for (index, job) in jobs.into_iter().enumerate() {
            let own = outcomes.get(index).cloned().unwrap_or(Ok(()));
            job.answer(own.and(committed.clone().map(drop)));
        }
    }

    /// One transaction, a savepoint for each request. An `Err` means that nothing
    /// of it was written; then `outcomes` may be short.
    fn transact(
        &mut self,
        jobs: &mut [Box<dyn WriteJob>],
        outcomes: &mut Vec<Result<(), StoreError>>,
        durability: Durability,
    ) -> Result<u64, StoreError> {
        self.set_durability(durability)?;
        execute(&self.conn, "BEGIN IMMEDIATE")?;
        for job in jobs {
            execute(&self.conn, "SAVEPOINT request")?;
            let outcome = job.run(&self.conn);
            // Some errors (a full disk, an I/O error) end the transaction itself.
            if self.conn.is_autocommit() {
                return Err(outcome.err().unwrap_or(StoreError::Closed));
            }
            if outcome.is_err() {
                execute(&self.conn, "ROLLBACK TO request")?;
            }
            execute(&self.conn, "RELEASE request")?;
            outcomes.push(outcome);
        }
        let number = event_log::latest(&self.conn)?;
        execute(&self.conn, "COMMIT")?;
        Ok(number)
    }

    fn roll_back(&self) {
        if self.conn.is_autocommit() {
            return;
        }
        if let Err(error) = execute(&self.conn, "ROLLBACK") {
            tracing::error!(%error, "cannot roll back");
        }
    }

    fn set_durability(&mut self, durability: Durability) -> Result<(), StoreError> {
        if self.set != durability {
            self.conn.pragma_update(None, "synchronous", durability.pragma())?;
            self.set = durability;
        }
        Ok(())
    }
}

fn execute(conn: &Connection, sql: &str) -> Result<(), StoreError> {
    conn.prepare_cached(sql)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_syncs_as_a_batch_asks() {
        let conn = Connection::open_in_memory().unwrap();
        conn.pragma_update(None, "synchronous", "NORMAL").unwrap();
        let (_sender, requests) = mpsc::channel(1);
        let (latest, _) = watch::channel(0);
        let mut writer = Writer::new(conn, requests, latest, Durability::Normal);
        for (durability, level) in [
            (Durability::Normal, 1),
            (Durability::Full, 2),
            (Durability::Full, 2),
            (Durability::Normal, 1),
        ] {
            writer.set_durability(durability).unwrap();
            let set: i64 =
                writer.conn.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
            assert_eq!(set, level);
        }
    }
}
