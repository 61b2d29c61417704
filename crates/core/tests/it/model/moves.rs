//! Everything that can happen next.

mod befalls;

use qd_core::{Action, Code, Kind, OnLoss};

use super::cell::{At, Cell, Files, Hold, Job, PROGRESS, Pane, State, Tree};
use super::checks::{Wrong, wrong_in};
use super::jobs::{Bench, Stepped};
use super::log::{Log, Logs, Said};
use super::owner::{Chance, Input, Turn};
use super::rules::Rules;

/// What is walked.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    pub rules: Rules,
    /// Sessions: one or two.
    pub sessions: usize,
    /// Both work on one branch, or each on its own.
    pub same_branch: bool,
    /// What becomes of a lost program.
    pub on_loss: OnLoss,
    /// What they work in is made for them, or is the person's.
    pub kind: Kind,
    /// What a person asks, creations included; none: as much as they like.
    pub asks: Option<u8>,
    /// How often something goes wrong; none: as often as it likes.
    pub faults: Option<u8>,
    /// Viewers and questions of programs are part of the world.
    pub details: bool,
    /// Only this is looked for; else whatever is wrong.
    pub only: Option<Wrong>,
}

/// By whose doing it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A person.
    Person,
    /// What is under way goes on, and well.
    Work,
    /// Something that need not go wrong does.
    Fault,
    /// A program, as it likes.
    Program,
}

/// One step.
#[derive(Clone, Copy)]
pub struct Move {
    /// The session, or none where it befalls all.
    pub who: Option<usize>,
    pub what: &'static str,
    pub more: &'static str,
    pub by: By,
    pub to: State,
    pub wrong: Option<Wrong>,
}

/// How a turn went.
#[derive(Clone, Copy)]
struct Went {
    writes: u8,
    asked_git: bool,
    asked_soon: bool,
    cell: Cell,
    branch: bool,
    wrong: Option<Wrong>,
}

/// The scene, and what was learnt of the machine on the way.
pub struct World {
    pub scene: Scene,
    pub logs: Logs,
    steps: Vec<Stepped>,
}

impl World {
    pub fn new(scene: Scene) -> Self {
        Self { scene, logs: Logs::new(), steps: vec![] }
    }

    pub fn first(&self) -> State {
        State {
            cells: [Cell::NEVER; 2],
            branches: [false; 2],
            asks: self.scene.asks.unwrap_or(0),
            faults: self.scene.faults.unwrap_or(0),
        }
    }

    /// All that can happen in a state.
    pub fn moves(&mut self, from: &State, out: &mut Vec<Move>) {
        out.clear();
        let may_ask = self.scene.asks.is_none() || from.asks > 0;
        let may_fail = self.scene.faults.is_none() || from.faults > 0;
        for who in 0..self.scene.sessions {
            let cell = &from.cells[who];
            // A job that nobody holds any more goes on all the same.
            if cell.log != Log::NEVER {
                self.work(from, who, may_fail, out);
                self.program(from, who, out);
            }
            if cell.is_owned() {
                self.events(from, who, may_fail, out);
                if self.scene.details {
                    self.details(from, who, out);
                }
            }
            if may_ask {
                self.person(from, who, may_fail, out);
            }
        }
        if may_fail {
            self.disasters(from, out);
        }
        let only = self.scene.only;
        for step in out.iter_mut() {
            if step.wrong.is_none() {
                let Scene { same_branch, kind, .. } = self.scene;
                step.wrong = wrong_in(&self.logs, &step.to, same_branch, kind);
                if self.scene.kind == Kind::Adopted {
                    step.wrong = step.wrong.or(ends_the_persons(from, step));
                }
            }
            step.wrong = step.wrong.filter(|wrong| only.is_none_or(|only| only == *wrong));
        }
    }

    fn person(&mut self, from: &State, who: usize, may_fail: bool, out: &mut Vec<Move>) {
        let cell = from.cells[who];
        match cell.log {
            Log::NEVER => {
                let log = self.logs.create(self.scene.on_loss, self.scene.kind);
                let hold = Hold::Starting { called_off: false };
                // Who adopts a pane names one that is there.
                let adopted = self.scene.kind == Kind::Adopted;
                let (pane, tree) =
                    if adopted { (Pane::Alive, Tree::Here) } else { (cell.pane, cell.tree) };
                let next = Cell { log, hold, job: Job::Create(At::Begun), pane, tree, ..cell };
                out.push(self.step(from, who, "a person creates it", By::Person, next));
            }
            Log::PURGED => {
                // There is no owner to be asked.
                for action in Action::ALL {
                    let told = self.logs.tell(Log::PURGED, Said::Act(action));
                    assert_eq!(told.answer, Err(Code::UnknownSession));
                }
            }
            log => {
                for action in Action::ALL {
                    let input = Input::Act(action);
                    let changes = self.logs.tell(log, Said::Act(action)).answer != Ok(0);
                    let refused = self.logs.tell(log, Said::Act(action)).answer.is_err();
                    if self.scene.rules.checks_and_acts_at_once || action != Action::Restore {
                        self.turn(from, who, input, ask(action), By::Person, may_fail, out);
                    } else if changes && !refused && cell.tickets < 2 {
                        let next = Cell { tickets: cell.tickets + 1, ..cell };
                        let what = "a person may restore it, by a look";
                        out.push(self.step(from, who, what, By::Person, next));
                    }
                }
                self.turn(from, who, Input::EndAsked, "it is to end", By::Person, may_fail, out);
                // Words change words, in every state.
                let told = self.logs.tell(log, Said::Describe);
                assert!(told.answer == Ok(1) && told.log == log, "a rename changed the state");
            }
        }
    }

