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
#[path = "../../../git/tests/it/script.rs"]
mod script;
mod served;
mod terminal;
mod tls;
