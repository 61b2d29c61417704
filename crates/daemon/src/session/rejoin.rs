//! Finding a session's pane again after the daemon was away, or after its stream or the link to
//! it was lost.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{
    AttentionState, Code, Command, Effect, Exit, Found, Lifecycle, Millis, Pending, Place, Problem,
    Program, Size, found, is_older, may_run, next,
};

use super::hold::Hold;
use super::terminal::drawn;
use super::{Done, Owner, RESERVE};
use crate::panes::{Drawing, Pane, Rejoin};
use crate::starts::Rank;

/// How soon a pane that could not be asked is asked again.
pub(super) const ASK_AGAIN: Duration = Duration::from_secs(2);

/// A program that was lost so soon after its start, in milliseconds, would be lost again.
const SOON: i64 = 10_000;

impl Owner {
    /// The daemon was away: what became of the session meanwhile?
    pub(super) async fn recover(&mut self) {
        // Where nothing is known the numbers go on where the last reservation ended.
        let first = self.shared.store.reserved(self.id.as_str()).await.unwrap_or(0);
        self.reserved = first;
        self.left = self.recall(first).await.filter(|_| may_run(&self.state));
        if self.reserved < self.terminal.ring().end() + RESERVE / 2 {
            self.reserve(RESERVE / 2).await;
        }
        if self.state.pending == Some(Pending::Restart) {
            self.lost = Some(self.rank_of_lost());
        }
        if may_run(&self.state) {
            self.join(Duration::ZERO);
        } else {
            self.terminal.exited(self.state.exit);
            if self.shared.panes.knows(&self.id) {
                // Its pane was not closed in order: what is left of it is ended first.
                self.end_what_is_left(Duration::ZERO);
            }
        }
        // One that was not taken back because the daemon stopped. What a session keeps is its own.
        if self.state.lifecycle == Lifecycle::Failed && self.state.place.is_none() {
            super::create::take_back_unfinished(&self.shared, &self.id).await;
        }
        // What was under way goes on, once it is known whether the pane is there.
        self.advance().await;
        if matches!(self.state.lifecycle, Lifecycle::Running) {
            self.forget_screen();
        }
        self.publish();
    }

    /// Looks for the pane, in a while.
    pub(super) fn join(&mut self, wait: Duration) {
        self.hold = Hold::Joining;
        let (shared, id) = (Arc::clone(&self.shared), self.id.clone());
        let left = self.left.clone();
        let adopted = self.state.launch.adopted.clone();
        // Of one that is being made it may not be known where its files are; one that is being
        // taken is taken by its start.
        let begun = self.state.lifecycle == Lifecycle::Running;
        self.work.spawn(async move {
            if !shared.pause(wait).await {
                return Done::LeftOpen;
            }
            Done::Rejoined(match adopted {
                Some(_) if !begun => Ok(Rejoin::NeverStarted(None)),
                Some(at) => shared.panes.take_up(&id, &at).await,
                None => shared.panes.rejoin(&id, left.as_ref()).await,
            })
        });
    }

