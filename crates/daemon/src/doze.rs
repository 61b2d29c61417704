//! Sessions that nobody needs just now are hibernated, where the person has set that.
//!
//! What counts as idle: no output, no input, and a process tree that has used nearly no processor
//! time since. A program that prints nothing and works is not idle. Left alone are programs that
//! would not come back as they were: commands that stop on a loss, and shells that have a program
//! running.

mod pressure;
mod usage;

use std::time::Duration;

use tokio::time::Instant;

pub(crate) use self::pressure::{Candidate, Pressure, watch};
pub(crate) use self::usage::{Usage, usage};

/// Looks at the processes of an idle session, on the way to its end.
const LOOKS: u32 = 10;
/// Share of one processor that a program may use and be idle still: some keep a timer.
const NEARLY_NONE: f64 = 0.02;
/// What one look may find on top of that: the kernel counts in hundredths of a second.
const GRAIN: Duration = Duration::from_millis(30);

/// Since when a session has been idle. All that it knows comes as an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle {
    since: Instant,
    seen: Option<(Instant, Usage)>,
}

impl Idle {
    /// One that was active just now.
    pub(crate) fn new(now: Instant) -> Self {
        Self { since: now, seen: None }
    }

    /// Something was printed or typed.
    pub(crate) fn touch(&mut self, now: Instant) {
        self.since = now;
    }

    /// Since when nothing happened.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// When its processes are to be looked at next, when it is to be idle for `after`.
    pub(crate) fn next_look(&self, after: Duration) -> Instant {
        let last = self.seen.map_or(self.since, |(at, _)| at.max(self.since));
        last + after / LOOKS
    }

    /// Its processes were looked at; whether it has been idle for `after`.
    pub(crate) fn looked(&mut self, now: Instant, usage: Usage, after: Duration) -> bool {
        let before = self.seen.replace((now, usage));
        // At the first look since something happened it is not known what was used before.
        if let Some((at, before)) = before
            && at >= self.since
            && usage.is_busy_since(before, now.saturating_duration_since(at))
        {
            self.since = now;
        }
        now.saturating_duration_since(self.since) >= after
    }
}

impl Usage {
    /// Whether more than nearly nothing was used since an earlier look.
    pub(crate) fn is_busy_since(self, before: Self, elapsed: Duration) -> bool {
        self.cpu.saturating_sub(before.cpu) > elapsed.mul_f64(NEARLY_NONE) + GRAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AFTER: Duration = Duration::from_secs(3600);

    fn used(millis: u64) -> Usage {
        Usage { cpu: Duration::from_millis(millis), processes: 2 }
    }

    /// Looks when it is to, with the processor time used by then; gives when it was found idle.
    fn run(idle: &mut Idle, start: Instant, cpu: impl Fn(Duration) -> u64) -> Option<Duration> {
        loop {
            let now = idle.next_look(AFTER);
            let elapsed = now - start;
            if elapsed > 10 * AFTER {
                return None;
            }
            if idle.looked(now, used(cpu(elapsed)), AFTER) {
                return Some(elapsed);
            }
        }
    }

    #[test]
    fn one_that_does_nothing_is_idle_after_its_time() {
        let start = Instant::now();
        let mut idle = Idle::new(start);
        assert_eq!(run(&mut idle, start, |_| 500), Some(AFTER));
        // A timer that keeps ticking is nearly nothing.
        let mut idle = Idle::new(start);
        assert_eq!(run(&mut idle, start, |at| at.as_secs() * 10), Some(AFTER));
    }

    #[test]
    fn one_that_is_silent_and_busy_is_not() {
        let start = Instant::now();
        let mut idle = Idle::new(start);
        assert_eq!(run(&mut idle, start, |at| at.as_secs() * 500), None);
        // Work in the middle of the time has it begin anew, from when it was last seen to work.
        let mut idle = Idle::new(start);
        let bursts = |at: Duration| if at < AFTER / 2 { 0 } else { 60_000 };
        assert_eq!(run(&mut idle, start, bursts), Some(AFTER / 2 + AFTER));
    }

    #[test]
    fn what_is_printed_or_typed_begins_it_anew() {
        let start = Instant::now();
        let mut idle = Idle::new(start);
        assert!(!idle.looked(start + AFTER / 10, used(0), AFTER));
        let touched = start + AFTER / 2;
        idle.touch(touched);
        assert_eq!(idle.next_look(AFTER), touched + AFTER / 10);
        // What was used before the touch does not count.
        assert!(!idle.looked(touched + AFTER / 10, used(90_000), AFTER));
        assert_eq!(run(&mut idle, touched, |_| 90_000), Some(AFTER));
    }
}
