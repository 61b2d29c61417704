//! The actors of Quarterdeck and their wiring.
//!
//! Each resource has one owner, held by value in one task: a session actor owns its pane,
//! screen, ring and state; a repository actor owns the right to change one repository; the
//! store's writer owns the database. All else holds addresses: [`DaemonHandle`] and [`Viewer`]
//! grant nothing but the right to ask.

mod handle;
mod message;
mod principal;
mod viewer;

pub use handle::{DaemonHandle, SessionsView, Ticket, Turn, ViewSignal};
pub use message::{LogQuery, ScreenQuery, ScrollbackQuery};
pub use principal::{Denied, Principal};
pub use viewer::{AttachRequest, Viewer, ViewerEvent, ViewerGone};