    /// What was found of the pane.
    pub(super) async fn rejoined(&mut self, result: Result<Rejoin, Problem>) {
        if result.is_ok() {
            self.left = None;
        }
        match result {
            // It is not what is being started: that is, once what is left of it has ended.
            Ok(Rejoin::Exact { .. } | Rejoin::Broken { .. } | Rejoin::Gone { .. })
                if self.is_of_a_run_before() =>
            {
                self.end_what_is_left(Duration::ZERO);
            }
            Ok(Rejoin::Exact { pane, printed, size }) => {
                // What was unsure of it is sure now.
                self.tape.settle();
                self.take_printed(&printed).await;
                self.shared.step("spool-printed").await;
                pane.spool_taken().await;
                self.shared.step("spool-taken").await;
                if !self.tape.is_there() {
                    self.begin_tape();
                }
                // It may have been given another one in the moment of the end.
                self.take_size(size, None);
                self.joined(pane).await;
            }
            Ok(Rejoin::Taken { mut pane }) => {
                tracing::warn!(
                    session = %self.id,
                    "an adopted pane is held again; of what it printed meanwhile only what tmux \
                     shows was seen"
                );
                // A daemon that found it after this would give the new drawing's number again.
                self.tape.drop_it();
                let drawing = pane.take_drawing();
                self.show_first(drawing).await;
                self.joined(pane).await;
            }
            Ok(Rejoin::Broken { pane }) => self.retap(*pane, ASK_AGAIN),
            Ok(Rejoin::Gone { exit, printed, gap }) => {
                self.hold = Hold::Nothing;
                if gap {
                    self.terminal.gap();
                    self.begin_tape();
                }
                self.tape.settle();
                self.take_printed(&printed).await;
                let why = "The daemon ended while the session was being made.".to_owned();
                self.gone(&Found::Gone(exit), why).await;
                // Not before the end is stored: until then the next start is to find it. And not
                // when the program is being started again: those are another pane's.
                if self.unsaved.is_empty() && matches!(self.hold, Hold::Nothing) {
                    self.shared.panes.forget(&self.id);
                }
            }
            Ok(Rejoin::NeverStarted(why)) => {
                self.hold = Hold::Nothing;
                let why = why.unwrap_or_else(|| {
                    "The daemon ended before the program was started.".to_owned()
                });
                self.gone(&Found::NeverStarted, why).await;
            }
            Err(problem) => {
                // A pane that cannot be asked is not gone: the program may well be there.
                tracing::warn!(session = %self.id, %problem, "the pane could not be joined again yet");
                if self.is_to_end() {
                    // It is to end anyway, and tmux may know it where its init does not answer.
                    self.end_what_is_left(ASK_AGAIN);
                } else {
                    self.join(ASK_AGAIN);
                }
            }
        }
    }

    async fn joined(&mut self, pane: Box<Pane>) {
        self.hold = Hold::Here(pane);
        self.seen_running = true;
        for command in found(&self.state, &Found::Here, &cut_short(String::new()), false) {
            self.report(command).await;
            super::create::forget_note(&self.shared, &self.id);
        }
        self.settle_size();
        self.publish();
        self.advance().await;
    }

    /// The pane was looked for, and no program runs.
    async fn gone(&mut self, what: &Found, why: String) {
        if self.state.lifecycle == Lifecycle::Creating {
            return self.creation_cut_short(why).await;
        }
        let soon = self.began_just_now();
        let exit = if let Found::Gone(exit) = what { *exit } else { None };
        let reports = found(&self.state, what, &cut_short(why), soon);
        self.over(exit, reports).await;
    }

    fn began_just_now(&self) -> bool {
        self.shared.clock.now().0.saturating_sub(self.state.changed_at.0) < SOON
    }

    /// Whether the pane that is there was made for a run before the one that is being started.
    fn is_of_a_run_before(&self) -> bool {
        self.shared.panes.run_of(&self.id).is_some_and(|run| is_older(&self.state, run))
    }

    /// Whether what is under way has the program end.
    fn is_to_end(&self) -> bool {
        next(&self.state, Program::Here { ending: false }, None) == Some(Effect::End)
    }

    pub(super) async fn creation_cut_short(&mut self, why: String) {
        let said = super::create::take_back_unfinished(&self.shared, &self.id).await;
        // That nothing says so is no proof: the note may have gone before this was stored.
        let left = |place: &Place| place.made_worktree && Path::new(&place.worktree).exists();
        if self.state.place.as_ref().is_some_and(|place| said || left(place)) {
            self.report(Command::CreationKept(cut_short(why))).await;
        } else {
            self.release_claims().await;
            self.report(Command::CreationFailed(cut_short(why))).await;
        }
        self.terminal.exited(super::UNKNOWN_EXIT);
        self.publish();
        self.advance().await;
    }

