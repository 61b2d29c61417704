//! The link to one pane's init.

use std::time::Duration;

use rustix::fd::OwnedFd;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::conn::Conn;
use super::host::Panes;
use super::tap::{Mark, Tap};
use crate::wire::{Exit, FromPane, ProgramState, ToPane};
use crate::{Error, PaneRef, Result, SessionKey};

/// Messages that may wait for the init.
const QUEUE: usize = 64;
/// Events that may wait for the owner.
const EVENTS: usize = 64;
/// How long the init may take to answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);

/// What happens in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PaneEvent {
    /// The program runs. (One that ends at once may skip this.)
    Started {
        /// Its process and process group.
        pid: u32,
    },
    /// The program could not be started.
    SpawnFailed {
        /// The operating system's number.
        errno: i32,
        /// Its words.
        message: String,
    },
    /// The program ended. What it printed is complete when the tap says
    /// [`super::TapRead::Drained`].
    Exited(Exit),
    /// No mark could be written: the tap will not say `Drained`.
    NotMarked,
    /// After [`Pane::end`]: the tree has been ended.
    Ended {
        /// Processes that could not be.
        left: u32,
    },
    /// The init is gone, or its link broke.
    LinkLost,
}

/// One pane: the only link to its init. Not `Clone`. Dropping it lets the pane
/// be, as when the daemon stops: the init then keeps the output.
///
/// There is no second one, and none after it was let go:
///
/// ```compile_fail,E0599
/// fn two(pane: qd_tmux::pane::Pane) -> [qd_tmux::pane::Pane; 2] {
///     [pane.clone(), pane]
/// }
/// ```
/// ```compile_fail,E0382
/// async fn after_the_end(pane: qd_tmux::pane::Pane) {
///     let _ = pane.leave().await;
///     let _ = pane.kill().await;
/// }
/// ```
/// Each of these is fine alone:
/// ```
/// async fn once(pane: qd_tmux::pane::Pane) {
///     let _ = pane.leave().await;
/// }
/// async fn or_once(pane: qd_tmux::pane::Pane) {
///     let _ = pane.kill().await;
/// }
/// ```
#[derive(Debug)]
pub struct Pane {
    /// Whose pane it is.
    pub key: SessionKey,
    /// Its address.
    pub address: PaneRef,
    /// The init's process.
    pub init_pid: u32,
    /// The terminal, as `/dev/pts/3`.
    pub tty: String,
    pub(crate) events: mpsc::Receiver<PaneEvent>,
    /// Taken out of turn while the pane was made.
    pub(crate) early: Option<PaneEvent>,
    pub(crate) panes: Panes,
    pub(crate) requests: mpsc::Sender<Request>,
    pub(crate) taps: mpsc::Receiver<OwnedFd>,
    pub(crate) mark: watch::Receiver<Option<Mark>>,
    pub(crate) gone: watch::Receiver<bool>,
    _task: JoinSet<()>,
}

pub(crate) enum Request {
    /// Answered when it was sent.
    Send(ToPane, oneshot::Sender<()>),
    InputQueue(oneshot::Sender<u64>),
}

/// What is needed to make a [`Pane`] of a connection.
pub(crate) struct Parts {
    pub conn: Conn,
    pub key: SessionKey,
    pub nonce: String,
    pub address: PaneRef,
    pub init_pid: u32,
    pub tty: String,
    /// How far the program is.
    pub state: ProgramState,
}

impl Pane {
    pub(crate) fn new(panes: Panes, parts: Parts) -> Self {
        let (requests, inbox) = mpsc::channel(QUEUE);
        let (events_in, events) = mpsc::channel(EVENTS);
        let (taps_in, taps) = mpsc::channel(4);
        let (mark_in, mark) = watch::channel(None);
        let (gone_in, gone) = watch::channel(false);
        let exited = matches!(parts.state, ProgramState::Exited(_));
        let link = Link {
            conn: parts.conn,
            inbox,
            events: events_in,
            taps: taps_in,
            mark: mark_in,
            text: Mark::of(&parts.nonce),
            asked: Vec::new(),
        };
        let mut task = JoinSet::new();
        task.spawn(async move {
            link.run(exited).await;
            gone_in.send_replace(true);
        });
        Self {
            key: parts.key,
            address: parts.address,
            init_pid: parts.init_pid,
            tty: parts.tty,
            events,
            early: None,
            panes,
            requests,
            taps,
            mark,
            gone,
            _task: task,
        }
    }

    /// What happens next, in order. `None` after [`PaneEvent::LinkLost`].
    /// Cancel-safe.
    pub async fn next_event(&mut self) -> Option<PaneEvent> {
        match self.early.take() {
            Some(event) => Some(event),
            None => self.events.recv().await,
        }
    }

