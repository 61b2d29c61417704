//! The store on real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod concurrency;
mod copy;
mod crash;
mod follow;
mod lifecycle;
mod log;
mod refusal;
mod small_tables;
mod support;