    /// The program has ended, and nothing is left of its pane, or it is being closed.
    pub(super) async fn ended(&mut self, exit: Option<Exit>) {
        let exit = exit.filter(Exit::is_known);
        let lost = Command::Lost { soon: self.began_just_now() };
        let report = exit.map_or(lost, |exit| Command::Exited(Some(exit)));
        self.over(exit, vec![report]).await;
    }

    /// The same, with what is to be reported of it.
    async fn over(&mut self, exit: Option<Exit>, reports: Vec<Command>) {
        self.end_by = None;
        self.terminal.exited(exit);
        if reports.iter().any(|report| matches!(report, Command::Lost { .. })) {
            self.lost = Some(self.rank_of_lost());
        }
        for report in reports {
            self.report(report).await;
        }
        self.drop_input(&self.no_program());
        if self.save_screen().await {
            self.tape.drop_it();
        }
        self.count_diff();
        self.publish();
        self.advance().await;
    }

    /// How much it is wanted back, from what it was before it was lost.
    fn rank_of_lost(&self) -> Rank {
        use AttentionState::{Permission, Question};
        Rank::Lost {
            needless: !matches!(self.state.attention().state, Permission | Question),
            loose: !self.state.pinned,
            active: Reverse(self.active_at()),
        }
    }

    /// When it was last active: as we saw, or when its screen was last kept.
    fn active_at(&self) -> Millis {
        let now = self.shared.clock.now();
        let idle = self.idle.since().elapsed().as_millis();
        let seen = Millis(now.0.saturating_sub(i64::try_from(idle).unwrap_or(i64::MAX)));
        if self.seen_running { seen } else { self.state.changed_at }
    }

    /// Takes the stream of a pane anew; when that fails the pane is looked for, in a while.
    pub(super) fn retap(&mut self, pane: Pane, again: Duration) {
        // What is on the tape is not all that came before any more.
        self.tape.drop_it();
        let (panes, id) = (self.shared.panes.clone(), self.id.clone());
        self.work.spawn(async move { Done::Retapped(panes.retap(&id, pane).await, again) });
    }

    pub(super) async fn retapped(
        &mut self,
        result: Result<(Pane, Vec<u8>, Size), Problem>,
        again: Duration,
    ) {
        match result {
            Ok((pane, drawing, size)) => {
                // What was lost has no numbers: who had all before it must not be resumed.
                let next = self.terminal.ring().end() + 1;
                self.redraw(drawing, size, next).await;
                self.reserve(RESERVE / 2).await;
                self.joined(Box::new(pane)).await;
            }
            Err(problem) => {
                tracing::warn!(session = %self.id, %problem, "the stream was not taken again");
                if self.is_to_end() {
                    self.end_what_is_left(again);
                } else {
                    self.join(again);
                }
            }
        }
    }

    /// The tape of a program begins, with what its pane showed before it was ours, if it did.
    pub(super) async fn show_first(&mut self, drawing: Option<Drawing>) {
        let Some((drawing, size)) = drawing else { return self.begin_tape() };
        // The next number is ours before anybody is told of it.
        self.reserve(RESERVE / 2).await;
        let next = self.terminal.ring().end() + 1;
        self.redraw(drawing, size, next).await;
    }

    /// Shows what tmux shows, in place of what we had.
    async fn redraw(&mut self, drawing: Vec<u8>, size: Size, next: u64) {
        let screen = tokio::task::spawn_blocking(move || drawn(size, &drawing));
        match screen.await {
            Ok(screen) => self.terminal.replace(screen, size, next, "lost"),
            Err(error) => {
                tracing::error!(session = %self.id, %error, "a screen was not drawn");
                self.terminal.gap();
            }
        }
        self.begin_tape();
    }
}

fn cut_short(why: String) -> Problem {
    let hint = "Delete it and make it again; what was made on the way was taken back.";
    Problem::new(Code::DaemonStopping, why, hint)
}
