//! Answers kept for requests that come twice.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use crate::error::{from_json, to_json};
use crate::{Durability, StoreError, StoreHandle};

/// How long an answer is kept: 24 hours, in milliseconds.
pub const RESPONSE_LIFETIME_MS: i64 = 24 * 60 * 60 * 1000;

/// Most expired answers thrown away by one write.
const SWEEP: i64 = 64;

/// An answer to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Remember {
    /// The key the client chose (with whatever scopes it, such as the principal).
    pub key: String,
    /// What identifies the request: the same key with another fingerprint is refused.
    pub fingerprint: String,
    /// The answer; opaque to the store.
    pub response: Value,
    /// Now, in milliseconds since the Unix epoch.
    pub at_ms: i64,
}

impl StoreHandle {
    /// Keeps an answer for [`RESPONSE_LIFETIME_MS`]. If one is kept already, that
    /// one stays and is returned: all who ask get the same answer.
    ///
    /// # Errors
    ///
    /// [`StoreError::IdempotencyConflict`] if the key belongs to another request.
    pub async fn remember(&self, remember: Remember) -> Result<Value, StoreError> {
        let text = to_json("response", &remember.response)?;
        self.write(Durability::Normal, move |conn| {
            let Remember { key, fingerprint, response, at_ms } = remember;
            sweep(conn, at_ms)?;
            if let Some(kept) = find(conn, &key, &fingerprint, at_ms)? {
                return Ok(kept);
            }
            conn.prepare_cached(
                "INSERT INTO responses (key, fingerprint, response, expires_at_ms)
                 VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint,
                 response = excluded.response, expires_at_ms = excluded.expires_at_ms",
            )?
            .execute(params![
                key,
                fingerprint,
                text,
                at_ms.saturating_add(RESPONSE_LIFETIME_MS)
            ])?;
            Ok(response)
        })
        .await
    }

    /// The answer kept for a request, unless it has expired at `now_ms`.
    ///
    /// # Errors
    ///
    /// [`StoreError::IdempotencyConflict`] if the key belongs to another request.
    pub async fn recall(
        &self,
        key: &str,
        fingerprint: &str,
        now_ms: i64,
    ) -> Result<Option<Value>, StoreError> {
        let (key, fingerprint) = (key.to_owned(), fingerprint.to_owned());
        self.read(move |conn| find(conn, &key, &fingerprint, now_ms)).await
    }
}

fn find(
    conn: &Connection,
    key: &str,
    fingerprint: &str,
    now_ms: i64,
) -> Result<Option<Value>, StoreError> {
    let kept: Option<(String, String)> = conn
        .prepare_cached(
            "SELECT fingerprint, response FROM responses WHERE key = ?1 AND expires_at_ms > ?2",
        )?
        .query_row(params![key, now_ms], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match kept {
        None => Ok(None),
        Some((known, _)) if known != fingerprint => {
            Err(StoreError::IdempotencyConflict { key: key.to_owned() })
        }
        Some((_, text)) => from_json("response", &text).map(Some),
    }
}

/// A few at a time, so that no single request pays for all.
fn sweep(conn: &Connection, now_ms: i64) -> Result<(), StoreError> {
    conn.prepare_cached(
        "DELETE FROM responses WHERE key IN
         (SELECT key FROM responses WHERE expires_at_ms <= ?1 ORDER BY expires_at_ms LIMIT ?2)",
    )?
    .execute(params![now_ms, SWEEP])?;
    Ok(())
}
