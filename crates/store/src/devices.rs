//! Devices that may log in. Their tokens are kept as hashes only.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::{Durability, StoreError, StoreHandle};

const COLUMNS: &str = "id, name, created_at_ms, last_seen_ms, revoked_at_ms";

/// A device to add.
#[derive(Clone, PartialEq, Eq)]
pub struct NewDevice {
    /// Its id.
    pub id: String,
    /// A name for people.
    pub name: String,
    /// The SHA-256 of its token, which must be random (a hash of a guessable
    /// secret would not protect it).
    pub token_hash: [u8; 32],
    /// Now, in milliseconds since the Unix epoch.
    pub created_at_ms: i64,
}

impl std::fmt::Debug for NewDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewDevice").field("id", &self.id).field("name", &self.name).finish()
    }
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its id.
    pub id: String,
    /// A name for people.
    pub name: String,
    /// When it was added, in milliseconds since the Unix epoch.
    pub created_at_ms: i64,
    /// When it was last seen, if ever.
    pub last_seen_ms: Option<i64>,
    /// When it was revoked, if it was.
    pub revoked_at_ms: Option<i64>,
}

impl StoreHandle {
    /// Adds a device.
    ///
    /// # Errors
    ///
    /// [`StoreError::DeviceExists`] if its id or its token is known.
    pub async fn add_device(&self, device: NewDevice) -> Result<(), StoreError> {
        self.write(Durability::Full, move |conn| {
            let added = conn
                .prepare_cached(
                    "INSERT INTO devices (id, name, token_hash, created_at_ms)
                     VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                )?
                .execute(params![
                    device.id,
                    device.name,
                    device.token_hash,
                    device.created_at_ms
                ])?;
            if added == 1 { Ok(()) } else { Err(StoreError::DeviceExists { id: device.id }) }
        })
        .await
    }

    /// The device with this token; `None` if there is none or it was revoked.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn device_by_token(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<Device>, StoreError> {
        self.read(move |conn| {
            let sql = format!(
                "SELECT {COLUMNS} FROM devices WHERE token_hash = ?1 AND revoked_at_ms IS NULL"
            );
            Ok(conn.prepare_cached(&sql)?.query_row(params![token_hash], read).optional()?)
        })
        .await
    }

    /// All devices, revoked ones too, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a read.
    pub async fn devices(&self) -> Result<Vec<Device>, StoreError> {
        self.read(|conn| {
            let sql = format!("SELECT {COLUMNS} FROM devices ORDER BY created_at_ms, id");
            let mut statement = conn.prepare_cached(&sql)?;
            let devices = statement.query_map([], read)?.collect::<Result<_, _>>()?;
            Ok(devices)
        })
        .await
    }

    /// Notes that a device was seen. Time never goes back. `false` if there is no such device.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn device_seen(&self, id: &str, at_ms: i64) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Durability::Normal, move |conn| {
            update(
                conn,
                "UPDATE devices SET last_seen_ms = max(coalesce(last_seen_ms, ?2), ?2)
                 WHERE id = ?1",
                &id,
                at_ms,
            )
        })
        .await
    }

    /// Revokes a device for good. `false` if there is none or it was revoked before.
    ///
    /// # Errors
    ///
    /// [`StoreError::Closed`] and the errors of a write.
    pub async fn revoke_device(&self, id: &str, at_ms: i64) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Durability::Full, move |conn| {
            update(
                conn,
                "UPDATE devices SET revoked_at_ms = ?2 WHERE id = ?1 AND revoked_at_ms IS NULL",
                &id,
                at_ms,
            )
        })
        .await
    }
}

fn update(conn: &Connection, sql: &str, id: &str, at_ms: i64) -> Result<bool, StoreError> {
    Ok(conn.prepare_cached(sql)?.execute(params![id, at_ms])? == 1)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Device> {
    Ok(Device {
        id: row.get(0)?,
        name: row.get(1)?,
        created_at_ms: row.get(2)?,
        last_seen_ms: row.get(3)?,
        revoked_at_ms: row.get(4)?,
    })
}
