use bytes::Bytes;
use qd_api::{Change, DiffStat, Operation, ScreenReply, ScrollbackReply, SessionView};
use qd_core::{Action, Problem, Size};
use tokio::sync::{mpsc, oneshot};

use crate::doze::Candidate;
use crate::natives::Native;
use crate::ships::ShipWork;
use crate::viewer::{AttachRequest, ViewerEvent};

/// Where a session's owner is reached.
pub(crate) type SessionAddress = mpsc::Sender<SessionMessage>;

/// A viewer's number at its session.
pub(crate) type ViewerId = u64;

/// Where an answer goes.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// What of the screen is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenQuery {
    /// Lines with escape sequences for colour.
    pub ansi: bool,
    /// Lines from before the screen, too.
    pub history: bool,
}

/// What of the history is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScrollbackQuery {
    /// The first line, counted from the oldest kept.
    pub from: usize,
    /// At most so many.
    pub lines: usize,
    /// With escape sequences for colour.
    pub ansi: bool,
}

/// What of the raw output is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// The first byte; none for where the ring begins.
    pub from: Option<u64>,
}

/// What a session's owner is asked or told.
#[derive(Debug)]
pub(crate) enum SessionMessage {
    /// Register a viewer, and take the snapshot in the same turn.
    Attach { request: AttachRequest, events: mpsc::Sender<ViewerEvent>, reply: Reply<ViewerId> },
    /// A viewer types.
    ViewerInput { viewer: ViewerId, data: Bytes, paste: bool },
    /// A viewer's window changed.
    ViewerResize { viewer: ViewerId, size: Size },
    /// A viewer has drawn all before `seq`.
    ViewerAck { viewer: ViewerId, seq: u64 },
    /// A viewer takes or gives back the lease.
    ViewerLease { viewer: ViewerId, take: bool },
    /// A viewer is gone.
    ViewerLeft { viewer: ViewerId },
    /// A device's viewers are let go, because it was revoked.
    Revoke { device: String },
    /// Input that does not come from a viewer.
    Send { data: Bytes, paste: bool, enter: bool, reply: Reply<()> },
    /// Keys by name.
    Keys { keys: Vec<String>, reply: Reply<()> },
    /// A size asked for from the command line.
    Resize { size: Size, reply: Reply<()> },
    /// The screen.
    Screen { query: ScreenQuery, reply: Reply<ScreenReply> },
    /// The history.
    Scrollback { query: ScrollbackQuery, reply: Reply<ScrollbackReply> },
    /// The raw output that the ring holds: its first number and the bytes.
    Log { query: LogQuery, reply: Reply<(u64, Bytes)> },
    /// New words.
    Change { change: Change, expect: Option<u64>, reply: Reply<SessionView> },
    /// Something is to be done to it.
    Act { action: Action, expect: Option<u64>, reply: Reply<Operation> },
    /// Its program is about to be ended with the daemon.
    EndAsked { reply: Reply<()> },
    /// Native clients came, left, typed or changed their windows: all of them as they are now.
    Natives(Vec<Native>),
    /// Is it idle, and may it be hibernated to free memory? Not while somebody looks.
    Idle { reply: Reply<Option<Candidate>> },
    /// The diff was read, and counted on the way.
    Stat(DiffStat),
    /// A step of shipping its work is to begin.
    Ship { work: ShipWork, reply: Reply<Operation> },
    /// The step under way is to end.
    StopShipping { reply: Reply<()> },
}
