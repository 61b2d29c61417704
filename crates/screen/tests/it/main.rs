//! Tests of `qd-screen` through its public interface.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails the test")]

mod differential;
mod history;
mod hostile;
mod recorded;
mod resume;
mod ring;
mod state;
mod stream;
mod tmux;