    /// Ends the program and all that it started: TERM now, KILL after the grace,
    /// until none is left. [`PaneEvent::Exited`] and [`PaneEvent::Ended`] tell.
    ///
    /// # Errors
    /// [`Error::LinkLost`].
    pub async fn end(&self, grace: Duration) -> Result<()> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.send(ToPane::End { grace_ms }).await
    }

    /// Bytes of input that wait in the terminal for the program to read.
    ///
    /// # Errors
    /// [`Error::LinkLost`], or no answer in time.
    pub async fn input_queue(&self) -> Result<u64> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(Request::InputQueue(reply)).await.map_err(|_| Error::LinkLost)?;
        tokio::time::timeout(ANSWER, answer)
            .await
            .map_err(|_| Error::TimedOut { what: "the pane's input queue", after: ANSWER })?
            .map_err(|_| Error::LinkLost)
    }

    /// Says that the spool (see [`super::Reconnected`]) is safe elsewhere.
    ///
    /// # Errors
    /// [`Error::LinkLost`].
    pub async fn spool_taken(&self) -> Result<()> {
        self.send(ToPane::SpoolTaken).await
    }

    /// Sends a message. It is on its way when this returns: a pane that is dropped right after
    /// takes nothing back.
    pub(crate) async fn send(&self, message: ToPane) -> Result<()> {
        let (reply, sent) = oneshot::channel();
        let request = Request::Send(message, reply);
        self.requests.send(request).await.map_err(|_| Error::LinkLost)?;
        sent.await.map_err(|_| Error::LinkLost)
    }

    /// The descriptor that comes next, as a tap.
    pub(crate) async fn next_tap(&mut self) -> Result<Tap> {
        let fd = tokio::time::timeout(ANSWER, self.taps.recv())
            .await
            .map_err(|_| Error::TimedOut { what: "the pane's stream", after: ANSWER })?
            .ok_or(Error::LinkLost)?;
        Tap::new(fd, self.mark.clone()).map_err(Error::io("the pane's stream"))
    }
}

struct Link {
    conn: Conn,
    inbox: mpsc::Receiver<Request>,
    events: mpsc::Sender<PaneEvent>,
    taps: mpsc::Sender<OwnedFd>,
    mark: watch::Sender<Option<Mark>>,
    text: Mark,
    /// Who asked for the input queue; answers come in order.
    asked: Vec<oneshot::Sender<u64>>,
}

impl Link {
    /// Runs until either side is gone.
    async fn run(mut self, exited: bool) {
        if exited && self.ask_for_mark().await.is_err() {
            drop(self.events.send(PaneEvent::LinkLost).await);
            return;
        }
        loop {
            let done = tokio::select! {
                received = self.conn.receive() => match received {
                    Ok(Some((message, fd))) => self.heard(message, fd).await,
                    Ok(None) | Err(_) => Err(Error::LinkLost),
                },
                request = self.inbox.recv() => match request {
                    None => return,
                    Some(Request::Send(message, reply)) => {
                        let sent = self.conn.send(&message).await;
                        if sent.is_ok() {
                            // Whoever asked may be gone.
                            let _ = reply.send(());
                        }
                        sent
                    }
                    Some(Request::InputQueue(reply)) => {
                        self.asked.push(reply);
                        self.conn.send(&ToPane::InputQueue).await
                    }
                },
            };
            if done.is_err() {
                // Who waits for an answer does not take events meanwhile: let go of them first.
                self.inbox.close();
                while self.inbox.try_recv().is_ok() {}
                self.asked.clear();
                // Waits for room: this one must be heard.
                drop(self.events.send(PaneEvent::LinkLost).await);
                return;
            }
        }
    }

    async fn heard(&mut self, message: FromPane, fd: Option<OwnedFd>) -> Result<()> {
        let event = match message {
            FromPane::Started { pid } => PaneEvent::Started { pid },
            FromPane::SpawnFailed { errno, message } => PaneEvent::SpawnFailed { errno, message },
            FromPane::Exited(exit) => {
                self.tell(PaneEvent::Exited(exit))?;
                return self.ask_for_mark().await;
            }
            FromPane::Marked { ok: false } => PaneEvent::NotMarked,
            FromPane::Ended { left } => PaneEvent::Ended { left },
            FromPane::InputQueue { bytes } => {
                if !self.asked.is_empty() {
                    let _ = self.asked.remove(0).send(bytes);
                }
                return Ok(());
            }
            FromPane::Tap => {
                if let Some(fd) = fd {
                    // Nobody waits for a fifth: it is closed.
                    drop(self.taps.try_send(fd));
                }
                return Ok(());
            }
            FromPane::Marked { ok: true }
            | FromPane::Hand { .. }
            | FromPane::Hello { .. }
            | FromPane::Welcome { .. }
            | FromPane::Unknown => return Ok(()),
        };
        self.tell(event)
    }

    /// From now on the reader looks for the mark; only then is it printed.
    async fn ask_for_mark(&mut self) -> Result<()> {
        self.mark.send_replace(Some(self.text.clone()));
        self.conn.send(&ToPane::Mark { text: self.text.text() }).await
    }

    /// An owner that lets its events pile up has lost the pane. One that has let go of it hears
    /// nothing more, and still waits for the end of the link: the init is there until then.
    fn tell(&self, event: PaneEvent) -> Result<()> {
        match self.events.try_send(event) {
            Ok(()) | Err(TrySendError::Closed(_)) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Error::LinkLost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::Peer;

    #[tokio::test]
    async fn an_end_that_nobody_listens_to_is_not_the_end_of_the_link() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let conn = Conn::new(tokio::net::UnixStream::from_std(ours).unwrap()).unwrap();
        let (_requests, inbox) = mpsc::channel(1);
        let (events, mut heard) = mpsc::channel(1);
        let (answer, answered) = oneshot::channel();
        let link = Link {
            conn,
            inbox,
            events,
            taps: mpsc::channel(1).0,
            mark: watch::channel(None).0,
            text: Mark::of("nonce"),
            asked: vec![answer],
        };
        heard.close();
        let mut task = JoinSet::new();
        task.spawn(link.run(false));
        let mut init = Peer::new(theirs).unwrap();
        init.send(&FromPane::Ended { left: 0 }, None);
        init.send(&FromPane::InputQueue { bytes: 7 }, None);
        assert_eq!(answered.await, Ok(7), "it hears what comes after the end of the tree");
        drop(init);
        assert!(task.join_next().await.unwrap().is_ok());
    }
}
