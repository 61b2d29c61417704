//! Where a session's pane is, as far as its owner knows.

use tokio_util::sync::CancellationToken;

use crate::panes::Pane;

/// One of these at any time. Only with [`Hold::Nothing`] is it certain that no program runs, and
/// may the files be put away.
#[derive(Debug)]
pub(super) enum Hold {
    /// There is no pane.
    Nothing,
    /// The session is being made; the token calls that off.
    Making(CancellationToken),
    /// There may be one: it is looked for, or its stream is being taken again.
    Joining,
    /// It is ours.
    Here(Box<Pane>),
    /// It is being closed.
    Closing,
}

impl Hold {
    pub(super) fn pane(&self) -> Option<&Pane> {
        match self {
            Self::Here(pane) => Some(pane),
            _ => None,
        }
    }

    pub(super) fn pane_mut(&mut self) -> Option<&mut Pane> {
        match self {
            Self::Here(pane) => Some(pane),
            _ => None,
        }
    }

    /// Takes the pane out, with something else in its place.
    pub(super) fn take_pane(&mut self, then: Self) -> Option<Pane> {
        self.pane()?;
        match std::mem::replace(self, then) {
            Self::Here(pane) => Some(*pane),
            _ => None,
        }
    }
}
