use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use tokio::time::Instant;

/// What is over sooner is not worth a line.
const AFTER: Duration = Duration::from_millis(500);

/// A line on stderr about what goes on, at a terminal and only when it takes a while.
#[derive(Debug)]
pub struct Progress {
    /// What is done, as a participle.
    word: &'static str,
    since: Instant,
    line: Option<Line>,
}

/// One line on stderr that changes. Dropped, it is gone.
#[derive(Debug, Default)]
pub struct Line {
    shown: bool,
}

impl Line {
    /// None where nobody sees it.
    pub fn at_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(Self::default)
    }

    /// Puts this in place of what it said.
    pub fn say(&mut self, text: &str) {
        self.shown = true;
        put(&format!("\r\u{1b}[K{text}"));
    }
}

impl Progress {
    /// Begins; `word` is a participle such as `Pausing`.
    pub fn new(word: &'static str, json: bool) -> Self {
        let line = if json { None } else { Line::at_terminal() };
        Self { word, since: Instant::now(), line }
    }

    /// Says how many of `all` are done.
    pub fn tell(&mut self, done: usize, all: usize) {
        let took = self.since.elapsed();
        if let Some(line) = self.line.as_mut().filter(|_| took >= AFTER) {
            line.say(&words(self.word, done, all, took));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.shown {
            put("\r\u{1b}[K");
        }
    }
}

fn words(word: &str, done: usize, all: usize, took: Duration) -> String {
    let seconds = took.as_secs();
    match all {
        1 => format!("{word}, {seconds} s"),
        _ => format!("{word}, {done} of {all} done, {seconds} s"),
    }
}

fn put(text: &str) {
    let mut err = std::io::stderr().lock();
    // Nobody is left to tell when stderr is closed.
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_only_several() {
        assert_eq!(words("Pausing", 0, 1, Duration::from_millis(2900)), "Pausing, 2 s");
        assert_eq!(words("Pausing", 3, 9, Duration::from_secs(4)), "Pausing, 3 of 9 done, 4 s");
    }
}