    /// Work that goes on beside the turns.
    fn work(&mut self, from: &State, who: usize, may_fail: bool, out: &mut Vec<Move>) {
        let (cell, other) = (from.cells[who], from.cells[1 - who]);
        let same = self.scene.same_branch;
        let bench = Bench {
            logs: &self.logs,
            rules: &self.scene.rules,
            cell,
            branch: from.branches[self.branch_of(who)],
            other_holds: same && other.holds_branch(),
            other_parked: same && other.tree != Tree::None && !other.holds_branch(),
            repository_busy: other.has_the_repository(),
        };
        let mut steps = std::mem::take(&mut self.steps);
        bench.job(&mut steps);
        bench.files(&mut steps);
        for step in steps.drain(..).filter(|step| may_fail || !step.fault) {
            let by = if step.fault { By::Fault } else { By::Work };
            let mut next = self.step(from, who, step.what, by, step.cell);
            next.to.branches[self.branch_of(who)] = step.branch;
            next.wrong = step.wrong;
            out.push(next);
        }
        self.steps = steps;
    }

    /// What the owner is told, and what the program does.
    fn events(&mut self, from: &State, who: usize, may_fail: bool, out: &mut Vec<Move>) {
        let cell = from.cells[who];
        // session.rs, `run`: what was done is not looked at before what was done earlier is stored.
        let hears = !(self.scene.rules.waits_for_the_store && cell.waits());
        let adopted = self.scene.kind == Kind::Adopted;
        let mut tell = |input, what, by| self.turn(from, who, input, what, by, may_fail, out);
        if hears && cell.sent > cell.got && matches!(cell.job, Job::Create(_) | Job::TakeBack) {
            let report = PROGRESS[usize::from(cell.got)];
            tell(Input::Progress(report), "the creation tells how far it is", By::Work);
        }
        let done = matches!(
            cell.job,
            Job::Created(_) | Job::CreatedKept | Job::Started(_) | Job::Joined(_) | Job::Closed(_)
        );
        if hears && done {
            tell(Input::JobDone, "the owner hears of the program", By::Work);
        }
        if hears && matches!(cell.files, Files::Parked(_) | Files::Unparked(_) | Files::Purged(_)) {
            tell(Input::FilesDone, "the owner hears of the files", By::Work);
        }
        if cell.waits() {
            tell(Input::StoreAgain, "the store is tried again", By::Work);
        }
        if cell.tickets > 0 {
            tell(Input::ActOnTicket, "what was looked at is done", By::Work);
        }
        if let Hold::Here { ending } = cell.hold {
            match cell.pane {
                Pane::Ended => tell(Input::Ended, "the owner hears that it ended", By::Work),
                Pane::Alive if may_fail => tell(Input::LinkLost, "its link breaks", By::Fault),
                Pane::Alive => {}
                _ => {
                    if adopted {
                        tell(Input::Ended, "the owner hears that it ended", By::Work);
                    }
                    tell(Input::LinkLost, "the owner sees that the pane is gone", By::Work);
                }
            }
            if ending {
                tell(Input::Deadline, "it took too long to end", By::Work);
            }
        }
    }

    fn program(&mut self, from: &State, who: usize, out: &mut Vec<Move>) {
        let cell = from.cells[who];
        if cell.pane == Pane::Alive {
            let by =
                if cell.hold == (Hold::Here { ending: true }) { By::Work } else { By::Program };
            // The person's pane goes with its program.
            let adopted = self.scene.kind == Kind::Adopted;
            let pane = if adopted { Pane::Gone { seen: false } } else { Pane::Ended };
            let next = Cell { pane, ..cell };
            out.push(self.step(from, who, "its program ends", by, next));
            if !cell.dirty {
                let next = Cell { dirty: true, ..cell };
                out.push(self.step(from, who, "its program writes", By::Program, next));
            }
        }
        if cell.killer {
            let next = Cell { killer: false, pane: Pane::None, ..cell };
            let mut step = self.step(from, who, "an old job ends it by name", By::Work, next);
            if cell.pane == Pane::Alive && !cell.end_wanted {
                step.wrong = Some(Wrong::EndedUnasked);
            }
            out.push(step);
        }
    }

