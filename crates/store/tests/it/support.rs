//! What the tests share.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use qd_store::{Append, NewEvent, Store, StoreHandle, StoreOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Far more than anything here takes; only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn event(kind: &str, data: Value) -> NewEvent {
    NewEvent { kind: kind.into(), data }
}

/// An append of one event.
pub fn one(stream: &str, n: u64) -> Append {
    Append::new(stream, 1_000, vec![event("happened", json!({ "n": n }))])
}

pub fn open(dir: &TempDir) -> (Store, StoreHandle) {
    Store::open(dir.path(), StoreOptions::default()).expect("the store opens")
}

pub fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("the file is there").permissions().mode() & 0o7777
}
