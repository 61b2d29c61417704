//! The turns of a session's owner, as `crates/daemon/src/session` takes them. Each function
//! names the one that it mirrors. What only shows (terminal, sizes, views, diffs, claims on
//! folders) is left out: it decides nothing here. A turn is one step: its owner takes the next
//! message when it is over, and a crash within it is a crash before the step, or, by the store
//! that fails from some report on, after the reports before that one.

mod hears;

use qd_core::{Action, Code, Effect, Lifecycle, Pending, Program, Session, next};

pub use self::hears::take_back;
use super::cell::{At, Cell, Files, Hold, Job, Pane, WAITING};
use super::checks::Wrong;
use super::log::{Log, Logs, Said, Told};
use super::rules::Rules;

/// What an owner is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A person asks.
    Act(Action),
    /// The daemon is to stop with its sessions.
    EndAsked,
    /// What a creation reports on its way.
    Progress(Said),
    /// Work on the program is done.
    JobDone,
    /// Work on the files is done.
    FilesDone,
    /// The program ended.
    Ended,
    /// The link to the pane is gone.
    LinkLost,
    /// The program took too long to end.
    Deadline,
    /// What could not be stored is tried again.
    StoreAgain,
    /// The daemon was away.
    Recover,
    /// Planted: what was checked before is acted on.
    ActOnTicket,
}

/// What may go either way within a turn.
#[derive(Clone, Copy, Debug)]
pub struct Chance {
    /// How many writes the store takes before it fails.
    pub writes: u8,
    /// Git cannot be asked to take back.
    pub git_fails: bool,
    /// The program was lost just after its start.
    pub soon: bool,
}

impl Chance {
    pub const GOOD: Self = Self { writes: u8::MAX, git_fails: false, soon: false };
}

/// What a turn is given beside the session.
pub struct Turn<'a> {
    pub logs: &'a mut Logs,
    pub rules: &'a Rules,
    pub chance: Chance,
    pub cell: Cell,
    /// The session's branch is there.
    pub branch: bool,
    /// What the turn did and asked.
    pub writes: u8,
    pub asked_git: bool,
    pub asked_soon: bool,
    /// Answers to the person.
    pub answers: u8,
    pub wrong: Option<Wrong>,
}

impl<'a> Turn<'a> {
    pub fn new(
        logs: &'a mut Logs,
        rules: &'a Rules,
        chance: Chance,
        cell: Cell,
        branch: bool,
    ) -> Self {
        let (writes, asked_git, asked_soon, answers) = (0, false, false, 0);
        Self {
            logs,
            rules,
            chance,
            cell,
            branch,
            writes,
            asked_git,
            asked_soon,
            answers,
            wrong: None,
        }
    }

    pub fn take(&mut self, input: Input) {
        match input {
            Input::Act(action) => self.act(action),
            // requests.rs, `SessionMessage::EndAsked`.
            Input::EndAsked if self.rules.waits_for_the_store => self.end_asked(),
            Input::EndAsked => self.report(Said::EndAsked),
            Input::Progress(report) => self.report(report),
            Input::JobDone => self.finished(),
            Input::FilesDone => self.files_done(),
            Input::Ended => self.pane_ended(),
            // output.rs, `PaneEvent::LinkLost`.
            Input::LinkLost => self.join(),
            Input::Deadline => self.close_pane_by_force(),
            // session.rs, `woken`.
            Input::StoreAgain => self.flush(),
            Input::Recover => self.recover(),
            Input::ActOnTicket => self.act_on_ticket(),
        }
    }

    fn session(&self) -> Option<&Session> {
        self.logs.session(self.cell.log)
    }

    fn lifecycle(&self) -> Option<Lifecycle> {
        self.session().map(|session| session.lifecycle)
    }

    fn pending(&self) -> Option<Pending> {
        self.session().and_then(|session| session.pending)
    }

    pub fn fault(&mut self, wrong: Wrong) {
        self.wrong.get_or_insert(wrong);
    }

