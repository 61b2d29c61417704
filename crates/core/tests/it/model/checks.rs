//! What must hold in every state, and at every step.

use std::fmt;

use qd_core::{Kind, Lifecycle, Pending};

use super::cell::{Cell, Pane, State, Tree};
use super::log::{Log, Logs};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No work is lost.
    WorkLost,
    /// A worktree is in no session's books.
    Forgotten,
    /// No program outlives its session.
    Outlives,
    /// No two owners of one program.
    TwoPrograms,
    /// No two owners of one piece of work.
    TwoJobs,
    /// A program runs where its files are not.
    NoFiles,
    /// Files are moved while a program may write.
    MovedUnderProgram,
    /// Every command gets one answer, and that is true.
    Answer,
    /// A report that comes twice changes something.
    Twice,
    /// Reports wait for the store without a bound.
    ReportsPileUp,
    /// The log says that a program was started, and none was.
    NeverStarted,
    /// We ended a program that nobody asked to end.
    EndedUnasked,
    /// What is put away by the log is not so on the disk.
    NotAway,
    /// A branch is held by a paused or trashed session.
    BranchHeld,
    /// A branch is held twice.
    BranchTwice,
    /// A branch is deleted that a worktree in the home came from.
    BranchGone,
    /// Something of a purged session is there still.
    Leftover,
    /// A question of one run was answered in another.
    OtherRun,
    /// No way leads to where nothing is under way.
    NeverSettles,
    /// No way leads out.
    CannotBeLeft,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WorkLost => "work is lost",
            Self::Forgotten => "a worktree is in no session's books",
            Self::Outlives => "a program outlives its session",
            Self::TwoPrograms => "a program is started while one is there",
            Self::TwoJobs => "two owners: work is begun while such work is under way",
            Self::NoFiles => "a program runs where its files are not",
            Self::MovedUnderProgram => "files are moved while a program may write",
            Self::Answer => "an answer is missing, double or false",
            Self::Twice => "a report that comes twice changes something",
            Self::ReportsPileUp => "reports wait for the store without a bound",
            Self::NeverStarted => "a start is written down that never was",
            Self::EndedUnasked => "a program is ended that nobody asked to end",
            Self::NotAway => "what the log says to be put away is not",
            Self::BranchHeld => "a paused or trashed session holds its branch",
            Self::BranchTwice => "a branch is held twice",
            Self::BranchGone => "a branch is deleted under a worktree that was put away",
            Self::Leftover => "something of a purged session is left over",
            Self::OtherRun => "a question of one run is answered in another",
            Self::NeverSettles => "no way leads to where nothing is under way",
            Self::CannotBeLeft => "no way leads out of this state",
        })
    }
}

/// What is wrong in a state, if anything is.
pub fn wrong_in(logs: &Logs, state: &State, same_branch: bool, kind: Kind) -> Option<Wrong> {
    let [a, b] = &state.cells;
    if same_branch && a.holds_branch() && b.holds_branch() {
        return Some(Wrong::BranchTwice);
    }
    state.cells.iter().find_map(|cell| wrong_with(logs, cell, kind))
}

fn wrong_with(logs: &Logs, cell: &Cell, kind: Kind) -> Option<Wrong> {
    let (theirs, adopted) = (kind != Kind::Worktree, kind == Kind::Adopted);
    if cell.log == Log::PURGED {
        // A pane of the person's own is no business of ours any more.
        let pane = cell.pane != Pane::None && !adopted;
        let left = (cell.tree != Tree::None && !theirs) || pane || cell.note || cell.viewer;
        return left.then_some(Wrong::Leftover);
    }
    let session = logs.session(cell.log)?;
    let settled = session.pending.is_none();
    // What is reported and not written down yet is not held against the log.
    let told = !cell.waits();
    let is_away = matches!(session.lifecycle, Lifecycle::Trashed | Lifecycle::Paused);
    let alive = cell.pane == Pane::Alive;
    if alive && cell.tree != Tree::Here && !adopted {
        return Some(Wrong::NoFiles);
    }
    if cell.dirty && cell.tree == Tree::None && session.pending != Some(Pending::Purge) {
        return Some(Wrong::WorkLost);
    }
    let running = matches!(session.lifecycle, Lifecycle::Running | Lifecycle::Creating);
    if settled && told && alive && !running && !adopted {
        return Some(Wrong::Outlives);
    }
    if settled && told && is_away && session.place.is_some() && !theirs {
        if cell.holds_branch() {
            return Some(Wrong::BranchHeld);
        }
        if cell.tree == Tree::Back {
            return Some(Wrong::NotAway);
        }
    }
    // A note says what the next start is to take back.
    let booked =
        theirs || session.place.is_some() || cell.note || session.lifecycle == Lifecycle::Creating;
    (told && cell.tree != Tree::None && !booked).then_some(Wrong::Forgotten)
}

/// Nothing is under way in the log, or in anybody's hands.
pub fn is_settled(logs: &Logs, cell: &Cell) -> bool {
    cell.is_quiet() && logs.session(cell.log).is_none_or(|session| session.pending.is_none())
}
