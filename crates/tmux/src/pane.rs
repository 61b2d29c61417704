//! One pane: its stream, its program's life, its end.
//!
//! [`PaneHost`] owns the socket where inits announce themselves; [`Panes`] is its
//! address and makes [`Pane`]s, each the one link to the init of one pane. The
//! stream itself is a [`Tap`]: bytes out of the pane, and bytes as if typed.
//!
//! A [`Tap`] must be dropped before (or with) its [`Pane`]: once the link is
//! closed the init takes over reading, and only one may read.
//!
//! How the end of the output is known: a program that prints and exits at once
//! has bytes under way in the kernel and in tmux when its end is told, and no
//! question to either says so. So the init writes a mark to the same terminal
//! after the program's end; what comes before the mark in the stream is all that
//! the program printed. The mark is an unknown OSC, which terminals pass over;
//! [`TapReader`] takes it out.

mod capture;
mod close;
mod conn;
mod create;
mod gate;
mod host;
mod link;
mod list;
mod reconnect;
mod retap;
mod size;
mod tap;

pub use capture::Snapshot;
pub(crate) use capture::{FORMAT as SNAPSHOT, parse as parse_snapshot};
pub use create::CreatePane;
pub(crate) use create::nonce;
pub use gate::InputGate;
pub(crate) use host::TapRequest;
pub use host::{HostConfig, PaneHost, Panes};
pub use link::{Pane, PaneEvent};
pub use list::ListedPane;
pub use reconnect::{Gone, Reconnect, Reconnected};
pub use tap::{Tap, TapRead, TapReader, TapWriter};
