//! Taking a session one step further to where it is to be, from wherever it stands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{Code, Command, Effect, Exit, Lifecycle, Place, Problem, Session, Work, next};
use tokio::time::Instant;

use super::hold::Hold;
use super::rejoin::ASK_AGAIN;
use super::{Done, END_GRACE, END_LIMIT, Owner};
use crate::shared::Shared;
use crate::supervisor::SupervisorMessage;
use crate::trash;

impl Owner {
    /// Does what comes next, if anything does. Nothing is begun on a state that lacks reports
    /// which could not be stored yet.
    pub(super) async fn advance(&mut self) {
        if self.purged || !self.unsaved.is_empty() {
            return;
        }
        let mut effect = next(&self.state, self.hold.program(self.end_by.is_some()), self.files);
        // What is not ours is not ended, but let go of; then no program is in our hands.
        if effect == Some(Effect::End)
            && let Hold::Here(pane) = &self.hold
            && pane.is_adopted()
        {
            self.let_go().await;
            effect = next(&self.state, self.hold.program(false), self.files);
        }
        match effect {
            None => {}
            Some(Effect::CallOff) => {
                if let Hold::Starting(start) = &self.hold {
                    start.cancel();
                }
            }
            Some(Effect::End) => {
                if let Hold::Here(pane) = &self.hold {
                    pane.end(END_GRACE).await;
                    self.end_by = Some(Instant::now() + END_GRACE + END_LIMIT);
                }
            }
            Some(Effect::Start) => self.begin_start(),
            // What is being shipped ends first, and is answered with another turn.
            Some(Effect::Park) if self.ends_shipping() => {}
            Some(Effect::Park) => self.begin_files(Work::Park),
            Some(Effect::Unpark) => self.begin_files(Work::Unpark),
            Some(Effect::Purge) => self.begin_files(Work::Purge),
        }
    }

    /// Lets go of a pane in the person's own tmux: what runs there goes on, unseen.
    async fn let_go(&mut self) {
        drop(self.hold.take_pane(Hold::Nothing));
        tracing::info!(session = %self.id, "an adopted pane was let go of");
        self.terminal.exited(super::UNKNOWN_EXIT);
        self.drop_all_input(&self.no_program());
        self.save_screen().await;
        self.publish();
    }

    fn begin_files(&mut self, work: Work) {
        self.files = Some(work);
        let (shared, state) = (Arc::clone(&self.shared), self.state.clone());
        self.work.spawn(async move {
            match work {
                Work::Park => park(&shared, &state).await,
                Work::Unpark => {
                    let back = trash::restore(&shared, &state).await;
                    shared.step("files-back").await;
                    Done::Unparked(back)
                }
                Work::Purge => Done::Purged(purge(&shared, &state).await),
            }
        });
    }

    /// Work on the files is done, or failed.
    pub(super) async fn files_done(&mut self, done: Done) {
        self.files = None;
        match done {
            Done::Parked(Ok(parked)) => {
                self.release_claims().await;
                self.report(Command::Parked(Box::new(parked))).await;
            }
            Done::Parked(Err(problem)) => self.failed(problem, Command::ParkFailed).await,
            Done::Unparked(Ok(place)) => {
                if let Some(place) = place.as_deref().or(self.state.place.as_ref()) {
                    self.claim_again(place).await;
                }
                self.report(Command::FilesBack(place)).await;
            }
            Done::Unparked(Err(problem)) => self.failed(problem, Command::FilesBackFailed).await,
            Done::Purged(Ok(())) => self.report(Command::PurgeDone).await,
            Done::Purged(Err(problem)) => self.failed(problem, Command::PurgeFailed).await,
            _ => {}
        }
        // What failed because the daemon stops goes on at the next start, and not before.
        if !self.shared.stop.is_cancelled() {
            self.advance().await;
        }
    }

    /// The program did not end though it was told to: its pane is closed under it.
    pub(super) fn close_pane_by_force(&mut self) {
        let Some(pane) = self.hold.take_pane(Hold::Closing) else { return };
        self.work.spawn(async move { Done::Closed(pane.kill().await.map(|()| None)) });
    }

    /// Ends what tmux has of this session, in a while, though no pane of it is in our hands.
    pub(super) fn end_what_is_left(&mut self, wait: Duration) {
        self.hold = Hold::Closing;
        let (shared, id) = (Arc::clone(&self.shared), self.id.clone());
        self.work.spawn(async move {
            if !shared.pause(wait).await {
                return Done::LeftOpen;
            }
            Done::Closed(shared.panes.end_left(&id).await)
        });
    }

    /// The pane was closed, or that could not be done.
    pub(super) async fn closed(&mut self, result: Result<Option<Exit>, Problem>) {
        match result {
            Ok(exit) => {
                self.hold = Hold::Nothing;
                match self.state.lifecycle {
                    Lifecycle::Running => self.ended(exit).await,
                    Lifecycle::Creating => {
                        self.creation_cut_short("It was deleted while it was made.".to_owned())
                            .await;
                    }
                    _ => self.advance().await,
                }
            }
            Err(problem) => {
                // What runs there may write still: its files stay where they are until it is gone.
                tracing::warn!(session = %self.id, %problem, "the pane could not be closed yet");
                self.end_what_is_left(ASK_AGAIN);
            }
        }
    }

    /// A worktree is back where it was, and ours again.
    pub(super) async fn claim_again(&self, place: &Place) {
        // One who came meanwhile keeps it; the start asks again.
        let _ = self.shared.claim(PathBuf::from(&place.worktree), &self.id, true).await;
    }

    pub(super) async fn release_claims(&self) {
        let message = SupervisorMessage::Release { session: self.id.clone() };
        let _ = self.shared.supervisor.send(message).await;
    }
}

/// Puts the files away. A way back that was cut short is gone on with first, and told of, so that
/// they are put away from where they are.
async fn park(shared: &Shared, state: &Session) -> Done {
    if trash::is_half_back(state) {
        match trash::restore(shared, state).await {
            Ok(place) => return Done::Unparked(Ok(place)),
            Err(problem) if trash::is_half_back(state) => return Done::Parked(Err(problem)),
            // It is where it was put away, as before.
            Err(_) => {}
        }
    }
    Done::Parked(trash::park(shared, state).await)
}

/// Ends the files, with what a creation left that could not be taken back before.
async fn purge(shared: &Shared, state: &Session) -> Result<(), Problem> {
    match super::create::take_back(shared, &state.id).await {
        // There is nothing to take it back from.
        Err(problem) if !matches!(problem.code, Code::PathMissing | Code::NotARepository) => {
            Err(problem)
        }
        _ => trash::purge(shared, state).await,
    }
}
