//! What comes from without: eyes, questions, and what befalls all at once.

use super::{By, Input, Move, World};
use crate::model::cell::{Cell, Hold, Pane, Question, State};
use crate::model::checks::Wrong;

impl World {
    /// Looking at it, and answering its questions.
    pub(super) fn details(&mut self, from: &State, who: usize, out: &mut Vec<Move>) {
        let cell = from.cells[who];
        let next = Cell { viewer: !cell.viewer, ..cell };
        // In every state, and it changes nothing else.
        let what = if cell.viewer { "a viewer leaves" } else { "a viewer comes" };
        out.push(self.step(from, who, what, By::Program, next));
        if cell.pane == Pane::Alive && cell.question == Question::None {
            let next = Cell { question: Question::ThisRun, ..cell };
            out.push(self.step(from, who, "its program asks for leave", By::Program, next));
        }
        let here = matches!(cell.hold, Hold::Here { .. });
        let one_run = self.scene.rules.approves_one_run;
        match cell.question {
            Question::None => {}
            Question::OlderRun if here && !one_run => {
                let mut step = self.step(from, who, "a person approves", By::Program, cell);
                step.wrong = Some(Wrong::OtherRun);
                out.push(step);
            }
            // It is typed, or it is told that the one who asked is gone.
            Question::ThisRun if here || cell.pane != Pane::Alive => {
                let next = Cell { question: Question::None, ..cell };
                out.push(self.step(from, who, "a person approves", By::Program, next));
            }
            Question::OlderRun => {
                let next = Cell { question: Question::None, ..cell };
                let what = "a person approves what is gone";
                out.push(self.step(from, who, what, By::Program, next));
            }
            // Nobody holds its pane now: refused, and open still.
            Question::ThisRun => {}
        }
    }

    /// What befalls all sessions at once.
    pub(super) fn disasters(&mut self, from: &State, out: &mut Vec<Move>) {
        let mut to = *from;
        for cell in &mut to.cells {
            cell.pane = match cell.pane {
                Pane::None => Pane::None,
                Pane::Ended => Pane::Gone { seen: true },
                Pane::Waiting | Pane::Alive => Pane::Gone { seen: false },
                gone @ Pane::Gone { .. } => gone,
            };
        }
        if to.cells != from.cells {
            out.push(self.happens(from, None, "tmux dies", "", By::Fault, to));
        }
        // The next daemon takes every session up in a turn of its own.
        let hands = |cell: &Cell| if cell.is_owned() { cell.without_hands() } else { *cell };
        let bare = State { cells: from.cells.map(|cell| hands(&cell)), ..*from };
        let mut reached = vec![(bare, "", None)];
        for who in 0..self.scene.sessions {
            let mut next = vec![];
            for (state, more, wrong) in reached {
                if !state.cells[who].is_owned() {
                    next.push((state, more, wrong));
                    continue;
                }
                let mut turns = vec![];
                self.turn(&state, who, Input::Recover, "", By::Work, true, &mut turns);
                next.extend(turns.iter().map(|turn| {
                    let to = State { faults: state.faults, ..turn.to };
                    let more = if turn.more.is_empty() { more } else { turn.more };
                    (to, more, wrong.or(turn.wrong))
                }));
            }
            reached = next;
        }
        for (to, more, wrong) in reached {
            if to.cells != from.cells {
                let what = "the daemon is killed, and started again";
                out.push(Move { wrong, ..self.happens(from, None, what, more, By::Fault, to) });
            }
        }
    }
}