    /// requests.rs, `SessionMessage::Act` and `begin`.
    fn act(&mut self, action: Action) {
        self.flush();
        if self.rules.waits_for_the_store && self.cell.waits() {
            // It is told that the store fails; nothing was changed.
            self.answers += 1;
            return;
        }
        if !self.cell.is_owned() {
            // Its owner is gone with the session, and so is whoever would decide.
            self.answers += 1;
            return;
        }
        let told = self.logs.tell(self.cell.log, Said::Act(action));
        self.answers += 1;
        match told.answer {
            Err(code) => {
                if code != Code::StateConflict || told.log != self.cell.log {
                    self.fault(Wrong::Answer);
                }
            }
            Ok(events) => {
                if !self.write_down(told) {
                    return;
                }
                if events == 0 && !is_so(self.session(), action) {
                    self.fault(Wrong::Answer);
                }
                if events > 0 && ends_the_program(action) {
                    self.cell.end_wanted = true;
                }
                self.advance();
            }
        }
    }

    fn end_asked(&mut self) {
        self.flush();
        if self.cell.is_owned() && !self.cell.waits() {
            let told = self.logs.tell(self.cell.log, Said::EndAsked);
            self.write_down(told);
        }
    }

    /// session.rs, `write_down`; says whether it is written.
    fn write_down(&mut self, told: Told) -> bool {
        if told.answer == Ok(0) {
            return true;
        }
        if self.writes >= self.chance.writes {
            return false;
        }
        self.writes += 1;
        if told.started {
            if !self.cell.fresh {
                self.fault(Wrong::NeverStarted);
            }
            (self.cell.fresh, self.cell.next_run) = (false, false);
        }
        self.cell.log = told.log;
        if told.log == Log::PURGED {
            // session.rs, `forget`.
            self.cell.viewer = false;
            self.cell.note = false;
            if self.rules.purge_forgets_the_pane && matches!(self.cell.pane, Pane::Gone { .. }) {
                self.cell.pane = Pane::None;
            }
        }
        true
    }

    /// session.rs, `report`.
    fn report(&mut self, report: Said) {
        match self.cell.unsaved.iter_mut().find(|slot| **slot == Said::Nothing) {
            Some(slot) => *slot = report,
            None => self.fault(Wrong::ReportsPileUp),
        }
        self.flush_only();
    }

    /// session.rs, `flush`; and then what comes next, if that waited for it.
    fn flush(&mut self) {
        let waited = self.cell.waits();
        self.flush_only();
        if self.rules.waits_for_the_store && waited && !self.cell.waits() {
            self.advance();
        }
    }

    fn flush_only(&mut self) {
        while self.cell.is_owned() && self.cell.waits() {
            let report = self.cell.unsaved[0];
            let told = self.logs.tell(self.cell.log, report);
            if !self.write_down(told) {
                return;
            }
            // Stored, and not heard to be: it is said once more, and is harmless.
            let again = self.logs.tell(self.cell.log, report);
            if self.cell.is_owned() && (again.answer.is_err() || again.log != self.cell.log) {
                self.fault(Wrong::Twice);
            }
            self.cell.unsaved.rotate_left(1);
            self.cell.unsaved[WAITING - 1] = Said::Nothing;
        }
    }

    /// advance.rs, `advance`.
    pub fn advance(&mut self) {
        if self.rules.waits_for_the_store && self.cell.waits() {
            return;
        }
        let (program, work) = (self.cell.program(), self.cell.work());
        let Some(session) = self.session() else { return };
        let mut effect = next(session, program, work);
        if effect == Some(Effect::End) && session.is_adopted() {
            // advance.rs, `let_go`: what is not ours is not ended.
            effect = next(session, Program::Nothing, work);
            self.cell.hold = Hold::Nothing;
        }
        match effect {
            None => {}
            Some(Effect::CallOff) => {
                self.cell.hold = if self.rules.call_off_is_joined {
                    Hold::Starting { called_off: true }
                } else {
                    Hold::Nothing
                };
                if !self.rules.call_off_is_joined {
                    self.report(Said::CreationFailed);
                    self.advance();
                }
            }
            Some(Effect::End) => self.end(),
            Some(Effect::Start) => self.begin_start(),
            Some(Effect::Park) => self.begin_files(Files::Park),
            Some(Effect::Unpark) => self.begin_files(Files::Unpark),
            Some(Effect::Purge) => self.begin_files(Files::Purge),
        }
    }

