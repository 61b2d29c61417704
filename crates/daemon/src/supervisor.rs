//! The owner of the list of sessions, and of the claims on folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qd_api::SessionView;
use qd_core::{AdoptedPane, Code, Command, Launch, Place, Problem, Session, SessionId, decide};
use qd_git::Repo;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use crate::handle::ViewSignal;
use crate::message::Reply;
use crate::session::{self, Origin};
use crate::shared::{Entry, Registry, Shared};

/// Requests that may wait for the supervisor.
pub(crate) const QUEUE: usize = 1024;

/// A session that is asked for.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) launch: Box<Launch>,
    /// The repository, found a moment ago.
    pub(crate) repo: Option<Repo>,
    /// It may work in a folder that another session works in.
    pub(crate) shared_folder: bool,
    /// Where its files come from, if not from a base.
    pub(crate) fork: Option<Box<Place>>,
}

/// What the supervisor is asked.
#[derive(Debug)]
pub(crate) enum SupervisorMessage {
    /// Make a session.
    Create { wanted: Box<Wanted>, reply: Reply<Arc<SessionView>> },
    /// Claim a folder for a session, if no other has it.
    Claim { folder: PathBuf, session: SessionId, shared: bool, reply: Reply<()> },
    /// Give back all claims of a session, and open what it had closed.
    Release { session: SessionId },
    /// Who works in a folder or beneath it, beside this session.
    Others { folder: PathBuf, session: SessionId, reply: oneshot::Sender<Vec<SessionId>> },
    /// Let nobody new into a folder: this session's files are about to move.
    Close { folder: PathBuf, session: SessionId, reply: oneshot::Sender<()> },
    /// Open it again.
    Open { session: SessionId },
}

/// The supervisor. Not `Clone`: one task owns it.
pub(crate) struct Supervisor {
    shared: Arc<Shared>,
    messages: mpsc::Receiver<SupervisorMessage>,
    registry: watch::Sender<Arc<Registry>>,
    claims: BTreeMap<PathBuf, Vec<SessionId>>,
    /// Folders that are about to move, by whose they are.
    closed: BTreeMap<SessionId, PathBuf>,
    actors: JoinSet<Option<SessionId>>,
}

impl Supervisor {
    /// A supervisor that knows of no session yet.
    pub(crate) fn new(
        shared: Arc<Shared>,
        messages: mpsc::Receiver<SupervisorMessage>,
        registry: watch::Sender<Arc<Registry>>,
    ) -> Self {
        Self {
            shared,
            messages,
            registry,
            claims: BTreeMap::new(),
            closed: BTreeMap::new(),
            actors: JoinSet::new(),
        }
    }

    /// Starts the owners of sessions that were there before.
    pub(crate) fn recover(&mut self, sessions: Vec<Session>) {
        for session in sessions {
            if let Some(place) = &session.place
                && session.parked.is_none()
            {
                let folder = PathBuf::from(&place.worktree);
                self.claims.entry(folder).or_default().push(session.id.clone());
            }
            self.start(session, Origin::Recovered);
        }
    }

