//! Tests of `qd-screen` through its public interface.

mod hostile;
mod resume;
mod ring;
mod state;
mod stream;
