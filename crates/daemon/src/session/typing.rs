//! From what somebody types to bytes in the pane.

use bytes::Bytes;
use qd_core::{Code, Lifecycle, Problem};
use tokio::time::Instant;

use super::{INPUT_PATIENCE, Owner, input, keys};
use crate::message::{Reply, ViewerId};

impl Owner {
    pub(super) fn as_paste(&self, data: &[u8]) -> Bytes {
        Bytes::from(keys::paste(data, self.terminal.screen().modes().bracketed_paste))
    }

    pub(super) fn send(&mut self, data: Bytes, paste: bool, enter: bool, reply: Reply<()>) {
        if !self.takes_input() {
            let _ = reply.send(Err(self.no_program()));
            return;
        }
        let data = if paste { self.as_paste(&data) } else { data };
        let taken = if enter {
            self.input.push_with_key(data, keys::ENTER, Some(reply))
        } else {
            self.input.push(data, Some(reply))
        };
        if let Err(input::Refused { done: Some(reply) }) = taken {
            let _ = reply.send(Err(input::full()));
        }
    }

    fn takes_input(&self) -> bool {
        self.hold.pane().is_some() && self.state.lifecycle == Lifecycle::Running
    }

    /// What a viewer typed.
    pub(super) fn typed(&mut self, viewer: ViewerId, data: Bytes) {
        let taken = if self.takes_input() {
            self.input.push_typed(data, viewer)
        } else {
            Err(self.no_program())
        };
        if let Err(problem) = taken {
            self.terminal.refuse(viewer, problem);
        }
    }

    /// Gives up all input that waits, and tells everyone it came from.
    pub(super) fn drop_input(&mut self, problem: &Problem) {
        for viewer in self.input.fail(problem) {
            self.terminal.refuse(viewer, problem.clone());
        }
    }

    pub(super) fn no_program(&self) -> Problem {
        let now = match self.state.lifecycle {
            Lifecycle::Creating => "it is being made",
            Lifecycle::Exited => "its program has ended",
            Lifecycle::Failed => "it could not be started",
            Lifecycle::Trashed => "it is in the trash",
            Lifecycle::Paused => "it is paused",
            Lifecycle::Hibernated => "it is hibernated",
            Lifecycle::Running => "its terminal is being joined again",
        };
        Problem::new(
            Code::StateConflict,
            format!("\u{201c}{}\u{201d} takes no input: {now}.", self.state.launch.title),
            "Look at it with `qd show`. Nothing was typed.",
        )
    }

    /// Some of what waits was written.
    pub(super) fn wrote_input(&mut self, written: std::io::Result<usize>) {
        match written {
            Ok(bytes) => {
                self.input.wrote(bytes);
                self.input_stuck = None;
            }
            Err(error) => {
                tracing::debug!(session = %self.id, %error, "the pane takes no input");
                self.drop_input(&self.no_program());
            }
        }
    }

    /// Input waits because the program did not read, or is to: its terminal was looked at.
    pub(super) fn looked_at_input(&mut self, unread: Option<u64>) {
        if let Some(unread) = unread {
            self.input.looked(unread);
        }
        let now = Instant::now();
        let since = *self.input_stuck.get_or_insert(now);
        if now.duration_since(since) > INPUT_PATIENCE {
            self.input_stuck = None;
            self.drop_input(&input::full());
        }
    }
}
