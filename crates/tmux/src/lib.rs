//! The terminal host: tmux holds every pseudo-terminal, this crate holds tmux.
//!
//! - [`control`]: the control-mode protocol as data, with no I/O.
//! - [`server`]: the owner of one tmux server and its one control connection.
//! - [`init`]: what runs inside each pane as the parent of the program (plain
//!   blocking code, started as `qd internal …`).
//! - [`pane`]: the owner of one pane: its byte stream, its life, its end.
//! - [`foreign`]: panes of servers that are not ours: looked at, tapped, let go of.
//! - [`native`]: people who attach with `tmux` itself.
//! - [`runtime_dir`]: where sockets live when a home's path is too long for one.
//!
//! The bytes of a pane never pass through control mode. tmux is told to
//! `pipe-pane -IO` into a helper that hands its own end of tmux's socket pair
//! to the pane's init, and the init hands a duplicate to the daemon. Measured on
//! tmux 3.3a this is 2 to 4 times the throughput of `%output` and the only tap
//! that is exact in both directions.
//!
//! Architecture invariant: nothing outside [`server`], [`foreign`] and [`init`] starts
//! a process, and nothing addresses a pane by a name that a person may change.

pub mod control;
mod error;
mod fdpass;
pub mod foreign;
mod ids;
pub mod init;
pub mod native;
pub mod pane;
mod process;
pub mod runtime_dir;
pub mod server;
pub mod spec;
pub mod wire;

pub use error::{Error, Result};
pub use ids::{Generation, PaneId, PaneRef, SessionKey, SessionRef, WindowRef};
