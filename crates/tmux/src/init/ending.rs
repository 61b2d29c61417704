//! Ending a tree: ask, insist, force; in stated times; until none is left.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::tree;

/// From the hang-up of the terminal to TERM.
const AFTER_HANG_UP: Duration = Duration::from_millis(500);
/// From TERM to KILL after a hang-up, or when the init is told to leave.
const AFTER_TERM: Duration = Duration::from_millis(1500);
/// How long KILL is repeated. What is left then is stuck in the kernel.
const FORCE: Duration = Duration::from_secs(5);
/// How often the tree is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// One ending, moved on by [`Ending::step`].
#[derive(Debug)]
pub(crate) struct Ending {
    /// Signals still to be sent, each with its moment.
    steps: Vec<(Instant, Signal)>,
    give_up: Instant,
}

impl Ending {
    /// TERM now, KILL after the grace.
    pub(crate) fn asked(now: Instant, grace: Duration) -> Self {
        let kill = now + grace;
        Self { steps: vec![(now, Signal::TERM), (kill, Signal::KILL)], give_up: kill + FORCE }
    }

    /// As a terminal that goes away: HUP, TERM, KILL.
    pub(crate) fn hung_up(now: Instant) -> Self {
        let term = now + AFTER_HANG_UP;
        let kill = term + AFTER_TERM;
        let steps = vec![(now, Signal::HUP), (term, Signal::TERM), (kill, Signal::KILL)];
        Self { steps, give_up: kill + FORCE }
    }

    /// What a program that has ended left behind.
    pub(crate) fn left_behind(now: Instant) -> Self {
        Self::asked(now, AFTER_TERM)
    }

    /// Makes this one end no later than the other would.
    pub(crate) fn hurry(&mut self, other: Self) {
        if other.give_up < self.give_up {
            *self = other;
        }
    }

    /// Sends what is due. `Some(n)` when it is over, with n processes left.
    pub(crate) fn step(&mut self, now: Instant, root: i32) -> Option<u32> {
        let living = tree::descendants(root);
        if living.is_empty() {
            return Some(0);
        }
        if now >= self.give_up {
            return Some(u32::try_from(living.len()).unwrap_or(u32::MAX));
        }
        while let Some(&(at, signal)) = self.steps.first()
            && now >= at
        {
            if signal == Signal::KILL {
                // Kept as the last step: each look finds and kills what is new.
                for process in living {
                    tree::signal(process, Signal::KILL);
                }
                break;
            }
            self.steps.remove(0);
            for process in &living {
                tree::signal(*process, signal);
                // A stopped process would hear it only when it goes on.
                tree::signal(*process, Signal::CONT);
            }
        }
        None
    }

    /// When to look again.
    pub(crate) fn wait(&self) -> Duration {
        LOOK
    }
}
