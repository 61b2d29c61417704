//! The work on the files: `trash.rs` of the daemon, and git's `trash` below it.

use qd_core::{Lifecycle, Pending};

use super::{Bench, Stepped};
use crate::model::cell::{Cell, Files, Pane, Tree};
use crate::model::checks::Wrong;
use crate::model::log::Said;
use crate::model::owner::take_back;

impl Bench<'_> {
    /// What the work on the files may do next: `trash.rs`, and git's `trash` below it.
    pub fn files(&self, out: &mut Vec<Stepped>) {
        if self.repository_busy {
            return;
        }
        match self.cell.files {
            Files::Park => self.park(out),
            Files::Parking => {
                out.push(self.ok("git knows that the worktree is away", |cell| {
                    (cell.tree, cell.files) = (Tree::Away, Files::Parked(Said::Parked));
                }));
                out.push(self.fails("git fails, the worktree is moved back", |cell| {
                    (cell.tree, cell.files) = (Tree::Here, Files::Parked(Said::ParkFailed));
                }));
                out.push(self.fails("git fails, and the worktree cannot be moved back", |cell| {
                    cell.files = Files::Parked(Said::ParkFailed);
                }));
            }
            Files::Unpark => self.unpark(out),
            Files::Unparking => {
                out.push(self.ok("git knows that the worktree is back", |cell| {
                    (cell.tree, cell.files) = (Tree::Here, Files::Unparked(Said::FilesBack));
                }));
                out.push(self.fails("git fails on the way back", |cell| self.turn_back(cell)));
            }
            Files::Purge => self.purge(out),
            _ => {}
        }
    }

    fn park(&self, out: &mut Vec<Stepped>) {
        let Some(session) = self.session() else { return };
        let parked = |report| move |cell: &mut Cell| cell.files = Files::Parked(report);
        let tree = self.cell.tree;
        if let Some(before) = &session.parked {
            let is_back = matches!(tree, Tree::Here | Tree::Back) && before.path.is_some();
            if self.rules.parks_by_the_disk && is_back {
                // A way back was cut short: it is gone on with, and told, before it is parked.
                return self.unpark(out);
            }
            let report = if before.path.is_some() { Said::Parked } else { Said::ParkedNothing };
            out.push(self.ok("it was put away before", parked(report)));
            return;
        }
        if session.place.is_none() || tree == Tree::None || self.is_theirs() {
            out.push(self.ok("there is nothing to put away", parked(Said::ParkedNothing)));
            return;
        }
        match tree {
            Tree::Here | Tree::Back => {
                let mut step = self.ok("the worktree is moved away", |cell| {
                    (cell.tree, cell.files) = (Tree::Moved, Files::Parking);
                });
                if matches!(self.cell.pane, Pane::Waiting | Pane::Alive | Pane::Ended) {
                    step.wrong = Some(Wrong::MovedUnderProgram);
                }
                out.push(step);
            }
            _ => out.push(self.ok("the move away is finished", |cell| {
                (cell.tree, cell.files) = (Tree::Away, Files::Parked(Said::Parked));
            })),
        }
        out.push(self.fails("it cannot be put away", parked(Said::ParkFailed)));
    }

    fn unpark(&self, out: &mut Vec<Stepped>) {
        let Some(session) = self.session() else { return };
        let unparked = |report| move |cell: &mut Cell| cell.files = Files::Unparked(report);
        let away = session.parked.as_ref().is_some_and(|parked| parked.path.is_some());
        if !away || session.place.is_none() {
            out.push(self.ok("there is nothing to bring back", unparked(Said::FilesBack)));
            return;
        }
        let taken = self.other_holds || !self.branch;
        match self.cell.tree {
            Tree::None | Tree::Half => {
                out.push(self.ok("it is gone from the trash", unparked(Said::FilesBackFailed)));
            }
            Tree::Here => out.push(self.ok("it is back already", unparked(Said::FilesBack))),
            Tree::Back if taken => {
                out.push(self.ok("its branch was taken on the way back", |cell| {
                    self.turn_back(cell);
                }));
            }
            Tree::Back => out.push(self.ok("the way back is finished", |cell| {
                (cell.tree, cell.files) = (Tree::Here, Files::Unparked(Said::FilesBack));
            })),
            Tree::Away | Tree::Moved if taken => {
                out.push(self.ok("its branch is taken", unparked(Said::FilesBackFailed)));
            }
            Tree::Away | Tree::Moved => out.push(self.ok("the worktree is moved back", |cell| {
                (cell.tree, cell.files) = (Tree::Back, Files::Unparking);
            })),
        }
        out.push(self.fails("it cannot be brought back", |cell| self.turn_back(cell)));
    }

    /// A way back that fails: the worktree is in the home as before.
    fn turn_back(&self, cell: &mut Cell) {
        if self.rules.unpark_goes_back && matches!(cell.tree, Tree::Back | Tree::Here) {
            cell.tree = Tree::Away;
        }
        cell.files = Files::Unparked(Said::FilesBackFailed);
    }

    fn purge(&self, out: &mut Vec<Stepped>) {
        let Some(session) = self.session() else { return };
        let purged = |report| move |cell: &mut Cell| cell.files = Files::Purged(report);
        let away = session.parked.as_ref().is_some_and(|parked| parked.path.is_some());
        let refused = session.lifecycle != Lifecycle::Trashed;
        if refused || (away && matches!(self.cell.tree, Tree::Here | Tree::Back | Tree::Moved)) {
            out.push(self.ok("that is not what is in the trash", purged(Said::PurgeFailed)));
            return;
        }
        let mut branch = self.branch;
        let mut step = self.ok("it is ended for good", |cell| {
            if away {
                // A branch of ours goes where nothing was done on it and nobody has it.
                let spared =
                    self.other_holds || (self.other_parked && self.rules.parked_branches_stay);
                if cell.made && !cell.dirty && !spared {
                    branch = false;
                }
                (cell.tree, cell.dirty) = (Tree::None, false);
            } else if self.cell.note && self.rules.purge_takes_back {
                branch = take_back(self.rules, Some(session), cell, branch);
                cell.note = false;
            }
            cell.files = Files::Purged(Said::PurgeDone);
        });
        step.branch = branch;
        if self.branch && !branch && self.other_parked {
            step.wrong = Some(Wrong::BranchGone);
        }
        if session.pending != Some(Pending::Purge) {
            step.wrong = Some(Wrong::WorkLost);
        }
        out.push(step);
        out.push(self.fails("it cannot be ended for good", purged(Said::PurgeFailed)));
    }
}
