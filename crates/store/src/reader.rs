//! A thread that owns a read-only connection.

use rusqlite::Connection;
use tokio::sync::mpsc;

use crate::StoreError;
use crate::job::Read;

/// Answers one query after the other. Each runs in a read transaction of its
/// own, so it sees every write that was answered before it was asked.
pub(crate) fn run(conn: Connection, mut requests: mpsc::Receiver<Read>) -> Result<(), StoreError> {
    while let Some(Read::Job(job)) = requests.blocking_recv() {
        job(&conn);
    }
    conn.close().map_err(|(_, error)| error.into())
}
