//! Every order in which a person, a daemon, tmux, git and a crash can act on sessions, walked
//! breadth first. What is decided is decided by the real [`qd_core::decide`],
//! [`qd_core::evolve`], [`qd_core::next`], [`qd_core::found`] and [`qd_core::may_run`]; what the
//! daemon does around them is mirrored, and says which lines it mirrors.

mod cell;
mod checks;
mod jobs;
mod log;
mod moves;
mod owner;
mod planted;
mod rules;
pub mod samples;
mod search;
mod walks;