    /// A turn of an owner, in all the ways that it can go.
    #[expect(clippy::too_many_arguments, reason = "all of it is one step's name and place")]
    fn turn(
        &mut self,
        from: &State,
        who: usize,
        input: Input,
        what: &'static str,
        by: By,
        may_fail: bool,
        out: &mut Vec<Move>,
    ) {
        let good = self.take(from, who, input, Chance::GOOD);
        for soon in [false, true].into_iter().take(1 + usize::from(good.asked_soon)) {
            let well = Chance { soon, ..Chance::GOOD };
            let more = if soon { " (soon after its start)" } else { "" };
            let went = if soon { self.take(from, who, input, well) } else { good };
            out.push(self.turned(from, who, (what, more), by, went));
            if !may_fail {
                continue;
            }
            for writes in 0..went.writes {
                let went = self.take(from, who, input, Chance { writes, ..well });
                out.push(self.turned_badly(from, who, (what, " (and the store fails)"), by, went));
            }
            if went.asked_git {
                let went = self.take(from, who, input, Chance { git_fails: true, ..well });
                let words = (what, " (and git cannot take back)");
                out.push(self.turned_badly(from, who, words, by, went));
            }
        }
    }

    fn turned(
        &self,
        from: &State,
        who: usize,
        (what, more): (&'static str, &'static str),
        by: By,
        went: Went,
    ) -> Move {
        let mut step = self.step(from, who, what, by, went.cell);
        step.to.branches[self.branch_of(who)] = went.branch;
        (step.more, step.wrong) = (more, went.wrong);
        step
    }

    fn turned_badly(
        &self,
        from: &State,
        who: usize,
        words: (&'static str, &'static str),
        by: By,
        went: Went,
    ) -> Move {
        let mut step = self.turned(from, who, words, by, went);
        step.to.faults = from.faults.saturating_sub(u8::from(self.scene.faults.is_some()));
        if by != By::Person {
            step.by = By::Fault;
        }
        step
    }

    fn take(&mut self, from: &State, who: usize, input: Input, chance: Chance) -> Went {
        let (mut cell, branch) = (from.cells[who], from.branches[self.branch_of(who)]);
        if matches!(input, Input::Progress(_)) {
            cell.got += 1;
        }
        let mut turn = Turn::new(&mut self.logs, &self.scene.rules, chance, cell, branch);
        turn.take(input);
        if matches!(input, Input::Act(_)) && turn.answers != 1 {
            turn.fault(Wrong::Answer);
        }
        Went {
            writes: turn.writes,
            asked_git: turn.asked_git,
            asked_soon: turn.asked_soon,
            cell: turn.cell,
            branch: turn.branch,
            wrong: turn.wrong,
        }
    }

    fn branch_of(&self, who: usize) -> usize {
        if self.scene.same_branch { 0 } else { who }
    }

    fn step(&self, from: &State, who: usize, what: &'static str, by: By, cell: Cell) -> Move {
        let mut to = *from;
        let next_run = cell.next_run && cell.pane != Pane::None;
        to.cells[who] = Cell { next_run, ..cell };
        self.happens(from, Some(who), what, "", by, to)
    }

    fn happens(
        &self,
        from: &State,
        who: Option<usize>,
        what: &'static str,
        more: &'static str,
        by: By,
        mut to: State,
    ) -> Move {
        let spent = |by_this, bound: Option<u8>| u8::from(by == by_this && bound.is_some());
        to.asks = from.asks.saturating_sub(spent(By::Person, self.scene.asks));
        to.faults = from.faults.saturating_sub(spent(By::Fault, self.scene.faults));
        Move { who, what, more, by, to, wrong: None }
    }
}

/// A pane of the person's own ends by their doing, never by ours, a start of the daemon included.
fn ends_the_persons(from: &State, step: &Move) -> Option<Wrong> {
    let theirs = matches!(step.by, By::Program) || step.what == "tmux dies";
    let mut cells = from.cells.iter().zip(&step.to.cells);
    let ended = cells.any(|(was, is)| was.pane == Pane::Alive && is.pane != Pane::Alive);
    (ended && !theirs).then_some(Wrong::EndedUnasked)
}

fn ask(action: Action) -> &'static str {
    match action {
        Action::Trash => "a person deletes it",
        Action::Restore => "a person restores it",
        Action::Purge => "a person purges it",
        Action::Pause => "a person pauses it",
        Action::Resume => "a person resumes it",
        Action::Hibernate => "a person hibernates it",
        Action::Wake => "a person wakes it",
        Action::Restart => "a person restarts it",
    }
}
