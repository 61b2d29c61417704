use std::time::{Duration, Instant};

use crate::progress::Line;

/// How often a person is told how far it is.
const EVERY: Duration = Duration::from_millis(500);

/// Tells on stderr how far long work is: at a terminal on one line that changes, else not at all.
pub struct Teller {
    what: &'static str,
    last: Instant,
    line: Option<Line>,
}

impl Teller {
    /// Tells nothing until there was some work to wait for. `what` was done so far, as `written`.
    pub fn new(what: &'static str) -> Self {
        Self { what, last: Instant::now(), line: Line::at_terminal() }
    }

    /// Takes note of how far it is.
    pub fn tell(&mut self, entries: u64, size: u64) {
        let Some(line) = self.line.as_mut().filter(|_| self.last.elapsed() >= EVERY) else {
            return;
        };
        self.last = Instant::now();
        line.say(&format!("{entries} files, {} {}", bytes(size), self.what));
    }
}

/// A size for people, such as `1.5 MiB`.
pub fn bytes(count: u64) -> String {
    let mut rest = count as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if rest < 1024.0 {
            let digits = usize::from(unit != "bytes");
            return format!("{rest:.digits$} {unit}");
        }
        rest /= 1024.0;
    }
    format!("{rest:.1} TiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(5 << 30), "5.0 GiB");
        assert_eq!(bytes(3 << 40), "3.0 TiB");
    }
}
