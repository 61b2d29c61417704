//! Finding a session's pane again after the daemon was away, or after its stream was taken.

use std::time::Duration;

use qd_core::{Code, Command, Lifecycle, Pending, Problem, Size};

use super::{Done, Owner, RESERVE};
use crate::panes::{Pane, Rejoin};

/// How soon a pane that could not be asked is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(2);

impl Owner {
    /// The daemon was away: what became of the session meanwhile?
    pub(super) async fn recover(&mut self) {
        let first = self.shared.store.reserved(self.id.as_str()).await.unwrap_or(0);
        let saved = self.saved_screen();
        // Without a saved screen the numbers go on where the last reservation ended.
        let next = saved.as_ref().map_or(first, |(seq, ..)| *seq);
        self.reserved = first;
        match &saved {
            Some((seq, size, drawing)) => self.terminal.replace(drawing, *size, *seq, "lost"),
            None => self.terminal.replace(b"", self.state.launch.size, next, "lost"),
        }
        if let Some((start, output)) = self.saved_output()
            && saved.is_some()
        {
            self.terminal.refill(start, &output);
        }
        if self.reserved < next + RESERVE / 2 {
            self.reserve(RESERVE / 2).await;
        }
        if matches!(self.state.lifecycle, Lifecycle::Running | Lifecycle::Creating) {
            let (panes, id) = (self.shared.panes.clone(), self.id.clone());
            let exact = saved.is_some();
            self.work.spawn(async move { Done::Rejoined(panes.rejoin(&id, exact).await) });
        } else if let Some(exit) = self.state.exit {
            self.terminal.exited(Some(exit));
        }
        // What was under way goes on: each of these can be done again from any point.
        match self.state.pending {
            Some(Pending::Restore) => self.begin_restore(),
            Some(Pending::Purge) => self.begin_purge(),
            // Goes on once it is known whether the pane is there.
            Some(Pending::Trash | Pending::Create(_)) | None => {}
        }
        if !matches!(self.state.lifecycle, Lifecycle::Running | Lifecycle::Creating) {
            self.advance_trash().await;
        }
        if matches!(self.state.lifecycle, Lifecycle::Running) {
            self.forget_screen();
        }
        self.publish();
    }

    /// What was found of the pane.
    pub(super) async fn rejoined(&mut self, result: Result<Rejoin, Problem>) {
        match result {
            Ok(Rejoin::Exact { pane, printed }) => {
                self.take_output(&printed).await;
                pane.spool_taken().await;
                self.pane = Some(*pane);
            }
            Ok(Rejoin::Redrawn { pane, drawing, size }) => {
                let next = self.terminal.ring().end().max(self.reserved);
                self.terminal.replace(&drawing, size, next, "lost");
                self.reserve(RESERVE / 2).await;
                self.pane = Some(*pane);
            }
            Ok(Rejoin::Gone { exit, printed }) => {
                self.take_output(&printed).await;
                if self.state.lifecycle == Lifecycle::Creating {
                    super::create::take_back_unfinished(&self.shared, &self.id).await;
                    self.report(Command::CreationFailed(Problem::new(
                        Code::DaemonStopping,
                        "The daemon ended while the session was being made.",
                        "Delete it and make it again; what was made on the way was taken back.",
                    )))
                    .await;
                } else {
                    self.terminal.exited(exit);
                    self.report(Command::Exited(exit)).await;
                    self.save_screen();
                }
            }
            Err(problem) => {
                // A pane that cannot be asked is not gone: the program may well be there.
                tracing::warn!(session = %self.id, %problem, "the pane could not be joined again yet");
                let (panes, id) = (self.shared.panes.clone(), self.id.clone());
                let stop = self.shared.stop.clone();
                self.work.spawn(async move {
                    tokio::select! {
                        () = tokio::time::sleep(ASK_AGAIN) => {}
                        () = stop.cancelled() => return Done::Closed,
                    }
                    Done::Rejoined(panes.rejoin(&id, false).await)
                });
                return;
            }
        }
        if self.pane.is_some() && self.state.lifecycle == Lifecycle::Creating {
            self.report(Command::Started).await;
        }
        self.settle_size();
        self.publish();
        self.advance_trash().await;
    }

    /// The stream of the pane was taken by somebody else, and asked for again.
    pub(super) async fn retapped(&mut self, result: Result<(Pane, Vec<u8>, Size), Problem>) {
        match result {
            Ok((pane, drawing, size)) => {
                let next = self.terminal.ring().end();
                self.terminal.replace(&drawing, size, next, "lost");
                self.pane = Some(pane);
                self.publish();
            }
            Err(problem) => {
                tracing::info!(session = %self.id, %problem, "the pane is gone");
                self.terminal.exited(None);
                self.report(Command::Exited(None)).await;
                self.advance_trash().await;
            }
        }
    }
}
