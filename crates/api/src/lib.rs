//! The wire types of Quarterdeck: what travels over HTTP, the event stream and the terminal
//! WebSocket. They know serde and OpenAPI, and no web framework.

mod create;
mod diff;
mod event;
mod lifecycle;
mod meta;
mod problem;
mod screen;
mod session;
mod ship;
mod terminal;

pub use create::{AgentInfo, Branches, NewAdoption, NewSession, Paths, RepoInfo};
pub use diff::{DiffBase, DiffFile, DiffReply, DiffTotals, FilePatch, FileStatus};
pub use event::{EventRecord, GoneEvent, StreamHead};
pub use lifecycle::{LossCommit, LossCommits, LossFiles, LossView, NewFork, NewShell};
pub use meta::{
    Check, ConfigValue, ConfigView, Device, DeviceList, DoctorReport, Health, LoginCode,
    LoginReply, LoginRequest, PairLink, Pairing, Serving, StopRequest, TlsView,
};
pub use problem::ProblemBody;
pub use screen::{Cursor, Input, Keys, Modes, ResizeRequest, ScreenReply, ScrollbackReply};
pub use session::{
    AdoptedView, AttentionView, Change, DiffStat, Evidence, ExitView, Operation, PaneView,
    SessionView,
};
pub use ship::{
    MergeView, NewCommit, NewMerge, NewPush, NewRebuild, RebuildCommit, RebuildView, ShipBase,
    ShipCommit, ShipFiles, ShipRemote, ShipSession, ShipUndo, ShipView, ShippingView,
};
pub use terminal::{ClientFrame, ServerFrame, TERMINAL_PROTOCOL, TOKEN_PROTOCOL_PREFIX};

/// RFC 3339 text as milliseconds since the epoch; none for anything else.
#[must_use]
pub fn millis(text: &str) -> Option<qd_core::Millis> {
    text.parse().ok().map(|at: jiff::Timestamp| qd_core::Millis(at.as_millisecond()))
}

/// Milliseconds since the epoch as RFC 3339 text in UTC.
#[must_use]
pub fn rfc3339(at: qd_core::Millis) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| String::new(), |t| t.to_string())
}
