//! The engine as a whole: a real daemon, a real tmux, real repositories, and the clients that a
//! person would use.

mod flow;
mod http;
mod input;
mod sharing;
mod socket;
mod stage;
mod terminal;
