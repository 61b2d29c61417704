//! The server in front of a real daemon, over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, also in a helper"
)]

mod events;
mod http;
mod idempotency;
mod listeners;
mod served;
mod terminal;
