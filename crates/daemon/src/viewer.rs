use bytes::Bytes;
use qd_core::{Code, Problem, Size};
use tokio::sync::mpsc;

use crate::Principal;
use crate::message::{SessionAddress, SessionMessage, ViewerId};

/// How a viewer wants to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachRequest {
    /// Who looks.
    pub principal: Principal,
    /// The next byte wanted; none for a snapshot.
    pub from: Option<u64>,
    /// The viewer's own size.
    pub size: Size,
    /// Lines of history in a snapshot.
    pub scrollback: usize,
    /// Look only.
    pub read_only: bool,
}

/// What a viewer is told, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewerEvent {
    /// Draw this on an empty terminal of this size; the next byte is `seq`.
    Snapshot {
        /// The number of the first byte after it.
        seq: u64,
        /// The terminal's size.
        size: Size,
        /// What draws it.
        data: Bytes,
    },
    /// What the viewer has is right; the next byte is `seq`.
    Resume {
        /// The number of the next byte.
        seq: u64,
        /// The terminal's size.
        size: Size,
    },
    /// Bytes of the program.
    Output {
        /// The number of the first of them.
        seq: u64,
        /// The bytes.
        data: Bytes,
    },
    /// Something was skipped; a snapshot follows.
    Resync {
        /// `slow`, `resized` or `lost`.
        reason: &'static str,
    },
    /// The terminal's size.
    Size {
        /// The size.
        size: Size,
        /// `you`, `viewer`, `native`, `command` or `birth`.
        by: &'static str,
    },
    /// The program ended.
    Exit {
        /// Its code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// Who may type: `you`, another device's name, or nobody yet.
    Lease {
        /// The holder.
        holder: Option<String>,
    },
    /// Something that the viewer asked was refused; it stays.
    Refused(Problem),
    /// The viewer is let go. Always the last.
    Gone(ViewerGone),
}

/// Why a viewer is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewerGone {
    /// The session is purged.
    NoSession,
    /// The daemon stops; come back.
    DaemonStops,
    /// Its device was revoked.
    Revoked,
}

/// One viewer's place at a session. Dropping it leaves.
#[derive(Debug)]
pub struct Viewer {
    pub(crate) id: ViewerId,
    pub(crate) session: SessionAddress,
    pub(crate) events: mpsc::Receiver<ViewerEvent>,
}

impl Viewer {
    /// The next thing to tell the viewer; none when the session's owner is gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<ViewerEvent> {
        self.events.recv().await
    }

    /// Types bytes. A refusal comes back as [`ViewerEvent::Refused`].
    ///
    /// # Errors
    /// The session is gone.
    pub async fn input(&self, data: Bytes) -> Result<(), Problem> {
        self.tell(SessionMessage::ViewerInput { viewer: self.id, data, paste: false }).await
    }

    /// Pastes text.
    ///
    /// # Errors
    /// The session is gone.
    pub async fn paste(&self, text: String) -> Result<(), Problem> {
        let data = Bytes::from(text);
        self.tell(SessionMessage::ViewerInput { viewer: self.id, data, paste: true }).await
    }

    /// Says how large the viewer's window is now.
    ///
    /// # Errors
    /// The session is gone.
    pub async fn resize(&self, size: Size) -> Result<(), Problem> {
        self.tell(SessionMessage::ViewerResize { viewer: self.id, size }).await
    }

    /// Says that all bytes before `seq` were drawn.
    ///
    /// # Errors
    /// The session is gone.
    pub async fn ack(&self, seq: u64) -> Result<(), Problem> {
        self.tell(SessionMessage::ViewerAck { viewer: self.id, seq }).await
    }

    /// Takes the lease of the input from whoever has it, or gives it back.
    ///
    /// # Errors
    /// The session is gone.
    pub async fn lease(&self, take: bool) -> Result<(), Problem> {
        self.tell(SessionMessage::ViewerLease { viewer: self.id, take }).await
    }

    async fn tell(&self, message: SessionMessage) -> Result<(), Problem> {
        self.session.send(message).await.map_err(|_| gone())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // A full mailbox is no reason to wait in a drop: the owner also notices on its next send.
        let _ = self.session.try_send(SessionMessage::ViewerLeft { viewer: self.id });
    }
}

pub(crate) fn gone() -> Problem {
    Problem::new(
        Code::UnknownSession,
        "The session is gone.",
        "List them with `qd ls`, and those in the trash with `qd trash`.",
    )
}
