//! The session machine as a whole: every order in which things can happen, and its tables.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod lifecycle;
mod model;
