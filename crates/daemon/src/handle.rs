use std::sync::Arc;

use bytes::Bytes;
use qd_api::{
    AgentInfo, Branches, Change, Device, DiffReply, DoctorReport, EventRecord, FilePatch, Input,
    LoginReply, NewSession, Operation, Paths, RepoInfo, ScreenReply, ScrollbackReply, SessionView,
};
use qd_core::{Problem, SessionId, Size};
use tokio::sync::broadcast;

use crate::message::{LogQuery, ScreenQuery, ScrollbackQuery};
use crate::viewer::{AttachRequest, Viewer};
use crate::{Denied, Principal};

/// The address of a daemon: what the server may ask of it. Cheap to clone.
///
/// Every method that changes something sends a command to an owner and waits for its answer;
/// dropping the future leaves the command running.
#[derive(Clone, Debug)]
pub struct DaemonHandle {}

/// The sessions at one moment, in the order of their making.
pub type SessionsView = Vec<Arc<SessionView>>;

/// What changed in the views; a hint to read again, not the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewSignal {
    /// This session's view changed.
    Session(SessionId),
    /// This session is in no list any more.
    Gone(SessionId),
}

/// What a request with an idempotency key is to do.
#[derive(Debug)]
pub enum Turn {
    /// Do the work, then give the answer to the ticket.
    First(Ticket),
    /// It was done: the answer (HTTP status and body, as the first comer gave it).
    Answered(serde_json::Value),
}

/// The right to answer for an idempotency key. Dropped unanswered, the next comer has the turn.
#[derive(Debug)]
pub struct Ticket {}

impl Ticket {
    /// Keeps the answer for a day and gives it to all who wait.
    pub async fn answer(self, answer: serde_json::Value) { todo(answer) }
}

