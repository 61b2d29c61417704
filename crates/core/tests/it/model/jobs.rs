//! The work beside an owner's turns, step by step on tmux and on the disk. A crash may come
//! between any two steps; what was done until then stays done.

mod files;

use qd_core::{Kind, Lifecycle, Pending, Session, is_older};

use super::cell::{At, Cell, Closed, Hold, Job, Joined, Pane, Question, Tree};
use super::checks::Wrong;
use super::log::Logs;
use super::owner::take_back;
use super::rules::Rules;

/// What one step of some work needs to know beside the session.
pub struct Bench<'a> {
    pub logs: &'a Logs,
    pub rules: &'a Rules,
    pub cell: Cell,
    /// The session's branch is there.
    pub branch: bool,
    /// The other session has that very branch checked out.
    pub other_holds: bool,
    /// The other session's worktree was parked from that very branch.
    pub other_parked: bool,
    /// The repository's owner is at work for the other session.
    pub repository_busy: bool,
}

/// What a step led to.
#[derive(Clone, Copy)]
pub struct Stepped {
    pub what: &'static str,
    /// It went wrong where it could have gone well.
    pub fault: bool,
    pub cell: Cell,
    pub branch: bool,
    pub wrong: Option<Wrong>,
}

impl Bench<'_> {
    fn session(&self) -> Option<&Session> {
        self.logs.session(self.cell.log)
    }

    /// What it works in was there before, and is the person's.
    fn is_theirs(&self) -> bool {
        self.session().is_some_and(|session| session.launch.kind != Kind::Worktree)
    }

    /// Its pane is the person's, and is only held.
    fn is_adopted(&self) -> bool {
        self.session().is_some_and(Session::is_adopted)
    }

    fn ok(&self, what: &'static str, change: impl FnOnce(&mut Cell)) -> Stepped {
        let mut cell = self.cell;
        change(&mut cell);
        Stepped { what, fault: false, cell, branch: self.branch, wrong: None }
    }

    fn fails(&self, what: &'static str, change: impl FnOnce(&mut Cell)) -> Stepped {
        Stepped { fault: true, ..self.ok(what, change) }
    }

    /// What the work on the program may do next.
    pub fn job(&self, out: &mut Vec<Stepped>) {
        let called_off = self.cell.hold == (Hold::Starting { called_off: true });
        match self.cell.job {
            Job::Create(at) => self.create(at, called_off, out),
            Job::TakeBack if self.repository_busy => {}
            Job::TakeBack => out.push(self.take_back()),
            Job::Start(at) => self.start(at, called_off, out),
            Job::Join => self.join(out),
            Job::EndLeft => {
                out.push(self.close("what is left of the pane is ended"));
                out.push(self.fails("the pane cannot be ended", closing_failed));
            }
            Job::Leave => {
                out.push(self.close("the pane of the ended program closes"));
                out.push(self.fails("the pane does not close", closing_failed));
            }
            Job::Kill => {
                out.push(self.close("the pane is closed by force"));
                out.push(self.fails("the pane is not closed by force", closing_failed));
            }
            _ => {}
        }
    }

    fn close(&self, what: &'static str) -> Stepped {
        let stays = self.is_adopted() && self.cell.pane == Pane::Alive;
        let unasked = self.cell.pane == Pane::Alive && !self.cell.end_wanted && !stays;
        let mut step = self.ok(what, |cell| {
            cell.pane = if stays { cell.pane } else { Pane::None };
            cell.job = Job::Closed(Closed::Done);
        });
        step.wrong = unasked.then_some(Wrong::EndedUnasked);
        step
    }

    /// create.rs, `Making`.
    fn create(&self, at: At, called_off: bool, out: &mut Vec<Stepped>) {
        let failed = |cell: &mut Cell| {
            (cell.note, cell.job) = (false, Job::Created(false));
        };
        // The pane is taken back whole (tmux `create.rs`, `Rollback`), then the files are.
        let adopted = self.is_adopted();
        let back = |cell: &mut Cell| {
            cell.pane = if adopted { cell.pane } else { Pane::None };
            cell.job = Job::TakeBack;
        };
        if called_off {
            match at {
                At::Begun | At::Fetched => out.push(self.ok("the creation heeds its end", failed)),
                At::Making => out.push(self.unmake("git heeds the end of the creation")),
                At::Ready | At::Pane | At::Spawned => {
                    out.push(self.ok("the start heeds its end", back));
                }
            }
        }
        match at {
            At::Begun => {
                out.push(self.ok("the base is known, a note is written", |cell| {
                    (cell.sent, cell.note, cell.job) = (1, true, Job::Create(At::Fetched));
                }));
                out.push(self.fails("the base cannot be resolved", failed));
            }
            At::Fetched if self.repository_busy => {}
            // A checkout of the person is found, and not made.
            At::Fetched if self.is_theirs() => out.push(self.ok("the folder is found", |cell| {
                (cell.tree, cell.sent) = (Tree::Here, 3);
                cell.job = Job::Create(At::Ready);
            })),
            At::Fetched if self.branch && self.other_holds => {
                out.push(self.ok("its branch is checked out by the other", failed));
            }
            At::Fetched => {
                let made = !self.branch;
                let mut step = self.ok("git begins the worktree", |cell| {
                    (cell.tree, cell.made) = (Tree::Half, made);
                    cell.job = Job::Create(At::Making);
                });
                step.branch = true;
                out.push(step);
                out.push(self.fails("git refuses the worktree", failed));
            }
            At::Making => {
                out.push(self.ok("the worktree is made", |cell| {
                    (cell.tree, cell.sent) = (Tree::Here, 3);
                    cell.job = Job::Create(At::Ready);
                }));
                out.push(Stepped { fault: true, ..self.unmake("git fails in the middle") });
            }
            At::Ready if self.waits_for_place() => {}
            At::Ready if adopted => self.tap(Job::Create(At::Spawned), back, out),
            At::Ready => self.open_pane(Job::Create(At::Pane), back, out),
            At::Pane => self.spawn(Job::Create(At::Spawned), back, out),
            At::Spawned => {
                out.push(self.ok("the creation is done", |cell| {
                    cell.job = Job::Created(true);
                }));
                out.push(self.fails("the link to the new pane is lost", back));
            }
        }
    }

    fn waits_for_place(&self) -> bool {
        self.rules.place_is_written_first && (self.cell.got < 2 || self.cell.waits())
    }

    fn unmake(&self, what: &'static str) -> Stepped {
        let (session, mut branch) = (self.session(), self.branch);
        let mut step = self.ok(what, |cell| {
            branch = take_back(self.rules, session, cell, branch);
            (cell.note, cell.job) = (false, Job::Created(false));
        });
        step.branch = branch;
        step
    }

    fn take_back(&self) -> Stepped {
        let (session, mut branch) = (self.session(), self.branch);
        let theirs = self.is_theirs();
        let mut step = self.ok("what was made is taken back", |cell| {
            branch = take_back(self.rules, session, cell, branch);
            let kept = cell.tree != Tree::None && !theirs;
            cell.note = false;
            cell.job = if kept { Job::CreatedKept } else { Job::Created(false) };
        });
        step.branch = branch;
        step
    }

    /// start.rs, `Start`.
    fn start(&self, at: At, called_off: bool, out: &mut Vec<Stepped>) {
        let adopted = self.is_adopted();
        let back = |cell: &mut Cell| {
            cell.pane = if adopted { cell.pane } else { Pane::None };
            cell.job = Job::Started(false);
        };
        if called_off {
            out.push(self.ok("the start heeds its end", back));
        }
        match at {
            At::Ready if self.cell.tree != Tree::Here => {
                out.push(self.ok("its folder is not there", |cell| cell.job = Job::Started(false)));
            }
            At::Ready if adopted => self.tap(Job::Start(At::Spawned), back, out),
            At::Ready => self.open_pane(Job::Start(At::Pane), back, out),
            At::Pane => self.spawn(Job::Start(At::Spawned), back, out),
            At::Begun | At::Fetched | At::Making => {}
            At::Spawned => {
                out.push(self.ok("the start is done", |cell| cell.job = Job::Started(true)));
                out.push(self.fails("the link to the new pane is lost", back));
            }
        }
    }

    /// create/adopt.rs and start.rs: the person's pane is taken, if it is there.
    fn tap(&self, then: Job, back: impl Fn(&mut Cell), out: &mut Vec<Stepped>) {
        if self.cell.pane == Pane::Alive {
            out.push(self.ok("the pane is tapped", |cell| (cell.job, cell.fresh) = (then, true)));
            out.push(self.fails("the pane is not tapped", back));
        } else {
            out.push(self.ok("there is no pane to tap", back));
        }
    }

    fn open_pane(&self, then: Job, back: impl Fn(&mut Cell), out: &mut Vec<Stepped>) {
        let mut step = self.ok("the pane is made", |cell| {
            (cell.pane, cell.next_run, cell.job) = (Pane::Waiting, true, then);
        });
        // tmux would refuse; that it is asked at all is the fault.
        if matches!(self.cell.pane, Pane::Waiting | Pane::Alive | Pane::Ended) {
            step.wrong = Some(Wrong::TwoPrograms);
        }
        out.push(step);
        out.push(self.fails("tmux refuses the pane", back));
    }

    fn spawn(&self, then: Job, back: impl Fn(&mut Cell), out: &mut Vec<Stepped>) {
        if self.cell.pane != Pane::Waiting {
            out.push(self.ok("the pane is gone before the start", back));
            return;
        }
        let session = self.session();
        let wanted = session.is_some_and(|session| {
            matches!(
                session.pending,
                Some(Pending::Create(_) | Pending::Wake | Pending::Restart | Pending::Resume)
            )
        });
        let mut step = self.ok("the program starts", |cell| {
            (cell.pane, cell.job, cell.fresh) = (Pane::Alive, then, true);
            cell.end_wanted = !wanted;
            if cell.question == Question::ThisRun {
                cell.question = Question::OlderRun;
            }
        });
        if self.cell.tree != Tree::Here {
            step.wrong = Some(Wrong::NoFiles);
        }
        out.push(step);
        out.push(self.fails("the program cannot be started", back));
    }

    /// panes/join.rs, `rejoin`.
    fn join(&self, out: &mut Vec<Stepped>) {
        let found = |joined| move |cell: &mut Cell| cell.job = Job::Joined(joined);
        let unknown = if self.rules.unknown_is_never_started {
            Joined::NeverStarted
        } else {
            Joined::Gone { seen: false }
        };
        let ran = |session: &Session| session.lifecycle == Lifecycle::Running;
        out.push(match self.cell.pane {
            // rejoin.rs, `join`.
            _ if self.is_adopted() && !self.session().is_some_and(ran) => {
                self.ok("it was not held yet", found(Joined::NeverStarted))
            }
            Pane::Alive if self.is_adopted() => self.ok("the pane is tapped again", |cell| {
                (cell.job, cell.fresh) = (Job::Joined(Joined::Here), true);
            }),
            Pane::None if self.is_adopted() => {
                self.ok("the pane is gone", found(Joined::Gone { seen: false }))
            }
            Pane::None => self.ok("no pane is found", found(unknown)),
            Pane::Waiting => self.ok("a pane is found that was never started", |cell| {
                (cell.pane, cell.job) = (Pane::None, Job::Joined(Joined::NeverStarted));
            }),
            _ if self.is_older() => {
                self.ok("a pane of a run before is found", found(Joined::Older))
            }
            Pane::Alive | Pane::Ended => self.ok("the pane is found", found(Joined::Here)),
            Pane::Gone { seen } => {
                self.ok("the pane is found to be gone", found(Joined::Gone { seen }))
            }
        });
        out.push(self.fails("the pane cannot be asked", found(Joined::Failed)));
    }

    /// What is there was started before what is being started now.
    fn is_older(&self) -> bool {
        // With the runs before left uncounted, as the log's are here.
        let run = u64::from(self.cell.next_run);
        self.rules.runs_are_told_apart
            && self.session().is_some_and(|session| is_older(session, run))
    }
}

fn closing_failed(cell: &mut Cell) {
    cell.job = Job::Closed(Closed::Failed);
}