    fn end(&mut self) {
        if !self.cell.end_wanted {
            self.fault(Wrong::EndedUnasked);
        }
        let planted = match self.pending() {
            Some(Pending::Hibernate) => !self.rules.hibernated_when_ended,
            Some(Pending::Pause) => !self.rules.files_wait_for_the_end,
            _ => false,
        };
        if planted {
            (self.cell.hold, self.cell.killer) = (Hold::Nothing, true);
            self.report(Said::Exited);
            self.advance();
        } else {
            self.cell.hold = Hold::Here { ending: true };
        }
    }

    /// advance.rs, `begin_files`.
    fn begin_files(&mut self, files: Files) {
        if self.cell.files != Files::None {
            self.fault(Wrong::TwoJobs);
        }
        self.cell.files = files;
    }

    fn begin_job(&mut self, hold: Hold, job: Job) {
        // The one that was called off and is not joined is the planted one.
        if self.cell.job != Job::None && self.rules.call_off_is_joined {
            self.fault(Wrong::TwoJobs);
        }
        (self.cell.hold, self.cell.job) = (hold, job);
    }

    /// start.rs, `begin_start`: the files of the last pane go first.
    fn begin_start(&mut self) {
        if let Pane::Gone { .. } = self.cell.pane {
            self.cell.pane = Pane::None;
        }
        self.begin_job(Hold::Starting { called_off: false }, Job::Start(At::Ready));
    }

    /// rejoin.rs, `join`.
    fn join(&mut self) {
        self.begin_job(Hold::Joining, Job::Join);
    }

    /// advance.rs, `end_what_is_left`.
    fn end_what_is_left(&mut self) {
        self.begin_job(Hold::Closing, Job::EndLeft);
    }

    /// advance.rs, `close_pane_by_force`.
    fn close_pane_by_force(&mut self) {
        self.begin_job(Hold::Closing, Job::Kill);
    }
}

fn ends_the_program(action: Action) -> bool {
    use Action::{Hibernate, Pause, Purge, Restart, Restore, Resume, Trash, Wake};
    match action {
        Trash | Purge | Pause | Hibernate | Restart => true,
        Restore | Resume | Wake => false,
    }
}

/// Whether what is asked is under way or done: only then is `Ok` with no event an answer.
fn is_so(session: Option<&Session>, action: Action) -> bool {
    let Some(session) = session else { return false };
    let (lifecycle, pending) = (session.lifecycle, session.pending);
    match action {
        Action::Trash => {
            pending == Some(Pending::Trash) || (pending, lifecycle) == (None, Lifecycle::Trashed)
        }
        Action::Restore => pending == Some(Pending::Restore),
        Action::Purge => pending == Some(Pending::Purge),
        Action::Pause => {
            pending == Some(Pending::Pause) || (pending, lifecycle) == (None, Lifecycle::Paused)
        }
        Action::Resume => {
            matches!(pending, Some(Pending::Resume | Pending::Wake))
                || (pending, lifecycle) == (None, Lifecycle::Running)
        }
        Action::Hibernate => {
            pending == Some(Pending::Hibernate)
                || (pending, lifecycle) == (None, Lifecycle::Hibernated)
        }
        Action::Wake => {
            pending == Some(Pending::Wake) || (pending, lifecycle) == (None, Lifecycle::Running)
        }
        Action::Restart => pending == Some(Pending::Restart),
    }
}
