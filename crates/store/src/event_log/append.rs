//! The append itself, on the writer.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Append, Appended, Expect, version};
use crate::error::{from_db, from_json, to_db, to_json};
use crate::{Durability, StoreError, outbox, projections};

/// An append with its payloads serialised.
pub(super) struct Prepared {
    append: Append,
    events: Vec<String>,
    projections: Vec<projections::Prepared>,
    outbox: Vec<outbox::Prepared>,
}

impl Append {
    pub(super) fn durability(&self) -> Durability {
        if self.outbox.is_empty() && !self.blanks { self.durability } else { Durability::Full }
    }
}

impl Prepared {
    pub(super) fn new(mut append: Append) -> Result<Self, StoreError> {
        if append.events.is_empty() {
            return Err(StoreError::EmptyAppend { stream: append.stream });
        }
        let events = append
            .events
            .iter()
            .map(|event| to_json("event data", &event.data))
            .collect::<Result<_, _>>()?;
        let projections = std::mem::take(&mut append.projections)
            .into_iter()
            .map(projections::Prepared::new)
            .collect::<Result<_, _>>()?;
        let outbox = std::mem::take(&mut append.outbox)
            .into_iter()
            .map(outbox::Prepared::new)
            .collect::<Result<_, _>>()?;
        Ok(Self { append, events, projections, outbox })
    }

    pub(super) fn apply(&self, conn: &Connection) -> Result<Appended, StoreError> {
        // Before the expectation: the first try has moved the version.
        if let Some(earlier) = self.earlier(conn)? {
            return Ok(earlier);
        }
        let before = version(conn, &self.append.stream)?;
        self.check(before)?;
        let (first, last, version) = self.insert_events(conn, before)?;
        if let Some(key) = &self.append.idempotency {
            conn.prepare_cached(
                "INSERT INTO append_keys (key, first_number, last_number) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![key, first, last])?;
        }
        for write in &self.projections {
            write.apply(conn)?;
        }
        let mut ids = Vec::with_capacity(self.outbox.len());
        for item in &self.outbox {
            ids.push(item.insert(conn, &self.append.stream)?);
        }
        for id in &self.append.settles {
            outbox::settle(conn, *id)?;
        }
        if self.append.blanks {
            blank(conn, &self.append.stream)?;
        }
        Ok(Appended {
            first: from_db("event number", first)?,
            last: from_db("event number", last)?,
            version,
            outbox: ids,
            repeated: false,
        })
    }

    fn check(&self, actual: u64) -> Result<(), StoreError> {
        let holds = match self.append.expect {
            Expect::Any => true,
            Expect::Version(version) => version == actual,
            Expect::NoStream => actual == 0,
        };
        if holds {
            return Ok(());
        }
        Err(StoreError::VersionConflict {
            stream: self.append.stream.clone(),
            expected: self.append.expect,
            actual,
        })
    }

    fn insert_events(&self, conn: &Connection, before: u64) -> Result<(i64, i64, u64), StoreError> {
        let mut insert = conn.prepare_cached(
            "INSERT INTO events (stream, version, at_ms, kind, data) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut version = before;
        let mut first = None;
        let mut last = 0;
        for (event, data) in self.append.events.iter().zip(&self.events) {
            version += 1;
            last = insert.insert(params![
                self.append.stream,
                to_db("version", version)?,
                self.append.at_ms,
                event.kind,
                data
            ])?;
            first.get_or_insert(last);
        }
        Ok((first.unwrap_or(last), last, version))
    }

    /// What the same append did earlier; a conflict if the key meant something else.
    fn earlier(&self, conn: &Connection) -> Result<Option<Appended>, StoreError> {
        let Some(key) = &self.append.idempotency else { return Ok(None) };
        let range: Option<(i64, i64)> = conn
            .prepare_cached("SELECT first_number, last_number FROM append_keys WHERE key = ?1")?
            .query_row(params![key], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((first, last)) = range else { return Ok(None) };

        let conflict = || StoreError::IdempotencyConflict { key: key.clone() };
        let mut statement = conn.prepare_cached(
            "SELECT stream, version, kind, data FROM events
             WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
        )?;
        let mut rows = statement.query(params![first, last])?;
        let mut version = 0;
        let mut asked = self.append.events.iter();
        while let Some(row) = rows.next()? {
            let event = asked.next().ok_or_else(conflict)?;
            let (stream, kind): (String, String) = (row.get(0)?, row.get(2)?);
            let data = from_json("event data", &row.get::<_, String>(3)?)?;
            // A blanked payload cannot be compared; it matches.
            let same_data = data == event.data || data.is_null();
            if stream != self.append.stream || kind != event.kind || !same_data {
                return Err(conflict());
            }
            version = from_db("version", row.get(1)?)?;
        }
        if asked.next().is_some() {
            return Err(conflict());
        }
        Ok(Some(Appended {
            first: from_db("event number", first)?,
            last: from_db("event number", last)?,
            version,
            outbox: Vec::new(),
            repeated: true,
        }))
    }
}

fn blank(conn: &Connection, stream: &str) -> Result<(), StoreError> {
    conn.prepare_cached("UPDATE events SET data = 'null' WHERE stream = ?1 AND data <> 'null'")?
        .execute(params![stream])?;
    conn.prepare_cached("DELETE FROM responses WHERE instr(response, ?1) > 0")?
        .execute(params![stream])?;
    Ok(())
}
