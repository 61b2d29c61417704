//! What a session's owner is asked, message by message.

use bytes::Bytes;
use qd_api::{Operation, SessionView};
use qd_core::{Action, Code, Command, Description, Millis, Problem, Session, Title};

use super::held::Message;
use super::{Owner, replies};
use crate::message::SessionMessage;
use crate::problems;
use crate::viewer::ViewerGone;

impl Owner {
    pub(super) async fn handle(&mut self, message: SessionMessage) {
        match message {
            SessionMessage::Attach { request, events, reply } => {
                if reply.is_closed() {
                    return;
                }
                // One that comes back after its connection was cut does not open it anew.
                let opens = request.principal.is_owner()
                    && !request.read_only
                    && request.from.is_none()
                    && self.sleeps();
                let viewer = self.terminal.attach(request, events);
                if reply.send(Ok(viewer)).is_err() {
                    self.terminal.leave(viewer);
                    return;
                }
                self.count_diff_soon();
                if opens {
                    self.deliver(Message::Opened { viewer }).await;
                }
                self.settle_size();
            }
            SessionMessage::ViewerInput { viewer, data, paste } => {
                if self.terminal.may_type(viewer) {
                    self.deliver(Message::Typed { viewer, data, paste }).await;
                    self.settle_size();
                }
            }
            SessionMessage::ViewerResize { viewer, size } => {
                self.terminal.viewer_resized(viewer, size);
                self.settle_size();
            }
            SessionMessage::ViewerAck { viewer, seq } => self.terminal.ack(viewer, seq),
            SessionMessage::ViewerLease { viewer, take } => {
                self.terminal.lease(viewer, take);
                self.settle_size();
            }
            SessionMessage::ViewerLeft { viewer } => {
                self.terminal.leave(viewer);
                self.settle_size();
            }
            SessionMessage::Revoke { device } => {
                self.terminal.dismiss(Some(&device), ViewerGone::Revoked);
                self.settle_size();
            }
            SessionMessage::Send { data, paste, enter, reply } => {
                self.deliver(Message::Send { data, paste, enter, reply }).await;
            }
            SessionMessage::Keys { keys, reply } => {
                self.deliver(Message::Keys { keys, reply }).await;
            }
            SessionMessage::Resize { size, reply } => {
                self.terminal.size_forced();
                self.ask_resize(size, reply);
            }
            SessionMessage::Screen { query, reply } => {
                let _ = reply.send(Ok(replies::screen(&self.terminal, query)));
            }
            SessionMessage::Scrollback { query, reply } => {
                let _ = reply.send(Ok(replies::scrollback(&self.terminal, query)));
            }
            SessionMessage::Log { query, reply } => {
                let _ = reply.send(Ok(self.log(query.from)));
            }
            SessionMessage::Change { change, expect, reply } => {
                let answer = self.change(change, expect).await;
                let _ = reply.send(answer);
            }
            SessionMessage::Act { action, expect, reply } => {
                let answer = self.begin(action, expect).await;
                if answer.is_ok() {
                    self.advance().await;
                }
                let _ = reply.send(answer);
            }
            SessionMessage::EndAsked { reply } => {
                let answer = self.end_asked().await;
                let _ = reply.send(answer);
            }
            SessionMessage::Natives(natives) => {
                self.terminal.natives(&natives);
                self.settle_size();
            }
            SessionMessage::Idle { reply } => {
                let candidate = self.candidate().filter(|_| !self.terminal.is_watched());
                let _ = reply.send(Ok(candidate));
            }
            SessionMessage::Stat(stat) => self.told_count(stat),
            SessionMessage::Ship { work, reply } => {
                let answer = self.ship(work).await;
                let _ = reply.send(answer);
            }
            SessionMessage::StopShipping { reply } => {
                let _ = reply.send(self.stop_shipping());
            }
        }
    }

    pub(super) fn log(&self, from: Option<u64>) -> (u64, Bytes) {
        let ring = self.terminal.ring();
        let from = from.unwrap_or(0).clamp(ring.start(), ring.end());
        let bytes = ring
            .read(from, usize::MAX)
            .map_or_else(|_| Bytes::new(), |(first, second)| Bytes::from([first, second].concat()));
        (from, bytes)
    }

    pub(super) async fn change(
        &mut self,
        change: qd_api::Change,
        expect: Option<u64>,
    ) -> Result<SessionView, Problem> {
        self.refuse_unsaved().await?;
        self.expect(expect)?;
        let words = description(change)?;
        self.apply(Command::Describe(Box::new(words))).await?;
        Ok(self.shown.borrow().view.as_ref().clone())
    }

    /// Begins what a person asked for, or finds that it is under way or done already.
    pub(super) async fn begin(
        &mut self,
        action: Action,
        expect: Option<u64>,
    ) -> Result<Operation, Problem> {
        self.refuse_unsaved().await?;
        self.expect(expect)?;
        self.apply(action.command()).await?;
        Ok(operation(&self.state, action.as_str()))
    }

    /// Its program is to end with the daemon.
    async fn end_asked(&mut self) -> Result<(), Problem> {
        self.refuse_unsaved().await?;
        self.apply(Command::EndAsked).await
    }

    /// Refuses what somebody asks while reports wait for the store: it would be decided on a state
    /// that is not so any more.
    pub(super) async fn refuse_unsaved(&mut self) -> Result<(), Problem> {
        if self.store_what_waits().await { Ok(()) } else { Err(problems::not_stored()) }
    }

    pub(super) fn expect(&self, expect: Option<u64>) -> Result<(), Problem> {
        match expect {
            Some(version) if version != self.state.version => Err(Problem::new(
                Code::VersionConflict,
                format!(
                    "The session changed meanwhile: it has version {}, not {version}.",
                    self.state.version
                ),
                "Look at it again with `qd show`, then decide anew. Nothing was changed.",
            )),
            _ => Ok(()),
        }
    }
}

/// The operation that a pending change is, or the state that it ended in.
fn operation(state: &Session, word: &'static str) -> Operation {
    Operation {
        id: format!("{}-{word}", state.id),
        session: state.id.to_string(),
        step: word.to_owned(),
        of: 1,
        state: if state.pending.is_some() { "running" } else { "done" }.to_owned(),
    }
}

fn description(change: qd_api::Change) -> Result<Description, Problem> {
    let title = change.title.as_deref().map(Title::parse).transpose();
    let tags = change.tags.as_deref().map(crate::launch::tags).transpose()?;
    if change.notes.as_ref().is_some_and(|notes| notes.chars().count() > 10_000) {
        return Err(Problem::new(
            Code::FieldInvalid,
            "The notes have more than 10,000 characters.",
            "Shorten them, or keep them in a file of the worktree.",
        )
        .on("notes"));
    }
    let wake_at = change.wake_at.as_deref().map(wake_at).transpose()?;
    Ok(Description {
        wake_at,
        title: title.map_err(|error| crate::launch::title_problem(&error))?,
        tags,
        pinned: change.pinned,
        notes: change.notes,
    })
}

/// A time, or none for an empty text.
fn wake_at(text: &str) -> Result<Option<Millis>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    qd_api::millis(text).map(Some).ok_or_else(|| {
        Problem::new(
            Code::FieldInvalid,
            "The time of waking is no time.",
            "Give one as RFC 3339, such as 2026-01-31T08:00:00Z.",
        )
        .on("wake_at")
    })
}
