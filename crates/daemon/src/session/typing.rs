//! From what somebody types to bytes in the pane.

use bytes::Bytes;
use qd_core::{Action, Code, Lifecycle, Pending, Problem};
use tokio::time::Instant;

use super::held::Message;
use super::hold::Hold;
use super::{INPUT_PATIENCE, Owner, input, keys};

/// Whether the program takes input.
enum Takes {
    /// Now.
    Now,
    /// Soon: it is being started, or looked for.
    Soon,
    /// Once somebody asks for the session to be woken.
    Asleep,
    Never,
}

impl Owner {
    fn as_paste(&self, data: &[u8]) -> Bytes {
        Bytes::from(keys::paste(data, self.terminal.screen().modes().bracketed_paste))
    }

    fn takes_input(&self) -> Takes {
        use Lifecycle::{Hibernated, Running};
        match (self.state.lifecycle, self.state.pending) {
            (_, Some(Pending::Create(_) | Pending::Wake | Pending::Restart | Pending::Resume)) => {
                Takes::Soon
            }
            // It is wanted after all.
            (Hibernated, None) | (Running, Some(Pending::Hibernate)) => Takes::Asleep,
            (Running, _) if self.hold.pane().is_some() => Takes::Now,
            (Running, _) if matches!(self.hold, Hold::Joining) => Takes::Soon,
            _ => Takes::Never,
        }
    }

    /// Whether it is hibernated, or about to be: opening it wakes it.
    pub(super) fn sleeps(&self) -> bool {
        matches!(self.takes_input(), Takes::Asleep)
    }

    /// Whether what waits may be written to the pane: not to a program that ends so that another
    /// can take its place.
    pub(super) fn writes(&self) -> bool {
        matches!(self.takes_input(), Takes::Now)
    }

    /// Somebody wants to type, or to see the session run. A program that is not there is waited
    /// for, and started if need be.
    pub(super) async fn deliver(&mut self, message: Message) {
        if let Message::Keys { keys, .. } = &message
            && let Err(problem) = keys.iter().try_for_each(|key| keys::encode(key, false).map(drop))
        {
            return self.fail(message, &problem);
        }
        match self.takes_input() {
            Takes::Asleep | Takes::Soon if message.is_focus_report() => {}
            Takes::Never => self.fail(message, &self.no_program()),
            Takes::Asleep => {
                if let Err(problem) = self.begin(Action::Wake, None).await {
                    return self.fail(message, &problem);
                }
                self.hold_back(message);
                return self.advance().await;
            }
            Takes::Now if self.held.is_empty() && self.is_settled() => self.enter(message),
            Takes::Now | Takes::Soon => self.hold_back(message),
        }
    }

    fn hold_back(&mut self, message: Message) {
        if let Err(message) = self.held.push(message, Instant::now()) {
            self.fail(message, &input::full());
        }
    }

    fn is_settled(&mut self) -> bool {
        let settled = self.held.ready_at().is_none_or(|at| at <= Instant::now());
        if settled {
            self.held.settled();
        }
        settled
    }

    fn fail(&mut self, message: Message, problem: &Problem) {
        if let Some(viewer) = message.fail(problem) {
            self.terminal.refuse(viewer, problem.clone());
        }
    }

    /// Hands over what was held back, if its time has come.
    pub(super) fn settle_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        match self.takes_input() {
            Takes::Now => {
                if self.is_settled() {
                    while let Some(message) = self.held.pop() {
                        if !message.is_given_up() {
                            self.enter(message);
                        }
                    }
                }
            }
            Takes::Soon => {
                if self.held_until().is_some_and(|until| until <= Instant::now()) {
                    self.drop_held(&self.no_program());
                }
            }
            Takes::Asleep | Takes::Never => self.drop_held(&self.no_program()),
        }
    }

    /// When what is held back is to be looked at again, though nothing happened.
    pub(super) fn held_until(&self) -> Option<Instant> {
        let since = self.held.since()?;
        match self.takes_input() {
            Takes::Now => self.held.ready_at(),
            // How a start went is told in any case; that a pane was found is not.
            Takes::Soon if self.state.pending.is_none() => Some(since + INPUT_PATIENCE),
            _ => None,
        }
    }

    /// Puts a message into the queue of the program.
    fn enter(&mut self, message: Message) {
        if !message.is_focus_report() {
            self.idle.touch(Instant::now());
        }
        match message {
            Message::Send { data, paste, enter, reply } => {
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
            Message::Keys { keys, reply } => {
                let application = self.terminal.screen().modes().application_cursor;
                let encoded: Result<Vec<_>, _> =
                    keys.iter().map(|key| keys::encode(key, application)).collect();
                // Keys that cannot be encoded were refused when they came.
                let bytes = Bytes::from(encoded.unwrap_or_default().concat());
                if let Err(input::Refused { done: Some(reply) }) =
                    self.input.push(bytes, Some(reply))
                {
                    let _ = reply.send(Err(input::full()));
                }
            }
            Message::Typed { viewer, data, paste } => {
                let data = if paste { self.as_paste(&data) } else { data };
                if let Err(problem) = self.input.push_typed(data, viewer) {
                    self.terminal.refuse(viewer, problem);
                }
            }
            Message::Opened { .. } => {}
        }
    }

    fn drop_held(&mut self, problem: &Problem) {
        while let Some(message) = self.held.pop() {
            self.fail(message, problem);
        }
    }

    /// Gives up all input, what is held back too: there will be no program.
    pub(super) fn drop_all_input(&mut self, problem: &Problem) {
        self.drop_input(problem);
        self.drop_held(problem);
    }

    /// Gives up all input that waits for the program that was, and tells everyone it came from.
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
