//! How many appends a second, beside plain SQLite commits in the same run.
//!
//! `cargo run --release -p qd-store --example append_rate [SECONDS [DIRECTORY]]`
//!
//! The plain commits write the same rows (event and projection) in one IMMEDIATE
//! transaction each, on the thread that counts: no queue, no answer, no savepoint.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use qd_store::{Append, Durability, NewEvent, ProjectionWrite, Store, StoreHandle, StoreOptions};
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::json;
use tokio::task::JoinSet;

const TASKS: usize = 64;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().map_or(Ok(3), |text| text.parse())?;
    let time = Duration::from_secs(seconds);
    let base = args.next().map_or_else(std::env::temp_dir, Into::into);

    for durability in [Durability::Normal, Durability::Full] {
        let dir = tempfile::TempDir::new_in(&base)?;
        let raw = plain_commits(dir.path(), durability, time)?;
        println!("{durability:?}: plain commits      {raw:>9.0}/s");

        for tasks in [1, TASKS] {
            let dir = tempfile::TempDir::new_in(&base)?;
            let (store, log) = Store::open(dir.path(), StoreOptions::default())?;
            let rate = appends(&log, durability, tasks, time).await?;
            store.close().await?;
            println!(
                "{durability:?}: store, {tasks:>2} at a time {rate:>9.0}/s  {:.2} x",
                rate / raw
            );
        }
    }
    Ok(())
}

fn plain_commits(dir: &Path, durability: Durability, time: Duration) -> rusqlite::Result<f64> {
    let mut conn = Connection::open(dir.join("plain.db"))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = if durability == Durability::Full { "FULL" } else { "NORMAL" };
    conn.pragma_update(None, "synchronous", synchronous)?;
    conn.execute_batch(
        "CREATE TABLE events (number INTEGER PRIMARY KEY, stream TEXT NOT NULL,
         version INTEGER NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL,
         data TEXT NOT NULL, UNIQUE (stream, version)) STRICT;
         CREATE TABLE projections (name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
         PRIMARY KEY (name, key)) STRICT, WITHOUT ROWID;",
    )?;
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < time {
        count += 1;
        let data = json!({ "n": count, "text": "the tests pass" }).to_string();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.prepare_cached(
            "INSERT INTO events (stream, version, at_ms, kind, data) VALUES (?1, ?2, 0, 'k', ?3)",
        )?
        .execute(params!["s0", count, data])?;
        tx.prepare_cached("INSERT OR REPLACE INTO projections VALUES ('sessions', 's0', ?1)")?
            .execute(params![data])?;
        tx.commit()?;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

async fn appends(
    log: &StoreHandle,
    durability: Durability,
    tasks: usize,
    time: Duration,
) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    let mut set = JoinSet::new();
    for task in 0..tasks {
        let log = log.clone();
        set.spawn(async move {
            let mut count = 0_u32;
            while start.elapsed() < time {
                count += 1;
                let data = json!({ "n": count, "text": "the tests pass" });
                let stream = format!("s{task}");
                let event = NewEvent { kind: "k".into(), data: data.clone() };
                let mut append = Append::new(stream.clone(), 0, vec![event]);
                append.durability = durability;
                let name = String::from("sessions");
                append.projections = vec![ProjectionWrite { name, key: stream, value: Some(data) }];
                log.append(append).await?;
            }
            Ok::<_, qd_store::StoreError>(count)
        });
    }
    let mut total = 0.0;
    while let Some(count) = set.join_next().await {
        total += f64::from(count??);
    }
    Ok(total / start.elapsed().as_secs_f64())
}
