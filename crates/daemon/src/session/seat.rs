//! One viewer's place at a terminal.

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::flow::Flow;
use crate::viewer::ViewerEvent;

/// One viewer.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) events: mpsc::Sender<ViewerEvent>,
    pub(super) flow: Flow,
    pub(super) device: String,
    pub(super) name: String,
    pub(super) looks_only: bool,
    pub(super) scrollback: usize,
    /// It missed something other than output: it is owed the whole state.
    pub(super) stale: bool,
    /// Its queue was full: it is told more when there is room.
    pub(super) full: bool,
    pub(super) gone: bool,
    /// It has not been told of the program's end: that comes after the last output.
    pub(super) exit_owed: bool,
}

impl Seat {
    /// Hands an event over without waiting. On failure the seat is behind, and stale.
    pub(super) fn tell(&mut self, event: ViewerEvent) {
        match self.events.try_send(event) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                self.stale = true;
                self.full = true;
                self.flow.fall_behind();
            }
            Err(TrySendError::Closed(_)) => self.gone = true,
        }
    }

    /// Hands output over; whether it was taken.
    pub(super) fn give(&mut self, data: Bytes) -> bool {
        let bytes = data.len() as u64;
        match self.events.try_send(ViewerEvent::Output { seq: self.flow.next(), data }) {
            Ok(()) => {
                self.flow.sent(bytes);
                true
            }
            Err(error) => {
                self.gone = matches!(error, TrySendError::Closed(_));
                self.full = !self.gone;
                self.flow.fall_behind();
                false
            }
        }
    }
}
