//! Tests of `qd-screen` through its public interface.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod differential;
mod history;
mod hostile;
mod recorded;
mod resume;
mod ring;
mod state;
mod stream;
mod tmux;
