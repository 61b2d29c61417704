mod adopt;
mod desk;
mod export;
mod fork;
mod loss;
mod operation;
mod shell;
mod ship;

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use qd_api::{
    Change, DiffReply, EventRecord, FilePatch, Input, NewSession, Operation, ScreenReply,
    ScrollbackReply, SessionView, rfc3339,
};
use qd_core::{Action, Code, Millis, Problem, SessionId, Size};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::idempotency::{Asked, Turn};
use crate::message::{
    LogQuery, Reply, ScreenQuery, ScrollbackQuery, SessionAddress, SessionMessage,
};
use crate::session::VIEWER_QUEUE;
use crate::shared::{Entry, Registry, Shared};
use crate::supervisor::{SupervisorMessage, Wanted};
use crate::viewer::{AttachRequest, Viewer, gone};
use crate::{diffs, launch, problems, select, sharers};

/// The address of a daemon: what the server may ask of it. Cheap to clone.
///
/// Every method that changes something sends a command to an owner and waits for its answer;
/// dropping the future leaves the command running.
#[derive(Clone, Debug)]
pub struct DaemonHandle {
    shared: Arc<Shared>,
}

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

impl DaemonHandle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Makes a session; answers as soon as it is on record, while the work goes on.
    ///
    /// # Errors
    /// What is wrong with the request, before anything is made.
    pub async fn create(&self, request: NewSession) -> Result<SessionView, Problem> {
        let shared_folder = request.shared;
        let (launch, repo) = launch::read(
            request,
            &self.shared.env,
            &self.shared.git,
            &self.shared.agents.catalog(),
        )
        .await?;
        self.make(Wanted { launch: Box::new(launch), repo, shared_folder, fork: None }).await
    }

    async fn make(&self, wanted: Wanted) -> Result<SessionView, Problem> {
        self.shared.panes.version().await?;
        let wanted = Box::new(wanted);
        self.supervised(|reply| SupervisorMessage::Create { wanted, reply }).await
    }

    async fn supervised(
        &self,
        message: impl FnOnce(Reply<Arc<SessionView>>) -> SupervisorMessage,
    ) -> Result<SessionView, Problem> {
        let (reply, answer) = oneshot::channel();
        self.shared.supervisor.send(message(reply)).await.map_err(|_| problems::stopping())?;
        let view = answer.await.map_err(|_| problems::stopping())??;
        Ok(view.as_ref().clone())
    }

    /// All sessions outside the trash. No actor is asked: this reads the views.
    #[must_use]
    pub fn list(&self) -> SessionsView {
        self.views(|view| view.state != "trashed")
    }

    /// All sessions in the trash.
    #[must_use]
    pub fn trash_list(&self) -> SessionsView {
        self.views(|view| view.state == "trashed")
    }

    /// One session; `id` may be an id, a unique prefix of one, or `title:TEXT`. Sessions in the
    /// trash too.
    ///
    /// # Errors
    /// [`Code::UnknownSession`], or [`Code::AmbiguousId`] with the ids that fit in its hint.
    pub fn find(&self, id: &str) -> Result<Arc<SessionView>, Problem> {
        let views = self.views(|_| true);
        select::one(&views, id)
    }

    /// Signals on which views changed. Lagging means: read the list again.
    #[must_use]
    pub fn view_signals(&self) -> broadcast::Receiver<ViewSignal> {
        self.shared.signals.subscribe()
    }

    /// Changes words of a session, if it still has the version `expect`.
    ///
    /// # Errors
    /// A field that cannot be, or [`Code::VersionConflict`].
    pub async fn change(
        &self,
        id: &SessionId,
        change: Change,
        expect: Option<u64>,
    ) -> Result<SessionView, Problem> {
        self.ask(id, |reply| SessionMessage::Change { change, expect, reply }).await
    }

    /// Begins what a person wants done to a session, or finds that it is under way or done.
    ///
    /// # Errors
    /// [`Code::VersionConflict`], [`Code::StateConflict`], or [`Code::WorktreeInUse`] when its
    /// files would be moved under another session.
    pub async fn act(
        &self,
        id: &SessionId,
        action: Action,
        expect: Option<u64>,
    ) -> Result<Operation, Problem> {
        if matches!(action, Action::Trash | Action::Pause) {
            sharers::refuse(&self.shared, id).await?;
        }
        self.ask(id, |reply| SessionMessage::Act { action, expect, reply }).await
    }

    /// The screen.
    ///
    /// # Errors
    /// [`Code::UnknownSession`].
    pub async fn screen(&self, id: &SessionId, query: ScreenQuery) -> Result<ScreenReply, Problem> {
        self.ask(id, |reply| SessionMessage::Screen { query, reply }).await
    }

    /// The history before the screen.
    ///
    /// # Errors
    /// [`Code::UnknownSession`].
    pub async fn scrollback(
        &self,
        id: &SessionId,
        query: ScrollbackQuery,
    ) -> Result<ScrollbackReply, Problem> {
        self.ask(id, |reply| SessionMessage::Scrollback { query, reply }).await
    }

    /// Raw output: the number of the first byte, and the bytes that the ring holds from there.
    ///
    /// # Errors
    /// [`Code::UnknownSession`].
    pub async fn log(&self, id: &SessionId, query: LogQuery) -> Result<(u64, Bytes), Problem> {
        self.ask(id, |reply| SessionMessage::Log { query, reply }).await
    }

    /// Types text or bytes; answers when the last byte was handed to the terminal.
    ///
    /// # Errors
    /// [`Code::StateConflict`] when nothing runs, [`Code::InputFull`] when it does not read.
    pub async fn send(&self, id: &SessionId, input: Input) -> Result<(), Problem> {
        let data = match (input.text, input.data) {
            (Some(text), None) => Bytes::from(text),
            (None, Some(data)) => {
                let bytes = base64::engine::general_purpose::STANDARD.decode(data);
                Bytes::from(bytes.map_err(|_| {
                    Problem::new(
                        Code::FieldInvalid,
                        "The data is not base64.",
                        "Send text as `text`, and bytes in standard base64 as `data`.",
                    )
                    .on("data")
                })?)
            }
            (None, None) if input.enter => Bytes::new(),
            _ => {
                return Err(Problem::new(
                    Code::FieldInvalid,
                    "Exactly one of `text` and `data` is wanted.",
                    "Send text as `text`, and bytes in standard base64 as `data`.",
                )
                .on("text"));
            }
        };
        let (paste, enter) = (input.paste, input.enter);
        self.ask(id, |reply| SessionMessage::Send { data, paste, enter, reply }).await
    }

    /// Presses keys by name.
    ///
    /// # Errors
    /// As [`DaemonHandle::send`], and [`Code::FieldInvalid`] for a name that is none.
    pub async fn keys(&self, id: &SessionId, keys: Vec<String>) -> Result<(), Problem> {
        self.ask(id, |reply| SessionMessage::Keys { keys, reply }).await
    }

    /// Sets the size of the terminal.
    ///
    /// # Errors
    /// [`Code::StateConflict`] when nothing runs.
    pub async fn resize(&self, id: &SessionId, size: Size) -> Result<(), Problem> {
        self.ask(id, |reply| SessionMessage::Resize { size, reply }).await
    }

    /// What a session changed.
    ///
    /// # Errors
    /// When it has no files yet, works in no repository, or git cannot be asked.
    pub async fn diff(&self, id: &SessionId) -> Result<DiffReply, Problem> {
        let place = self.place(id)?;
        let diff = diffs::list(&self.shared.git, &place, self.shared.clock.now()).await?;
        let stat = qd_api::DiffStat {
            files: diff.totals.files,
            additions: diff.totals.additions,
            deletions: diff.totals.deletions,
        };
        // Only to keep the list in step; a full mailbox does not matter.
        let _ = self.address(id)?.try_send(SessionMessage::Stat(stat));
        Ok(diff)
    }

    /// The patch of one file of a diff; `whole` asks for more of a file that would be cut.
    ///
    /// # Errors
    /// As [`DaemonHandle::diff`], and when the file is not changed.
    pub async fn file_patch(
        &self,
        id: &SessionId,
        path: &str,
        old_path: Option<&str>,
        whole: bool,
    ) -> Result<FilePatch, Problem> {
        let place = self.place(id)?;
        diffs::patch(&self.shared.git, &place, path, old_path, whole).await
    }

    /// A place at a session's terminal.
    ///
    /// # Errors
    /// [`Code::UnknownSession`].
    pub async fn attach(&self, id: &SessionId, request: AttachRequest) -> Result<Viewer, Problem> {
        let (sender, events) = mpsc::channel(VIEWER_QUEUE);
        let session = self.address(id)?;
        let viewer =
            self.ask(id, |reply| SessionMessage::Attach { request, events: sender, reply }).await?;
        Ok(Viewer { id: viewer, session, events })
    }

    /// Events after number `since`, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn events(&self, since: u64, limit: usize) -> Result<Vec<EventRecord>, Problem> {
        let events = self
            .shared
            .store
            .events(since, limit)
            .await
            .map_err(|error| problems::store(&error))?;
        Ok(events
            .into_iter()
            .map(|event| EventRecord {
                number: event.number,
                at: rfc3339(Millis(event.at_ms)),
                session: event.stream,
                kind: event.kind,
                data: event.data,
            })
            .collect())
    }

    /// The number of the newest event; changes when there is a newer one.
    #[must_use]
    pub fn latest_event(&self) -> watch::Receiver<u64> {
        self.shared.store.subscribe()
    }

    /// Takes a turn at an idempotency key: the first comer does the work, all others wait for its
    /// answer, also when they come at the same time.
    ///
    /// # Errors
    /// [`Code::KeyReused`] when the key was used for another request.
    pub async fn idempotency(&self, key: &str, fingerprint: &str) -> Result<Turn, Problem> {
        let (reply, answer) = oneshot::channel();
        let asked = Asked { key: key.to_owned(), fingerprint: fingerprint.to_owned(), reply };
        self.shared.idempotency.send(asked).await.map_err(|_| problems::stopping())?;
        answer.await.map_err(|_| problems::stopping())?
    }

    /// Asks the daemon to stop; with `sessions`, the sessions end too, and stay on record.
    ///
    /// # Errors
    /// When sessions were to end and the terminal server could not be told.
    pub async fn stop(&self, sessions: bool) -> Result<(), Problem> {
        if sessions {
            let ids: Vec<_> = self.shared.registry.borrow().keys().cloned().collect();
            for id in ids {
                // So that the next start does not take it for a loss. One that is gone has none.
                let _ = self.ask(&id, |reply| SessionMessage::EndAsked { reply }).await;
            }
            self.shared.panes.end_all().await?;
        }
        self.shared.stop.cancel();
        Ok(())
    }

    /// Is cancelled when the daemon begins to stop: let viewers go, finish requests.
    #[must_use]
    pub fn stopping(&self) -> CancellationToken {
        self.shared.stop.clone()
    }

    /// The daemon's version.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.shared.version
    }

    fn views(&self, keep: impl Fn(&SessionView) -> bool) -> SessionsView {
        let registry: Arc<Registry> = Arc::clone(&self.shared.registry.borrow());
        let mut shown: Vec<_> = registry
            .values()
            .map(|entry: &Entry| Arc::clone(&entry.view.borrow()))
            .filter(|shown| keep(&shown.view))
            .collect();
        shown.sort_by_key(|shown| shown.created_at);
        shown.iter().map(|shown| Arc::clone(&shown.view)).collect()
    }

    fn address(&self, id: &SessionId) -> Result<SessionAddress, Problem> {
        self.shared.registry.borrow().get(id).map(|e| e.address.clone()).ok_or_else(gone)
    }

    fn place(&self, id: &SessionId) -> Result<qd_core::Place, Problem> {
        let registry = self.shared.registry.borrow();
        let entry = registry.get(id).ok_or_else(gone)?;
        let shown = entry.view.borrow();
        let Some(mut place) = shown.place.clone() else {
            return Err(Problem::new(
                Code::StateConflict,
                "The session has no files yet.",
                "Wait until it runs, then ask again.",
            ));
        };
        if let Some(parked_at) = &shown.parked_at {
            place.worktree.clone_from(parked_at);
        }
        Ok(place)
    }

    async fn ask<T>(
        &self,
        id: &SessionId,
        message: impl FnOnce(Reply<T>) -> SessionMessage,
    ) -> Result<T, Problem> {
        let (reply, answer) = oneshot::channel();
        let lost = || if self.shared.stop.is_cancelled() { problems::stopping() } else { gone() };
        self.address(id)?.send(message(reply)).await.map_err(|_| lost())?;
        answer.await.map_err(|_| lost())?
    }
}
