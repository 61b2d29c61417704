//! The store, against plain SQLite commits of the same rows.

use std::path::Path;
use std::time::{Duration, Instant};

use qd_store::{Append, NewEvent, ProjectionWrite, Store, StoreHandle, StoreOptions};
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::json;
use tokio::task::JoinSet;

use crate::bar::Sheet;
use crate::benches::Setting;
use crate::ending::Place;
use crate::fault::Result;
use crate::fixture;
use crate::statistics::median;

/// Appends that wait at a time, in the second way.
const AT_ONCE: usize = 64;

pub(super) fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let (rounds, time) = (setting.pick(3, 1), Duration::from_millis(setting.pick(1000, 500)));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (mut raw, mut single, mut many) = (vec![], vec![], vec![]);
    for _ in 0..rounds {
        let place = Place::new()?;
        raw.push(plain_commits(place.path(), time)?);
        for (tasks, rates) in [(1, &mut single), (AT_ONCE, &mut many)] {
            let place = Place::new()?;
            rates.push(runtime.block_on(async {
                let (store, log) = Store::open(place.path(), StoreOptions::default())?;
                let rate = appends(&log, tasks, time).await?;
                store.close().await?;
                Ok::<_, crate::fault::Fault>(rate)
            })?);
        }
    }
    let (raw, single, many) = (median(&raw), median(&single), median(&many));
    sheet.higher("store: appends, one at a time", single, "a second");
    sheet.higher("store: appends, 64 at a time", many, "a second");
    sheet.higher("store: plain SQLite commits", raw, "a second").note("the same rows, WAL, NORMAL");
    sheet.higher("store: one at a time, to plain commits", single / raw, "x");
    sheet.higher("store: 64 at a time, to plain commits", many / raw, "x");
    listing(&runtime, rounds, sheet)
}

fn listing(runtime: &tokio::runtime::Runtime, rounds: usize, sheet: &mut Sheet) -> Result<()> {
    let place = Place::new()?;
    fixture::write(place.path(), 500)?;
    let times = runtime.block_on(async {
        let (store, log) = Store::open(place.path(), StoreOptions::default())?;
        let mut times = vec![];
        for _ in 0..rounds * 5 {
            let start = Instant::now();
            let found = log.list("session").await?.len();
            times.push(start.elapsed().as_secs_f64() * 1e3);
            if found != 500 {
                return Err(format!("{found} of 500 sessions are listed").into());
            }
        }
        store.close().await?;
        Ok::<_, crate::fault::Fault>(times)
    })?;
    sheet.lower("store: list 500 sessions", median(&times), "ms").note("read and parsed");
    Ok(())
}

fn plain_commits(dir: &Path, time: Duration) -> Result<f64> {
    let mut conn = Connection::open(dir.join("plain.db"))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
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

async fn appends(log: &StoreHandle, tasks: usize, time: Duration) -> Result<f64> {
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