impl DaemonHandle {
    /// Makes a session; answers as soon as it is on record, while the work goes on.
    pub async fn create(&self, request: NewSession) -> Result<SessionView, Problem> { todo(request) }
    /// All sessions outside the trash. No actor is asked: this reads the views.
    pub fn list(&self) -> SessionsView { todo(()) }
    /// All sessions in the trash.
    pub fn trash_list(&self) -> SessionsView { todo(()) }
    /// One session; `id` may be an id, a unique prefix of one, or `title:TEXT`. Sessions in the trash too.
    pub fn find(&self, id: &str) -> Result<Arc<SessionView>, Problem> { todo(id) }
    /// Signals on which views changed. Lagging means: read the list again.
    pub fn view_signals(&self) -> broadcast::Receiver<ViewSignal> { todo(()) }
    /// Changes words of a session, if it still has the version `expect`.
    pub async fn change(&self, id: &SessionId, change: Change, expect: Option<u64>) -> Result<SessionView, Problem> { todo((id, change, expect)) }
    /// Puts a session in the trash.
    pub async fn trash(&self, id: &SessionId, expect: Option<u64>) -> Result<Operation, Problem> { todo((id, expect)) }
    /// Takes a session out of the trash.
    pub async fn restore(&self, id: &SessionId, expect: Option<u64>) -> Result<Operation, Problem> { todo((id, expect)) }
    /// Ends a session in the trash for good.
    pub async fn purge(&self, id: &SessionId, expect: Option<u64>) -> Result<Operation, Problem> { todo((id, expect)) }
    /// The operation that is under way, or was last, for an operation id.
    pub fn operation(&self, id: &str) -> Result<Operation, Problem> { todo(id) }
    /// The screen.
    pub async fn screen(&self, id: &SessionId, query: ScreenQuery) -> Result<ScreenReply, Problem> { todo((id, query)) }
    /// The history before the screen.
    pub async fn scrollback(&self, id: &SessionId, query: ScrollbackQuery) -> Result<ScrollbackReply, Problem> { todo((id, query)) }
    /// Raw output: the number of the first byte, and the bytes that the ring holds from there.
    pub async fn log(&self, id: &SessionId, query: LogQuery) -> Result<(u64, Bytes), Problem> { todo((id, query)) }
    /// Types text or bytes.
    pub async fn send(&self, id: &SessionId, input: Input) -> Result<(), Problem> { todo((id, input)) }
    /// Presses keys by name.
    pub async fn keys(&self, id: &SessionId, keys: Vec<String>) -> Result<(), Problem> { todo((id, keys)) }
    /// Sets the size of the terminal.
    pub async fn resize(&self, id: &SessionId, size: Size) -> Result<(), Problem> { todo((id, size)) }
    /// What a session changed.
    pub async fn diff(&self, id: &SessionId) -> Result<DiffReply, Problem> { todo(id) }
    /// The patch of one file of a diff; `whole` asks for all of a file that would be cut.
    pub async fn file_patch(&self, id: &SessionId, path: String, whole: bool) -> Result<FilePatch, Problem> { todo((id, path, whole)) }
    /// A place at a session's terminal.
    pub async fn attach(&self, id: &SessionId, request: AttachRequest) -> Result<Viewer, Problem> { todo((id, request)) }
    /// Events after number `since`, at most `limit`.
    pub async fn events(&self, since: u64, limit: usize) -> Result<Vec<EventRecord>, Problem> { todo((since, limit)) }
    /// The number of the newest event; changes when there is a newer one.
    pub fn latest_event(&self) -> tokio::sync::watch::Receiver<u64> { todo(()) }
    /// Agents that can be started.
    pub async fn agents(&self) -> Vec<AgentInfo> { todo(()) }
    /// Repositories that sessions worked in, most recent first.
    pub fn repos(&self) -> Vec<RepoInfo> { todo(()) }
    /// The branches of a repository.
    pub async fn branches(&self, path: &str) -> Result<Branches, Problem> { todo(path) }
    /// Folders that begin with a prefix.
    pub async fn paths(&self, prefix: &str) -> Result<Paths, Problem> { todo(prefix) }
    /// What is missing or wrong.
    pub async fn doctor(&self) -> DoctorReport { todo(()) }
    /// Whom a token belongs to.
    pub async fn authenticate(&self, token: Option<&str>) -> Result<Principal, Denied> { todo(token) }
    /// Whom a process belongs to that came by the Unix socket: a session when it runs beneath
    /// one of our pane inits, else the owner. The uid was checked before.
    pub async fn principal_of_process(&self, pid: i32) -> Principal { todo(pid) }
    /// Makes a login code, good for ten minutes, once.
    pub async fn login_code(&self) -> Result<String, Problem> { todo(()) }
    /// Trades a login code for a token.
    pub async fn login(&self, code: &str, device: Option<String>) -> Result<LoginReply, Problem> { todo((code, device)) }
    /// Devices that may come in; `current` is that of the asker.
    pub async fn devices(&self, asker: &Principal) -> Result<Vec<Device>, Problem> { todo(asker) }
    /// Takes a device's token away and lets its viewers go.
    pub async fn revoke(&self, device: &str) -> Result<(), Problem> { todo(device) }
    /// Takes a turn at an idempotency key: the first comer does the work, all others wait for its
    /// answer, also when they come at the same time.
    ///
    /// # Errors
    /// `idempotency_key_reused` when the key was used for another request.
    pub async fn idempotency(&self, key: &str, fingerprint: &str) -> Result<Turn, Problem> { todo((key, fingerprint)) }
    /// Asks the daemon to stop; with `sessions`, the sessions end too.
    pub async fn stop(&self, sessions: bool) { todo(sessions) }
    /// Resolves when the daemon begins to stop: let viewers go, finish requests.
    pub fn stopping(&self) -> tokio_util::sync::CancellationToken { todo(()) }
}

#[expect(clippy::unimplemented, reason = "replaced by the actors")]
fn todo<T, R>(_: T) -> R { unimplemented!() }
