//! Panes that are not in anybody's hands: joined again, or ended.

use bytes::Bytes;
use qd_core::{Code, Exit, Problem, SessionId, Size};
use qd_tmux::Error;
use qd_tmux::pane::Reconnect;
use qd_tmux::spec::PaneSpec;
use qd_tmux::wire::ProgramState;

use super::own::{OwnPane, seen};
use super::{Pane, Panes, RUN, key};
use crate::problems::tmux as problem;

/// What was found of a session's pane after the daemon was away.
pub(crate) enum Rejoin {
    /// It is there, and this is every byte that it printed meanwhile.
    Exact { pane: Box<Pane>, printed: Bytes },
    /// It is there; the bytes are not all there, so this draws what tmux shows.
    Redrawn { pane: Box<Pane>, drawing: Vec<u8>, size: Size },
    /// It is gone; what is known of its end.
    Gone { exit: Option<Exit>, printed: Bytes },
    /// The daemon before ended before the program was started, or it could not be started, for
    /// this reason. The pane was closed.
    NeverStarted(Option<String>),
}

impl Panes {
    /// Joins the pane of a session again. `exact`: the caller has all that came before.
    ///
    /// # Errors
    /// When it cannot be found out whether the pane is there.
    pub(crate) async fn rejoin(&self, id: &SessionId, exact: bool) -> Result<Rejoin, Problem> {
        let key = key(id)?;
        let known = self.host.known().map_err(|error| problem(&error))?;
        if !known.contains(&key) {
            return Ok(Rejoin::NeverStarted(None));
        }
        let here = match self.host.reconnect(&key).await.map_err(|error| problem(&error))? {
            Reconnect::Here(here) => *here,
            Reconnect::Gone(gone) => {
                return Ok(Rejoin::Gone {
                    exit: gone.state.as_ref().and_then(exit_of),
                    printed: Bytes::from(gone.spool),
                });
            }
            Reconnect::Unreachable(_) => {
                return Err(Problem::new(
                    Code::TmuxFailed,
                    "The pane is there, and the program that watches over it does not answer.",
                    "Delete the session to end what runs there.",
                ));
            }
        };
        let never = match &here.state {
            ProgramState::Waiting => Some(None),
            ProgramState::SpawnFailed { message, .. } => Some(Some(message.clone())),
            ProgramState::Running { .. } | ProgramState::Exited(_) => None,
        };
        if let Some(why) = never {
            here.pane.leave().await.map_err(|error| problem(&error))?;
            return Ok(Rejoin::NeverStarted(why));
        }
        let mut pane = OwnPane::new(here.pane, here.tap, ended(&here.state));
        if exact && here.dropped_bytes == 0 && pane.tap.is_some() {
            let pane = Box::new(Pane::Own(Box::new(pane)));
            return Ok(Rejoin::Exact { pane, printed: Bytes::from(here.spool) });
        }
        let (drawing, size) = pane.retap().await?;
        pane.spool_taken().await;
        Ok(Rejoin::Redrawn { pane: Box::new(Pane::Own(Box::new(pane))), drawing, size })
    }

    /// Whether there are files of a pane of this session.
    pub(crate) fn knows(&self, id: &SessionId) -> bool {
        key(id).is_ok_and(|key| self.host.knows(&key))
    }

    /// For which run of its session the pane was made that there are files of, where they say so.
    pub(crate) fn run_of(&self, id: &SessionId) -> Option<u64> {
        let spec = PaneSpec::read(&self.folder.join(format!("{id}.json"))).ok()?;
        let (_, run) = spec.env.iter().find(|(name, _)| name.0 == RUN)?;
        run.0.to_str()?.parse().ok()
    }

    /// Removes the files of a pane that is gone, when its end is stored.
    pub(crate) fn forget(&self, id: &SessionId) {
        if let Ok(key) = key(id) {
            self.host.forget(&key);
        }
    }

    /// Ends all that tmux has of a session, waits until it has ended, and removes its files.
    ///
    /// # Errors
    /// When tmux cannot be asked, or it does not end.
    pub(crate) async fn end_left(&self, id: &SessionId) -> Result<Option<Exit>, Problem> {
        let key = key(id)?;
        for pane in self.host.list().await.map_err(|error| problem(&error))? {
            if pane.session.as_ref() == Some(&key) {
                self.host.kill_listed(&pane).await.map_err(|error| problem(&error))?;
            }
        }
        let mut exit = None;
        if self.host.knows(&key) {
            match self.host.reconnect(&key).await.map_err(|error| problem(&error))? {
                Reconnect::Gone(gone) => exit = gone.state.as_ref().and_then(exit_of),
                Reconnect::Here(_) | Reconnect::Unreachable(_) => {
                    return Err(crate::problems::internal("a pane is there though it was closed"));
                }
            }
        }
        self.host.forget(&key);
        Ok(exit)
    }

    /// Ends every pane of this home that belongs to no session, and removes the files of such.
    ///
    /// # Errors
    /// When it cannot be found out what there is.
    pub(crate) async fn sweep(&self, owned: impl Fn(&str) -> bool) -> Result<(), Problem> {
        let known = self.host.known().map_err(|error| problem(&error))?;
        for pane in self.host.list().await.map_err(|error| problem(&error))? {
            let Some(key) = pane.session.as_ref().filter(|key| !owned(key.as_str())) else {
                continue;
            };
            match self.host.kill_listed(&pane).await {
                Ok(()) => tracing::warn!(session = %key, "a pane of no session was closed"),
                // It carries another home's mark.
                Err(Error::BadArgument { .. }) => {}
                Err(error) => return Err(problem(&error)),
            }
        }
        for key in known.iter().filter(|key| !owned(key.as_str())) {
            self.host.forget(key);
        }
        Ok(())
    }
}

/// How a program ended, where that is known.
fn exit_of(state: &ProgramState) -> Option<Exit> {
    ended(state).filter(Exit::is_known)
}

fn ended(state: &ProgramState) -> Option<Exit> {
    match state {
        ProgramState::Exited(exit) => Some(seen(*exit)),
        ProgramState::Waiting | ProgramState::Running { .. } | ProgramState::SpawnFailed { .. } => {
            None
        }
    }
}
