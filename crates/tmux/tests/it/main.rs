//! Against the real tmux, each test on a server of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests: a failure is to end them"
)]

mod birth;
mod ending;
mod foreign;
mod input;
mod life;
mod lost;
mod measure;
mod native;
mod restart;
#[path = "../../../git/tests/it/script.rs"]
mod script;
mod server;
mod support;
