//! The store: a numbered, append-only event log in SQLite, with projections,
//! an outbox and a few small tables beside it.
//!
//! The crate knows streams, versions, kinds and JSON payloads. It does not know
//! what a session is, it reads no clock (every time is an argument, in
//! milliseconds since the Unix epoch), and no SQL or SQLite type leaves it.
//!
//! # Who owns what
//!
//! One operating-system thread owns the only connection that writes; it takes
//! requests from a bounded queue. A few other threads own read-only connections.
//! [`Store`] owns the threads and is not `Clone`; [`StoreHandle`] is an address
//! that can be copied freely and grants nothing but the right to ask.
//!
//! # Durability
//!
//! The log is in WAL mode. What was acknowledged survives the end of the
//! process in any case, `SIGKILL` included. Whether it survives a power cut
//! depends on [`Durability`]:
//!
//! * [`Durability::Normal`] (`synchronous=NORMAL`): a power cut may take the last
//!   acknowledged changes; the file stays consistent. Ordinary appends.
//! * [`Durability::Full`] (`synchronous=FULL`): one `fsync` of the WAL before the
//!   answer. Always used for what others will rely on outside the store: appends
//!   that carry outbox rows or blank a stream, reserved sequence numbers, spent login codes,
//!   devices, and `meta`. One `fsync` covers a whole batch and all before it.
//!
//! # Cancellation
//!
//! A write whose future is dropped after it was queued is carried out all the
//! same; only its answer is lost. Ask again with the same idempotency key.

mod backup;
mod connect;
mod copy;
mod devices;
mod error;
mod event_log;
mod handle;
mod home;
mod idempotency;
mod job;
mod lock;
mod login_codes;
mod meta;
mod open;
mod outbox;
mod programs;
mod projections;
mod reader;
mod schema;
mod sequences;
mod store;
mod writer;

pub use copy::DatabaseCopy;
pub use devices::{Device, NewDevice};
pub use error::StoreError;
pub use event_log::{Append, Appended, Expect, NewEvent, StoredEvent};
pub use handle::StoreHandle;
pub use home::Warning;
pub use idempotency::{RESPONSE_LIFETIME_MS, Remember};
pub use lock::HomeLock;
pub use login_codes::LoginCode;
pub use open::{StoreOptions, can_read};
pub use outbox::{NewOutboxItem, OutboxItem};
pub use projections::ProjectionWrite;
pub use schema::SCHEMA_VERSION;
pub use store::{Durability, Store};
