//! Where a session's pane is, as far as its owner knows.

use qd_core::Program;
use tokio_util::sync::CancellationToken;

use crate::panes::Pane;

/// One of these at any time. Only with [`Hold::Nothing`] is it certain that no program runs, and
/// may the files be put away.
#[derive(Debug)]
pub(super) enum Hold {
    /// There is no pane.
    Nothing,
    /// The session is being made, or its program started again; the token calls that off.
    Starting(CancellationToken),
    /// There may be one: it is looked for, or its stream is being taken again.
    Joining,
    /// It is ours.
    Here(Box<Pane>),
    /// It is being closed.
    Closing,
}

impl Hold {
    /// What this says of the program; `ending`: it was asked to end.
    pub(super) fn program(&self, ending: bool) -> Program {
        match self {
            Self::Nothing => Program::Nothing,
            Self::Starting(_) => Program::Starting,
            Self::Joining => Program::Unknown,
            Self::Here(_) => Program::Here { ending },
            Self::Closing => Program::Closing,
        }
    }

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
