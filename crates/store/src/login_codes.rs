//! One-time login codes, kept as hashes.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{Durability, StoreError, StoreHandle};

/// What became of a login code that was presented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginCode {
    /// It was good, and is spent now. One caller gets this, once.
    Accepted,
    /// It was spent before.
    Used,
    /// It was too old.
    Expired,
    /// There is no such code.
    Unknown,
}

impl StoreHandle {
    /// Adds a code by its SHA-256, good before `expires_at_ms`. Codes that expired
    /// more than a day before `now_ms` are forgotten.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn add_login_code(
        &self,
        code_hash: [u8; 32],
        expires_at_ms: i64,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        const KEEP_MS: i64 = 24 * 60 * 60 * 1000;
        self.write(Durability::Normal, move |conn| {
            conn.prepare_cached("DELETE FROM login_codes WHERE expires_at_ms < ?1")?
                .execute(params![now_ms.saturating_sub(KEEP_MS)])?;
            conn.prepare_cached(
                "INSERT INTO login_codes (code_hash, expires_at_ms) VALUES (?1, ?2)",
            )?
            .execute(params![code_hash, expires_at_ms])?;
            Ok(())
        })
        .await
    }

    /// Spends a code: of any number of callers, one is accepted.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn take_login_code(
        &self,
        code_hash: [u8; 32],
        now_ms: i64,
    ) -> Result<LoginCode, StoreError> {
        self.write(Durability::Full, move |conn| {
            let taken = conn
                .prepare_cached(
                    "UPDATE login_codes SET used_at_ms = ?2
                     WHERE code_hash = ?1 AND used_at_ms IS NULL AND expires_at_ms > ?2",
                )?
                .execute(params![code_hash, now_ms])?;
            if taken == 1 { Ok(LoginCode::Accepted) } else { why_not(conn, code_hash) }
        })
        .await
    }
}

fn why_not(conn: &Connection, code_hash: [u8; 32]) -> Result<LoginCode, StoreError> {
    let used: Option<bool> = conn
        .prepare_cached("SELECT used_at_ms IS NOT NULL FROM login_codes WHERE code_hash = ?1")?
        .query_row(params![code_hash], |row| row.get(0))
        .optional()?;
    Ok(match used {
        Some(true) => LoginCode::Used,
        Some(false) => LoginCode::Expired,
        None => LoginCode::Unknown,
    })
}
