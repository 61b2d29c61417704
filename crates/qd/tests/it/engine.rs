//! The engine as a whole: a real daemon, a real tmux, real repositories, and the clients that a
//! person would use.

mod adopt;
mod awry;
mod backup;
mod bad;
mod chaos;
mod crash;
mod cut;
mod disk;
mod doors;
mod doze;
mod exit;
mod export;
mod flow;
mod fork;
mod gate;
mod http;
mod idle;
mod input;
mod lifecycle;
mod native;
mod own;
mod owners;
mod principals;
mod races;
mod restart;
mod run;
mod secrets;
mod seen;
mod service;
mod sharing;
mod socket;
pub mod stage;
mod terminal;
mod trash;
mod upgrade;
mod worktrees;
