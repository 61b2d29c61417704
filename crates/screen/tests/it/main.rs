//! Tests of `qd-screen` through its public interface.

mod differential;
mod history;
mod hostile;
mod recorded;
mod resume;
mod ring;
mod state;
mod stream;
mod tmux;
