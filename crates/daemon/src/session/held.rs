//! What came for a program that does not run just now and soon will: it waits, and goes to the
//! program in the order in which it came, once.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use qd_core::Problem;
use tokio::time::Instant;

use super::input::MOST;
use crate::message::{Reply, ViewerId};

/// Most messages that wait.
const MOST_MESSAGES: usize = 256;
/// How long a program that was just started and has printed must be quiet before it is taken to
/// be ready for input: while it sets up its terminal it may throw away what is typed.
const QUIET: Duration = Duration::from_millis(300);
/// How long one that prints nothing, or never is quiet, is waited for.
const SILENT: Duration = Duration::from_secs(1);
const RESTLESS: Duration = Duration::from_secs(5);

/// One message, as it came: how it is typed depends on the program that gets it.
#[derive(Debug)]
pub(super) enum Message {
    /// Text or bytes.
    Send { data: Bytes, paste: bool, enter: bool, reply: Reply<()> },
    /// Keys by name.
    Keys { keys: Vec<String>, reply: Reply<()> },
    /// What a viewer typed.
    Typed { viewer: ViewerId, data: Bytes, paste: bool },
    /// Nothing but that a viewer opened the session.
    Opened { viewer: ViewerId },
}

/// The messages that wait.
#[derive(Debug, Default)]
pub(super) struct Held {
    messages: VecDeque<Message>,
    bytes: usize,
    /// Since when the first of them waits.
    since: Option<Instant>,
    /// The program was started a moment ago.
    settling: Option<Settling>,
}

#[derive(Clone, Copy, Debug)]
struct Settling {
    ready: Instant,
    at_last: Instant,
}

impl Held {
    /// Takes a message in.
    ///
    /// # Errors
    /// The message itself, when too much waits already.
    pub(super) fn push(&mut self, message: Message, now: Instant) -> Result<(), Message> {
        let bytes = message.bytes();
        let full = self.messages.len() >= MOST_MESSAGES || self.bytes + bytes > MOST;
        if full && !self.messages.is_empty() {
            return Err(message);
        }
        self.since.get_or_insert(now);
        self.bytes += bytes;
        self.messages.push_back(message);
        Ok(())
    }

    /// The next message, in the order in which they came.
    pub(super) fn pop(&mut self) -> Option<Message> {
        let message = self.messages.pop_front();
        self.bytes -= message.as_ref().map_or(0, Message::bytes);
        if self.messages.is_empty() {
            self.since = None;
        }
        message
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Since when the first message waits.
    pub(super) fn since(&self) -> Option<Instant> {
        self.since
    }

    /// The program was started.
    pub(super) fn started(&mut self, now: Instant) {
        self.settling = Some(Settling { ready: now + SILENT, at_last: now + RESTLESS });
    }

    /// It printed.
    pub(super) fn printed(&mut self, now: Instant) {
        if let Some(settling) = &mut self.settling {
            settling.ready = (now + QUIET).min(settling.at_last);
        }
    }

    /// When the program is ready, as far as is known; none when it is.
    pub(super) fn ready_at(&self) -> Option<Instant> {
        self.settling.map(|settling| settling.ready)
    }

    /// The program is ready for what waits.
    pub(super) fn settled(&mut self) {
        self.settling = None;
    }
}

impl Message {
    fn bytes(&self) -> usize {
        match self {
            Self::Send { data, .. } | Self::Typed { data, .. } => data.len(),
            Self::Keys { keys, .. } => keys.iter().map(String::len).sum(),
            Self::Opened { .. } => 0,
        }
    }

    /// Whether nobody waits any more to hear of it: its sender takes it for failed, and may have
    /// sent it again.
    pub(super) fn is_given_up(&self) -> bool {
        match self {
            Self::Send { reply, .. } | Self::Keys { reply, .. } => reply.is_closed(),
            Self::Typed { .. } | Self::Opened { .. } => false,
        }
    }

    /// Whether it only says that a viewer's window got or lost the focus: that is sent by the
    /// viewer by itself, for the program that asked to be told.
    pub(super) fn is_focus_report(&self) -> bool {
        matches!(self, Self::Typed { data, paste: false, .. }
            if matches!(data.as_ref(), b"\x1b[I" | b"\x1b[O"))
    }

    /// Tells whoever it came from that it cannot be delivered; gives the viewer that is to be
    /// told.
    pub(super) fn fail(self, problem: &Problem) -> Option<ViewerId> {
        match self {
            Self::Send { reply, .. } | Self::Keys { reply, .. } => {
                let _ = reply.send(Err(problem.clone()));
                None
            }
            Self::Typed { viewer, .. } | Self::Opened { viewer } => Some(viewer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(bytes: usize) -> Message {
        Message::Typed { viewer: 1, data: Bytes::from(vec![0; bytes]), paste: false }
    }

    #[test]
    fn what_waits_is_bounded_and_in_order() {
        let now = Instant::now();
        let mut held = Held::default();
        // One of any size is taken when nothing waits.
        held.push(typed(MOST + 1), now).unwrap();
        assert!(held.push(typed(1), now).is_err());
        assert!(held.pop().is_some() && held.is_empty() && held.since().is_none());
        for viewer in 0..MOST_MESSAGES as u64 {
            held.push(Message::Opened { viewer }, now).unwrap();
        }
        assert!(held.push(Message::Opened { viewer: 9 }, now).is_err());
        assert!(matches!(held.pop(), Some(Message::Opened { viewer: 0 })));
        assert!(matches!(held.pop(), Some(Message::Opened { viewer: 1 })));
    }

    #[test]
    fn a_program_is_ready_once_it_has_printed_and_is_quiet() {
        let start = Instant::now();
        let mut held = Held::default();
        assert_eq!(held.ready_at(), None, "one that has run for long is ready");
        held.started(start);
        assert_eq!(held.ready_at(), Some(start + SILENT));
        held.printed(start + Duration::from_millis(100));
        assert_eq!(held.ready_at(), Some(start + Duration::from_millis(100) + QUIET));
        // One that is never quiet is not waited for without end.
        for tenth in 0..100 {
            held.printed(start + Duration::from_millis(100 * tenth));
        }
        assert_eq!(held.ready_at(), Some(start + RESTLESS));
        held.settled();
        assert_eq!(held.ready_at(), None);
    }
}
