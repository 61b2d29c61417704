//! What a program asks of the terminal besides drawing.

use std::collections::VecDeque;

/// Most events kept for the owner, and most bytes in them; what does not fit is counted.
const MAX_EVENTS: usize = 64;
const MAX_BYTES: usize = 512 * 1024;

/// Something the owner may want to act on. Nothing here is ever answered by this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// BEL.
    Bell,
    /// The title is now this (OSC 0 or 2, or taken back from the stack).
    Title(String),
    /// The working directory as a URL (OSC 7).
    Directory(String),
    /// OSC 52 with data: put this into a clipboard. The data is still base64.
    CopyToClipboard {
        /// Which clipboards, in xterm's letters (`c`, `p`, …).
        selection: String,
        /// Base64, not checked.
        data: String,
    },
    /// Another operating system command, unchanged: notifications (9, 99, 777), shell marks
    /// (133), and so on.
    Osc {
        /// The number before the first semicolon.
        code: u16,
        /// What follows it.
        data: String,
    },
}

/// A bounded queue of events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    queue: VecDeque<Event>,
    bytes: usize,
    dropped: u64,
}

impl Event {
    fn bytes(&self) -> usize {
        match self {
            Self::Bell => 0,
            Self::Title(text) | Self::Directory(text) => text.len(),
            Self::CopyToClipboard { selection, data } => selection.len() + data.len(),
            Self::Osc { data, .. } => data.len(),
        }
    }
}

impl Events {
    /// Adds an event. A bell after a bell, and a title after a title, are one.
    pub fn push(&mut self, event: Event) {
        match (self.queue.back_mut(), &event) {
            (Some(Event::Bell), Event::Bell) => return,
            (Some(Event::Title(old)), Event::Title(new)) => {
                self.bytes = self.bytes - old.len() + new.len();
                old.clone_from(new);
                return;
            }
            _ => {}
        }
        let bytes = event.bytes();
        if self.queue.len() >= MAX_EVENTS || self.bytes + bytes > MAX_BYTES {
            self.dropped += 1;
            return;
        }
        self.bytes += bytes;
        self.queue.push_back(event);
    }

    /// Takes all events, and how many were dropped since the last time.
    pub fn take(&mut self) -> (Vec<Event>, u64) {
        self.bytes = 0;
        (std::mem::take(&mut self.queue).into(), std::mem::take(&mut self.dropped))
    }
}
