//! What every actor of a daemon is given: addresses and settings, all of them cheap to share
//! and none of them a lock.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use qd_api::SessionView;
use qd_core::{Event, Launch, Millis, Place, Problem, Session, SessionId, evolve};
use qd_git::Git;
use qd_store::{Append, Expect, NewEvent, ProjectionWrite, StoreHandle};
use qd_tmux::PaneRef;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::agents::Agents;
use crate::handle::ViewSignal;
use crate::message::SessionAddress;
use crate::panes::Panes;
use crate::repos::Repos;
use crate::settings::Settings;
use crate::starts::Starts;
use crate::supervisor::SupervisorMessage;
use crate::{Clock, Home, problems};

/// The projection that holds the state of every session.
pub(crate) const SESSIONS: &str = "session";

/// What the actors share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) home: Home,
    pub(crate) clock: Clock,
    pub(crate) store: StoreHandle,
    pub(crate) git: Git,
    pub(crate) repos: Repos,
    pub(crate) panes: Panes,
    pub(crate) agents: Agents,
    /// Whose program is started again next.
    pub(crate) starts: Starts,
    pub(crate) settings: Settings,
    pub(crate) supervisor: mpsc::Sender<SupervisorMessage>,
    pub(crate) registry: watch::Receiver<Arc<Registry>>,
    pub(crate) signals: broadcast::Sender<ViewSignal>,
    pub(crate) idempotency: mpsc::Sender<crate::idempotency::Asked>,
    pub(crate) stop: CancellationToken,
    /// The environment of programs, before what a session adds.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) token_hash: [u8; 32],
    pub(crate) version: &'static str,
}

/// Sessions by id: where their owner is, and what it shows.
pub(crate) type Registry = BTreeMap<SessionId, Entry>;

/// One session, as all but its owner know it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) address: SessionAddress,
    pub(crate) view: watch::Receiver<Arc<Shown>>,
}

/// What a session's owner shows of it.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) view: Arc<SessionView>,
    /// Its pane's address, while it has one.
    pub(crate) target: Option<PaneRef>,
    /// Its files, once they are there.
    pub(crate) place: Option<Place>,
    /// What it was asked to be.
    pub(crate) launch: Launch,
    /// Where its worktree is while it is in the trash.
    pub(crate) parked_at: Option<String>,
    /// When it was asked for.
    pub(crate) created_at: Millis,
    /// When its lifecycle last changed.
    pub(crate) changed_at: Millis,
}

impl Shared {
    /// Waits; false when the daemon stops before the time is over.
    pub(crate) async fn pause(&self, wait: Duration) -> bool {
        if wait.is_zero() {
            return true;
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            () = self.stop.cancelled() => false,
        }
    }

    /// Writes events down if the state is what they were decided on, and gives the next state.
    ///
    /// # Errors
    /// When the store refuses; nothing was written then.
    pub(crate) async fn persist(
        &self,
        state: Option<Session>,
        id: &SessionId,
        events: &[Event],
    ) -> Result<Option<Session>, Problem> {
        if events.is_empty() {
            return Ok(state);
        }
        let at = self.clock.now();
        let version = state.as_ref().map_or(0, |s| s.version);
        let next = events.iter().fold(state, |state, event| evolve(state, id, event, at));
        let mut new = Vec::with_capacity(events.len());
        for event in events {
            // The tag of the enum is the column `kind`; what is left is the payload.
            let value = serde_json::to_value(event).map_err(problems::internal)?;
            let data = value.get("data").cloned().unwrap_or(serde_json::Value::Null);
            new.push(NewEvent { kind: event.kind().to_owned(), data });
        }
        let value = match &next {
            Some(session) => Some(serde_json::to_value(session).map_err(problems::internal)?),
            None => None,
        };
        let mut append = Append::new(id.as_str(), at.0, new);
        append.expect = Expect::Version(version);
        // With the last event of a session everything that its events held goes: its prompt, its
        // arguments, the values of its environment.
        append.blanks = events.contains(&Event::Purged);
        append.projections =
            vec![ProjectionWrite { name: SESSIONS.to_owned(), key: id.to_string(), value }];
        self.store.append(append).await.map_err(|e| problems::store(&e))?;
        Ok(next)
    }

    /// Claims a folder for a session; with `share`, also one that another session works in.
    ///
    /// # Errors
    /// Another session has it, or what is in it is being moved, or the daemon stops.
    pub(crate) async fn claim(
        &self,
        folder: PathBuf,
        session: &SessionId,
        share: bool,
    ) -> Result<(), Problem> {
        let (reply, answer) = oneshot::channel();
        let session = session.clone();
        let message = SupervisorMessage::Claim { folder, session, shared: share, reply };
        self.supervisor.send(message).await.map_err(|_| problems::stopping())?;
        answer.await.map_err(|_| problems::stopping())?
    }

    /// Random bytes.
    ///
    /// # Errors
    /// When the system has none to give.
    pub(crate) fn random<const N: usize>() -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(problems::internal)?;
        Ok(bytes)
    }
}
