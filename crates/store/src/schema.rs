//! The schema and the steps that lead to it.

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;

/// The schema version this program writes (`user_version` of the database).
pub const SCHEMA_VERSION: u32 = 2;

/// Marks the database as ours: "QDdb" in the header (`application_id`).
pub(crate) const APPLICATION_ID: u32 = 0x5144_6462;

/// One step of migration: SQL that leads from version `to - 1` to `to`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) to: u32,
    pub(crate) sql: &'static str,
}

/// All steps in order. A published step is never edited; a change is a new step.
pub(crate) const STEPS: &[Step] = &[
    Step { to: 1, sql: include_str!("schema/v1.sql") },
    Step { to: 2, sql: include_str!("schema/v2.sql") },
];

/// The version the steps lead to.
pub(crate) fn target(steps: &[Step]) -> u32 {
    steps.last().map_or(0, |step| step.to)
}

/// Reads the schema version.
pub(crate) fn version(conn: &Connection) -> Result<u32, StoreError> {
    header_number(conn, "user_version")
}

/// Reads the application id.
pub(crate) fn application_id(conn: &Connection) -> Result<u32, StoreError> {
    header_number(conn, "application_id")
}

/// Runs the missing steps, each in a transaction of its own that also writes the
/// version, so that a crash leaves the database at one version or the next.
pub(crate) fn migrate(conn: &mut Connection, steps: &[Step]) -> Result<(), StoreError> {
    for step in steps {
        let failed = |error: rusqlite::Error| match StoreError::from(error) {
            StoreError::Database { detail, .. } => StoreError::Migration { to: step.to, detail },
            typed => typed,
        };
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read under the write lock: another process may have been faster.
        if version(&tx)? >= step.to {
            continue;
        }
        tx.execute_batch(step.sql).map_err(failed)?;
        tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        tx.pragma_update(None, "user_version", step.to).map_err(failed)?;
        tx.commit().map_err(failed)?;
        tracing::info!(version = step.to, "migrated the database");
    }
    Ok(())
}

fn header_number(conn: &Connection, pragma: &str) -> Result<u32, StoreError> {
    let value: i64 = conn.pragma_query_value(None, pragma, |row| row.get(0))?;
    // The header holds 32 bits, which SQLite reads as signed.
    Ok((value & 0xffff_ffff) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_numbered_without_gaps_and_lead_to_the_published_version() {
        for (index, step) in STEPS.iter().enumerate() {
            assert_eq!(step.to as usize, index + 1);
        }
        assert_eq!(target(STEPS), SCHEMA_VERSION);
    }
}
