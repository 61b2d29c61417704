//! Ending a tree: ask, insist, force; in stated times; until none is left.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitId, WaitIdOptions};

use super::tree::{self, Process};

/// From the hang-up of the terminal to TERM.
const AFTER_HANG_UP: Duration = Duration::from_millis(500);
/// From TERM to KILL after a hang-up, or when the init is told to leave.
const AFTER_TERM: Duration = Duration::from_millis(1500);
/// How long nothing may have ended before those that ignore TERM are hung up.
const QUIET: Duration = Duration::from_millis(300);
/// How long KILL is repeated. What is left then is stuck in the kernel.
const FORCE: Duration = Duration::from_secs(5);
/// How often the tree is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Most looks in a row, without a pause, at a tree that makes new processes while it is killed.
const BURST: usize = 20;

/// One ending, moved on by [`Ending::step`].
#[derive(Debug)]
pub(crate) struct Ending {
    /// Signals still to be sent, each with its moment.
    steps: Vec<(Instant, Signal)>,
    give_up: Instant,
    /// Those that lived at the last look, and since when none of them has ended.
    living: HashSet<(i32, u64)>,
    quiet_since: Option<Instant>,
    hung_up: HashSet<(i32, u64)>,
}

impl Ending {
    /// TERM now, KILL after the grace; in between, HUP for those that ignore TERM, as an
    /// interactive shell does.
    pub(crate) fn asked(now: Instant, grace: Duration) -> Self {
        let kill = now + grace;
        Self::new(vec![(now, Signal::TERM), (kill, Signal::KILL)], kill)
    }

    /// As a terminal that goes away: HUP, TERM, KILL.
    pub(crate) fn hung_up(now: Instant) -> Self {
        let term = now + AFTER_HANG_UP;
        let kill = term + AFTER_TERM;
        Self::new(vec![(now, Signal::HUP), (term, Signal::TERM), (kill, Signal::KILL)], kill)
    }

    /// What a program that has ended left behind.
    pub(crate) fn left_behind(now: Instant) -> Self {
        Self::asked(now, AFTER_TERM)
    }

    fn new(steps: Vec<(Instant, Signal)>, kill: Instant) -> Self {
        Self {
            steps,
            give_up: kill + FORCE,
            living: HashSet::new(),
            quiet_since: None,
            hung_up: HashSet::new(),
        }
    }

    /// Makes this one end no later than the other would.
    pub(crate) fn hurry(&mut self, other: Self) {
        if other.give_up < self.give_up {
            *self = other;
        }
    }

    /// Sends what is due. `Some(n)` when it is over, with n processes left.
    pub(crate) fn step(&mut self, now: Instant, root: i32) -> Option<u32> {
        if childless() {
            return Some(0);
        }
        let living = tree::descendants(root);
        if now >= self.give_up {
            return Some(u32::try_from(living.len()).unwrap_or(u32::MAX));
        }
        while let Some(&(at, signal)) = self.steps.first()
            && now >= at
        {
            if signal == Signal::KILL {
                // Kept as the last step: each look finds and kills what is new.
                kill(root, &living);
                return None;
            }
            self.steps.remove(0);
            for process in &living {
                ask(*process, signal);
            }
        }
        // From TERM to KILL.
        if matches!(self.steps.as_slice(), [(_, Signal::KILL)]) {
            self.hang_up_the_deaf(now, &living);
        }
        None
    }

    /// Hangs up those that ignore TERM, once nothing has ended for a while. Not one that has
    /// somebody below it who heeds TERM and may be putting its things in order: a shell that is
    /// hung up hangs up its jobs.
    fn hang_up_the_deaf(&mut self, now: Instant, living: &[Process]) {
        let seen: HashSet<_> = living.iter().map(|process| process.id()).collect();
        let one_ended = self.living.iter().any(|process| !seen.contains(process));
        self.living = seen;
        let since = *self.quiet_since.get_or_insert(now);
        if one_ended {
            self.quiet_since = Some(now);
        } else if now.duration_since(since) >= QUIET {
            for process in tree::deaf(living, Signal::TERM) {
                if self.hung_up.insert(process.id()) {
                    ask(process, Signal::HUP);
                }
            }
        }
    }

    /// When to look again.
    pub(crate) fn wait(&self) -> Duration {
        LOOK
    }
}

fn ask(process: Process, signal: Signal) {
    tree::signal(process, signal);
    // A stopped process would hear it only when it goes on.
    tree::signal(process, Signal::CONT);
}

/// Kills all of these, and what they start meanwhile, as far as a few looks in a row reach.
fn kill(root: i32, living: &[Process]) {
    for process in living {
        tree::signal(*process, Signal::KILL);
    }
    // In one go for each group: no member of it can start another in between.
    tree::kill_groups(living);
    let mut misses = 0;
    for _ in 0..BURST {
        misses = if tree::kill_newest_first(root) == 0 { misses + 1 } else { 0 };
        if misses == 2 {
            break;
        }
    }
}

/// Whether this process has no child: then it has no descendant either, since it is the subreaper
/// of all of them. A list of processes cannot say so of those that make others and end themselves.
fn childless() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(rustix::process::waitid(WaitId::All, options), Err(rustix::io::Errno::CHILD))
}
