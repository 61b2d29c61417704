//! Against the real tmux, each test on a server of its own.

mod birth;
mod input;
mod life;
mod native;
mod restart;
mod server;
mod support;
