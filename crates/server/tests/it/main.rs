//! The server in front of a real daemon, over real sockets.

mod events;
mod http;
mod idempotency;
mod listeners;
mod served;
mod terminal;
