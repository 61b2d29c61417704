//! Real git in temporary folders, with the default configuration and with a hostile one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod base;
mod belts;
mod delivery;
mod diff;
mod discover;
mod fixture;
mod fork;
mod include;
mod polling;
mod process;
mod rebuild;
mod rebuild_by_hand;
mod script;
mod ship;
mod trash;
mod trash_refusals;
mod worktree;
