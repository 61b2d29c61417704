//! What an owner does when it hears how work went, or what became of the program.

use qd_core::{
    Action, Effect, Exit, Found, Kind, Lifecycle, Pending, Program, Session, found, may_run, next,
};

use super::Turn;
use crate::model::cell::{Cell, Closed, Files, Hold, Job, Joined, PROGRESS, Pane, Tree};
use crate::model::log::{Said, said};
use crate::model::rules::Rules;
use crate::model::samples::problem;

impl Turn<'_> {
    /// work.rs, `finished`.
    pub(super) fn finished(&mut self) {
        let job = std::mem::replace(&mut self.cell.job, Job::None);
        let dropped =
            !self.rules.call_off_is_joined && !matches!(self.cell.hold, Hold::Starting { .. });
        match job {
            Job::Created(_) | Job::CreatedKept | Job::Started(_) if dropped => {}
            Job::Created(true) => self.created(),
            Job::Created(false) => self.creation_failed(false),
            Job::CreatedKept => self.creation_failed(true),
            Job::Started(ran) => self.started_again(ran),
            Job::Joined(joined) => self.rejoined(joined),
            Job::Closed(closed) => self.closed(closed),
            _ => unreachable!("it is not done"),
        }
    }

    /// create.rs, `created`: what was reported on the way comes first.
    fn take_progress(&mut self) {
        while self.cell.got < self.cell.sent {
            let report = PROGRESS[usize::from(self.cell.got)];
            self.cell.got += 1;
            self.report(report);
        }
        (self.cell.sent, self.cell.got) = (0, 0);
    }

    fn created(&mut self) {
        self.take_progress();
        self.cell.hold = Hold::Here { ending: false };
        if self.rules.work_is_not_forgotten || self.pending() != Some(Pending::Trash) {
            self.report(Said::Started);
        }
        self.cell.note = false;
        self.advance();
    }

    fn creation_failed(&mut self, kept: bool) {
        self.take_progress();
        self.cell.hold = Hold::Nothing;
        self.report_not_created(kept);
        self.advance();
    }

    fn report_not_created(&mut self, kept: bool) {
        let kept = kept && self.rules.work_is_not_forgotten;
        self.report(if kept { Said::CreationKept } else { Said::CreationFailed });
    }

    /// start.rs, `started_again`.
    fn started_again(&mut self, ran: bool) {
        self.cell.hold = if ran { Hold::Here { ending: false } } else { Hold::Nothing };
        if !ran {
            self.report(Said::StartFailed);
        } else {
            self.report(Said::Started);
        }
        self.advance();
    }

    /// rejoin.rs, `recover`.
    pub(super) fn recover(&mut self) {
        let Some(session) = self.session() else { return };
        let failed = session.lifecycle == Lifecycle::Failed
            && !(self.rules.takes_back_no_place && session.place.is_some());
        if !self.rules.sweep_spares_sessions && !may_run(session) {
            // sweep.rs, `sweep`: by a look at the start, and acted on later.
            self.cell.killer = true;
        }
        if self.session().is_some_and(may_run) {
            self.join();
        } else if self.cell.pane != Pane::None && !self.is_adopted() {
            self.end_what_is_left();
        }
        if failed {
            self.take_back_unfinished();
        }
        self.advance();
    }

    /// rejoin.rs, `rejoined`.
    fn rejoined(&mut self, joined: Joined) {
        match joined {
            Joined::Here => self.joined(),
            Joined::Older => self.end_what_is_left(),
            Joined::Gone { seen } => {
                self.cell.hold = Hold::Nothing;
                let exit = Exit { code: Some(0), signal: None };
                // Nobody knows whether it ran: it is taken to have run rather than run twice.
                self.cell.fresh |= self.cell.next_run;
                self.gone(&Found::Gone(seen.then_some(exit)));
                if !self.cell.waits() && self.cell.job == Job::None {
                    self.cell.pane = Pane::None;
                }
            }
            Joined::NeverStarted => {
                self.cell.hold = Hold::Nothing;
                self.gone(&Found::NeverStarted);
            }
            Joined::Failed if self.is_to_end() => self.end_what_is_left(),
            Joined::Failed => self.join(),
        }
    }

    fn is_adopted(&self) -> bool {
        self.session().is_some_and(Session::is_adopted)
    }

    fn is_to_end(&self) -> bool {
        let program = Program::Here { ending: false };
        self.session().is_some_and(|session| next(session, program, None) == Some(Effect::End))
    }

    /// rejoin.rs, `joined`.
    fn joined(&mut self) {
        self.cell.hold = Hold::Here { ending: false };
        self.report_found(&Found::Here);
        self.advance();
    }

    fn report_found(&mut self, what: &Found) {
        let soon = self.chance.soon;
        let Some(session) = self.session() else { return };
        for command in found(session, what, &problem(), soon) {
            let report = said(&command);
            self.asked_soon |= matches!(report, Said::Lost { .. });
            self.report(report);
            if *what == Found::Here {
                self.cell.note = false;
            }
        }
    }

    /// rejoin.rs, `gone`.
    fn gone(&mut self, what: &Found) {
        if self.lifecycle() == Some(Lifecycle::Creating) {
            return self.creation_cut_short();
        }
        self.report_found(what);
        self.advance();
    }

    /// rejoin.rs, `creation_cut_short`.
    fn creation_cut_short(&mut self) {
        let said = self.take_back_unfinished();
        let session = self.session();
        let kept = session.is_some_and(|session| {
            let seen = self.cell.tree != Tree::None && session.launch.kind == Kind::Worktree;
            session.place.is_some() && (said || (seen && self.rules.left_by_the_disk))
        });
        self.report_not_created(kept);
        self.advance();
    }

    /// create/undo.rs, `take_back_unfinished`, and git's `roll_back_unfinished`.
    fn take_back_unfinished(&mut self) -> bool {
        if !self.cell.note {
            return false;
        }
        self.asked_git = true;
        if !self.chance.git_fails {
            self.branch = self.take_back();
            self.cell.note = false;
        }
        let ours = self.session().is_some_and(|session| session.launch.kind == Kind::Worktree);
        ours && self.cell.tree != Tree::None
    }

    fn take_back(&mut self) -> bool {
        let session = self.logs.session(self.cell.log);
        take_back(self.rules, session, &mut self.cell, self.branch)
    }

    /// output.rs, `PaneEvent::Ended`.
    pub(super) fn pane_ended(&mut self) {
        if self.rules.closes_once {
            self.cell.hold = Hold::Closing;
        }
        self.report(Said::Exited);
        self.advance();
        self.begin_job(self.cell.hold, Job::Leave);
    }

    /// advance.rs, `closed`.
    fn closed(&mut self, closed: Closed) {
        if closed == Closed::Failed {
            return self.end_what_is_left();
        }
        self.cell.hold = Hold::Nothing;
        match self.lifecycle() {
            Some(Lifecycle::Running) => {
                self.report(Said::Exited);
                self.advance();
            }
            Some(Lifecycle::Creating) => self.creation_cut_short(),
            _ => self.advance(),
        }
    }

    /// advance.rs, `files_done`.
    pub(super) fn files_done(&mut self) {
        let files = std::mem::replace(&mut self.cell.files, Files::None);
        match files {
            Files::Parked(report) | Files::Unparked(report) | Files::Purged(report) => {
                self.report(report);
            }
            _ => unreachable!("it is not done"),
        }
        self.advance();
    }

    /// Planted: what `decide` allowed a while ago is done now.
    pub(super) fn act_on_ticket(&mut self) {
        self.cell.tickets -= 1;
        let told = self.logs.tell(self.cell.log, Said::Act(Action::Restore));
        self.write_down(told);
        self.begin_files(Files::Unpark);
    }
}

/// Takes back the tree and the branch that a creation made; says whether the branch is there. One
/// with work in it is kept, with its branch; what we did not make is left as it is.
pub fn take_back(rules: &Rules, session: Option<&Session>, cell: &mut Cell, branch: bool) -> bool {
    let ours = session.is_none_or(|session| session.launch.kind == Kind::Worktree);
    let spared = cell.dirty && rules.take_back_spares_work;
    if !ours || (cell.tree == Tree::Here && spared) {
        return branch;
    }
    cell.tree = Tree::None;
    branch && !std::mem::take(&mut cell.made)
}
