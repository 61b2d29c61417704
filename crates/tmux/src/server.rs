//! One tmux server, and the one owner of its control connection.
//!
//! [`TmuxServer`] owns; [`ServerHandle`] is an address that anyone may hold. The
//! server itself outlives both: dropping them closes the control client and
//! nothing else. It ends only by [`ServerHandle::kill_server`].
//!
//! Tried and found on tmux 3.3a:
//! - `set -g window-size manual` in the configuration ends the server with
//!   SIGSEGV at its first `new-session`. The option is therefore set on each
//!   window, in the same command list that makes it.
//! - A control client whose stdout nobody reads any more survives `kill-server`
//!   together with its server. Ending the server is bounded here and ends with
//!   SIGKILL through a process descriptor, taken while the server answered.
//! - A daemon that is killed takes its control client with it (end of file on
//!   its stdin).

mod actor;
mod config;
mod connect;
mod handle;
mod link;
mod probe;
mod version;

pub use actor::TmuxServer;
pub use config::{HOLD_SESSION, ServerConfig, scrubbed_env};
pub use handle::{ServerHandle, ServerInfo, ServerState};
pub use probe::Presence;
pub(crate) use probe::{Identity, listening};
pub use version::Version;
pub(crate) use version::check as check_age;
