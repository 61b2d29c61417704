//! The engine as a whole: a real daemon, a real tmux, real repositories, and the clients that a
//! person would use.

mod bad;
mod chaos;
mod doors;
mod doze;
mod exit;
mod flow;
mod http;
mod idle;
mod input;
mod native;
mod owners;
mod principals;
mod races;
mod restart;
mod run;
mod secrets;
mod sharing;
mod socket;
mod stage;
mod terminal;
mod trash;
mod worktrees;
