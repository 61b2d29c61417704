//! The typed client of a Quarterdeck daemon, over its Unix socket.
//!
//! Every call is one request on a connection of its own, bounded in time. What goes wrong comes
//! back as a [`qd_core::Problem`]: the daemon's own words where it answered, `no_daemon` where
//! nothing did. A connection that breaks before the answer is tried again; a POST carries the
//! same `Idempotency-Key` then, so it is done once.

mod call;
mod connection;
mod events;
mod methods;
mod path;
mod sse;

pub use call::Client;
pub use events::{EventStream, StreamItem};
pub use methods::LogPart;
pub use path::socket_of;
