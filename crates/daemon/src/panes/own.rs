//! A pane that we made: the stream of its program, and the link to its init.

use std::time::Duration;

use qd_core::{Exit, Problem};
use qd_tmux::PaneRef;
use qd_tmux::pane::{InputGate, PaneEvent as Told, Tap, TapRead};
use tokio::time::Instant;

use super::{Drawing, HISTORY, PaneEvent, drawing};
use crate::problems::tmux as problem;

/// How long the end of a stream may be ahead of the news that its pane is gone.
const NEWS_AFTER_END: Duration = Duration::from_secs(2);
/// How soon a terminal that does not read is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A pane of ours and its stream. Not `Clone`.
#[derive(Debug)]
pub(crate) struct OwnPane {
    // The stream is dropped first: once the link is gone the init reads it.
    pub(super) tap: Option<Tap>,
    link: qd_tmux::pane::Pane,
    gate: InputGate,
    exit: Option<Exit>,
    drained: bool,
    /// When the stream ended.
    cut: Option<Instant>,
}

impl OwnPane {
    pub(super) fn new(link: qd_tmux::pane::Pane, tap: Option<Tap>, exit: Option<Exit>) -> Self {
        Self { link, tap, gate: InputGate::new(), exit, drained: false, cut: None }
    }

    /// Its tmux id.
    pub(crate) fn name(&self) -> String {
        self.link.address.pane.to_string()
    }

    /// The process that all of its processes are below.
    pub(crate) fn root(&self) -> u32 {
        self.link.init_pid
    }

    /// Its full address.
    pub(crate) fn target(&self) -> PaneRef {
        self.link.address
    }

    /// How many bytes of input it may be given now.
    pub(crate) fn allowance(&self) -> usize {
        self.gate.allowance()
    }

    /// Waits for what happens next. `input` is written when there is room for it; with `looks`
    /// the terminal is looked at in a moment, because it was full. Cancel-safe.
    pub(crate) async fn next(&mut self, input: Option<&[u8]>, looks: bool) -> PaneEvent {
        loop {
            if self.drained
                && let Some(exit) = self.exit
            {
                return PaneEvent::Ended(exit);
            }
            let Some(tap) = &mut self.tap else { return self.without_stream().await };
            let writes = input.filter(|bytes| !bytes.is_empty());
            tokio::select! {
                told = self.link.next_event() => match told {
                    Some(Told::Exited(exit)) => {
                        self.exit = Some(seen(exit));
                    }
                    Some(Told::NotMarked) => self.drained = true,
                    Some(Told::LinkLost) | None => return self.lost(),
                    Some(_) => {}
                },
                read = tap.reader.read() => match read {
                    TapRead::Bytes(bytes) => return PaneEvent::Output(bytes),
                    TapRead::Drained => self.drained = true,
                    TapRead::Closed => {
                        self.tap = None;
                        self.cut = Some(Instant::now());
                    }
                },
                wrote = tap.writer.write(writes.unwrap_or_default()), if writes.is_some() => {
                    if let Ok(bytes) = &wrote {
                        self.gate.wrote(*bytes);
                    }
                    return PaneEvent::Wrote(wrote);
                }
                () = tokio::time::sleep(LOOK_AGAIN), if looks => {
                    let unread = self.link.input_queue().await.ok();
                    if let Some(bytes) = unread {
                        self.gate.observed(bytes);
                    }
                    return PaneEvent::Looked(unread);
                }
            }
        }
    }

    /// The link is over.
    fn lost(&self) -> PaneEvent {
        self.exit.map_or(PaneEvent::LinkLost, PaneEvent::Ended)
    }

    /// The stream is over: is the pane gone too? The time that the news of that may take counts
    /// from its end, however often this is called.
    async fn without_stream(&mut self) -> PaneEvent {
        let until = *self.cut.get_or_insert_with(Instant::now) + NEWS_AFTER_END;
        let news = tokio::time::timeout_at(until, async {
            loop {
                match self.link.next_event().await {
                    Some(Told::Exited(exit)) => {
                        self.exit = Some(seen(exit));
                    }
                    Some(Told::LinkLost) | None => return,
                    Some(_) => {}
                }
            }
        });
        match news.await {
            Ok(()) => self.lost(),
            Err(_) => self.exit.map_or(PaneEvent::TapLost, PaneEvent::Ended),
        }
    }

    /// So many bytes of the output that was told last are safe with us now.
    pub(crate) fn taken(&mut self, bytes: usize) {
        if let Some(tap) = &mut self.tap {
            tap.reader.taken(bytes);
        }
    }

    /// Asks the init to end the program and all that it started.
    pub(crate) async fn end(&self, grace: Duration) {
        if let Err(error) = self.link.end(grace).await {
            tracing::debug!(%error, "the init is gone already");
        }
    }

    /// What was printed while no daemon was there is safe with us now.
    pub(crate) async fn spool_taken(&self) {
        if let Err(error) = self.link.spool_taken().await {
            tracing::debug!(%error, "the init is gone already");
        }
    }

    /// Lets the pane go after its program has ended.
    ///
    /// # Errors
    /// When it does not go.
    pub(crate) async fn leave(self) -> Result<(), Problem> {
        let Self { link, tap, .. } = self;
        drop(tap);
        link.leave().await.map_err(|error| problem(&error))
    }

    /// Closes the pane under a program that does not end.
    ///
    /// # Errors
    /// When it does not go.
    pub(crate) async fn kill(self) -> Result<(), Problem> {
        let Self { link, tap, .. } = self;
        drop(tap);
        link.kill().await.map_err(|error| problem(&error))
    }

    pub(super) async fn retap(&mut self) -> Result<Drawing, Problem> {
        self.tap = None;
        let (tap, snapshot) = self.link.retap(HISTORY).await.map_err(|error| problem(&error))?;
        self.tap = Some(tap);
        self.cut = None;
        Ok(drawing(&snapshot))
    }
}

/// How a program ended as far as that is its own end: what went with its terminal is lost, and
/// how is not known.
pub(super) fn seen(exit: qd_tmux::wire::Exit) -> Exit {
    if exit.lost {
        return Exit { code: None, signal: None };
    }
    Exit { code: exit.code, signal: exit.signal }
}
