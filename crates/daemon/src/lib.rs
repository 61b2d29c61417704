//! The actors of Quarterdeck and their wiring.
//!
//! Each resource has one owner, held by value in one task: a session's owner has its pane,
//! screen, ring and state; a repository's owner has the right to change it; the store's writer
//! has the database. All else holds addresses: [`DaemonHandle`] and [`Viewer`] grant nothing but
//! the right to ask.

mod agents;
mod auth;
pub mod backup;
mod clock;
mod daemon;
mod diffs;
mod doctor;
mod doze;
mod expiry;
mod handle;
mod home;
mod idempotency;
mod launch;
mod message;
mod natives;
mod panes;
mod paths;
mod peers;
mod principal;
mod problems;
mod redraw;
mod repos;
mod select;
mod session;
mod settings;
mod shared;
mod sharers;
mod ships;
mod starts;
mod step;
mod supervisor;
mod sweep;
mod trash;
mod viewer;

pub use clock::Clock;
pub use daemon::{Claim, Daemon, DaemonConfig, can_read};
pub use handle::{DaemonHandle, SessionsView, ViewSignal};
pub use home::Home;
pub use idempotency::{Ticket, Turn};
pub use message::{LogQuery, ScreenQuery, ScrollbackQuery};
pub use peers::{Standing, standing};
pub use principal::{Denied, Principal};
pub use settings::{Hibernate, Settings};
pub use viewer::{AttachRequest, Viewer, ViewerEvent, ViewerGone};
