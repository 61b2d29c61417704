//! Panes of the person's own tmux: found, tapped, and let go of.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use qd_core::{AdoptedPane as Address, Exit, Problem, SessionId, Size};
use qd_tmux::foreign::{Adopted, AdoptedEvent, ForeignPane, FoundPane};
use qd_tmux::{Error, Generation, PaneId};

use super::own::seen;
use super::{Drawing, HISTORY, Pane, PaneEvent, Panes, Printed, Rejoin, drawing, key};
use crate::problems::tmux as problem;

/// A pane of the person's own tmux, and its stream. Not `Clone`. Dropped, it goes on there.
#[derive(Debug)]
pub(crate) struct AdoptedPane {
    held: Adopted,
    drawing: Option<Drawing>,
}

impl Panes {
    /// The pane that is meant, if it can be adopted.
    ///
    /// # Errors
    /// When there is no such pane, or several, or it cannot be had.
    pub(crate) async fn find_adoptable(
        &self,
        socket: &Path,
        target: &str,
    ) -> Result<FoundPane, Problem> {
        self.foreign.find(socket, target).await.map_err(|error| problem(&error))
    }

    /// Takes the stream of a pane, with what it shows.
    ///
    /// # Errors
    /// When it is gone, or somebody else has its stream.
    pub(crate) async fn adopt(&self, id: &SessionId, at: &Address) -> Result<Pane, Problem> {
        self.take(id, at).await.map_err(|error| problem(&error))
    }

    /// Takes a pane up again after the daemon was away, or its stream was lost.
    ///
    /// # Errors
    /// When it cannot be asked, or somebody else has its stream: it is there then.
    pub(crate) async fn take_up(&self, id: &SessionId, at: &Address) -> Result<Rejoin, Problem> {
        // Nobody kept what it printed meanwhile; what was seen before is right as far as it goes.
        let gone = |exit| {
            let printed = Printed { bytes: Bytes::new(), spool: None };
            Rejoin::Gone { exit, printed, gap: false }
        };
        match self.take(id, at).await {
            Ok(pane) => Ok(Rejoin::Taken { pane: Box::new(pane) }),
            Err(Error::PaneGone { .. }) => Ok(gone(None)),
            Err(Error::PaneDead { exit, .. }) => Ok(gone(Some(seen(exit)))),
            Err(error) => Err(problem(&error)),
        }
    }

    /// Takes the stream again of a pane that has another size, or whose stream was cut.
    pub(super) async fn adopt_again(
        &self,
        id: &SessionId,
        pane: AdoptedPane,
    ) -> Result<(Pane, Vec<u8>, Size), Problem> {
        let key = key(id)?;
        let at = pane.held.pane.clone();
        // Two streams of one pane cannot be.
        pane.held.let_go().await;
        let taken = self.foreign.take(&key, &at, HISTORY).await;
        let (held, shot) = taken.map_err(|error| problem(&error))?;
        let (drawing, size) = drawing(&shot);
        Ok((Pane::Adopted(Box::new(AdoptedPane { held, drawing: None })), drawing, size))
    }

    async fn take(&self, id: &SessionId, at: &Address) -> qd_tmux::Result<Pane> {
        let key = key(id)
            .map_err(|_| Error::BadArgument { what: "the session's id", why: "it is no key" })?;
        let (held, shot) = self.foreign.take(&key, &foreign(at), HISTORY).await?;
        let drawing = Some(drawing(&shot));
        Ok(Pane::Adopted(Box::new(AdoptedPane { held, drawing })))
    }
}

impl AdoptedPane {
    pub(super) fn name(&self) -> String {
        self.held.pane.pane.to_string()
    }

    pub(super) fn allowance(&self) -> usize {
        self.held.allowance()
    }

    pub(super) fn taken(&mut self, bytes: usize) {
        self.held.taken(bytes);
    }

    pub(super) fn take_drawing(&mut self) -> Option<Drawing> {
        self.drawing.take()
    }

    pub(super) async fn next(&mut self, input: Option<&[u8]>, looks: bool) -> PaneEvent {
        match self.held.next(input, looks).await {
            AdoptedEvent::Output(bytes) => PaneEvent::Output(bytes),
            AdoptedEvent::Wrote(wrote) => PaneEvent::Wrote(wrote),
            AdoptedEvent::Looked(unread) => PaneEvent::Looked(unread),
            AdoptedEvent::Resized | AdoptedEvent::Cut => PaneEvent::TapLost,
            AdoptedEvent::Ended(exit) => {
                PaneEvent::Ended(exit.map_or(Exit { code: None, signal: None }, seen))
            }
            AdoptedEvent::Lost(error) => {
                tracing::warn!(%error, "an adopted pane cannot be asked for");
                PaneEvent::LinkLost
            }
        }
    }
}

/// Where a pane that was found is, for the record.
pub(crate) fn address(found: &FoundPane) -> Address {
    Address {
        socket: found.pane.socket.to_string_lossy().into_owned(),
        server: found.pane.generation.pid,
        started: found.pane.generation.start_time,
        pane: found.pane.pane.0,
        name: found.name.clone(),
    }
}

fn foreign(at: &Address) -> ForeignPane {
    ForeignPane {
        socket: PathBuf::from(&at.socket),
        generation: Generation { pid: at.server, start_time: at.started },
        pane: PaneId(at.pane),
    }
}
