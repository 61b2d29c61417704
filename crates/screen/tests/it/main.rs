//! Tests of `qd-screen` through its public interface.

mod differential;
mod hostile;
mod resume;
mod ring;
mod state;
mod stream;
mod tmux;