    /// Serves until the daemon stops, then waits for every owner to put its things in order.
    pub(crate) async fn run(mut self) {
        let stop = self.shared.stop.clone();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                message = self.messages.recv() => match message {
                    Some(message) => self.handle(message).await,
                    None => break,
                },
                Some(ended) = self.actors.join_next() => self.forget(ended),
            }
        }
        // Owners may still ask for claims while they finish.
        loop {
            tokio::select! {
                Some(message) = self.messages.recv() => self.handle(message).await,
                ended = self.actors.join_next() => match ended {
                    Some(ended) => self.forget(ended),
                    None => break,
                },
            }
        }
    }

    async fn handle(&mut self, message: SupervisorMessage) {
        match message {
            SupervisorMessage::Create { wanted, reply } => {
                let answer = self.create(*wanted).await;
                let _ = reply.send(answer);
            }
            SupervisorMessage::Claim { folder, session, shared, reply } => {
                let _ = reply.send(self.claim(folder, session, shared));
            }
            SupervisorMessage::Release { session } => self.release(&session),
            SupervisorMessage::Others { folder, session, reply } => {
                let _ = reply.send(self.others(&folder, &session));
            }
            SupervisorMessage::Close { folder, session, reply } => {
                self.closed.insert(session, folder);
                let _ = reply.send(());
            }
            SupervisorMessage::Open { session } => drop(self.closed.remove(&session)),
        }
    }

    async fn create(&mut self, wanted: Wanted) -> Result<Arc<SessionView>, Problem> {
        let Wanted { launch, repo, shared_folder, fork } = wanted;
        if self.shared.stop.is_cancelled() {
            return Err(crate::problems::stopping());
        }
        if let Some(at) = &launch.adopted {
            self.refuse_held(at)?;
        }
        let id = SessionId::from_random(Shared::random()?);
        let events = decide(None, Command::Create(launch))?;
        let state = self.shared.persist(None, &id, &events).await?;
        let Some(session) = state else {
            return Err(crate::problems::internal("a created session has no state"));
        };
        Ok(self.start(session, Origin::New { shared_folder, repo, fork }))
    }

    /// Refuses a pane that another session is.
    fn refuse_held(&self, at: &AdoptedPane) -> Result<(), Problem> {
        let registry = self.registry.borrow();
        let is_it = |entry: &&Entry| {
            let shown = entry.view.borrow();
            let lives = matches!(shown.view.state.as_str(), "creating" | "running");
            lives && shown.launch.adopted.as_ref().is_some_and(|held| held.is(at))
        };
        let Some((id, entry)) = registry.iter().find(|(_, entry)| is_it(entry)) else {
            return Ok(());
        };
        let title = &entry.view.borrow().view.title;
        Err(Problem::new(
            Code::PaneInUse,
            format!("The pane {} is a session already: \u{201c}{title}\u{201d} ({id}).", at.name),
            format!("Look at it with `qd show {id}`. Nothing was changed."),
        ))
    }

    fn start(&mut self, session: Session, origin: Origin) -> Arc<SessionView> {
        let id = session.id.clone();
        let (address, task, view) = session::open(Arc::clone(&self.shared), session, origin);
        let first = Arc::clone(&view.borrow().view);
        self.registry.send_modify(|registry| {
            Arc::make_mut(registry).insert(id.clone(), Entry { address, view });
        });
        let named = id.clone();
        self.actors.spawn(async move { task.await.then_some(named) });
        let _ = self.shared.signals.send(ViewSignal::Session(id));
        first
    }

    /// An owner has ended; with the id of a session that is purged. The others ended with the
    /// daemon, and stay on the lists to its last moment.
    fn forget(&mut self, ended: Result<Option<SessionId>, tokio::task::JoinError>) {
        match ended {
            Ok(None) => {}
            Ok(Some(id)) => {
                self.release(&id);
                self.registry.send_modify(|registry| {
                    Arc::make_mut(registry).remove(&id);
                });
                let _ = self.shared.signals.send(ViewSignal::Gone(id));
            }
            Err(error) => tracing::error!(%error, "the owner of a session ended in a fault"),
        }
    }

    fn claim(&mut self, folder: PathBuf, session: SessionId, shared: bool) -> Result<(), Problem> {
        let moves = |(mover, moving): (&SessionId, &PathBuf)| {
            *mover != session && folder.starts_with(moving)
        };
        if self.closed.iter().any(moves) {
            return Err(Problem::new(
                Code::WorktreeInUse,
                "The files in that folder are being moved.",
                "Wait until that is done, and look where they are then. Nothing was changed.",
            )
            .on("worktree"));
        }
        let holders = self.claims.entry(folder).or_default();
        if let Some(other) = holders.iter().find(|holder| **holder != session)
            && !shared
        {
            return Err(Problem::new(
                Code::WorktreeInUse,
                format!("The session {other} works in that folder."),
                "Let it have a worktree of its own, or ask for a shared folder with `--shared`.",
            )
            .on("worktree"));
        }
        if !holders.contains(&session) {
            holders.push(session);
        }
        Ok(())
    }

    fn others(&self, folder: &Path, session: &SessionId) -> Vec<SessionId> {
        let beneath = self.claims.iter().filter(|(claimed, _)| claimed.starts_with(folder));
        let mut others: Vec<_> =
            beneath.flat_map(|(_, holders)| holders).filter(|id| *id != session).cloned().collect();
        others.sort();
        others.dedup();
        others
    }

    fn release(&mut self, session: &SessionId) {
        self.closed.remove(session);
        self.claims.retain(|_, holders| {
            holders.retain(|holder| holder != session);
            !holders.is_empty()
        });
    }
}
