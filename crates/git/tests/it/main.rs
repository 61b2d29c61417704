//! Real git in temporary folders, with the default configuration and with a hostile one.

mod base;
mod diff;
mod discover;
mod fixture;
mod include;
mod process;
mod trash;
mod worktree;
