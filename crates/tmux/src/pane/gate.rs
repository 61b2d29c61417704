//! How much input may be written now.
//!
//! tmux takes whatever is written to a pane, also when the program reads nothing
//! (64 MiB in 0.7 s were tried, all of it then held in tmux), and gives no
//! backpressure. What can be seen is the terminal's own queue: it stands at its
//! bound of some 4 KiB when the program does not read.

/// The bound, as a value: it holds no bytes and does no I/O.
///
/// Write at most [`Self::allowance`] and say so with [`Self::wrote`]. When that
/// is 0, ask the pane's input queue, say what it held with [`Self::observed`],
/// and, when the allowance is still 0, ask again a little later.
#[derive(Debug, Clone)]
pub struct InputGate {
    unobserved: usize,
    calm: u8,
}

impl InputGate {
    /// Bytes that may be under way with nobody having looked.
    pub const WINDOW: usize = 64 << 10;
    /// A terminal's queue below this is being read, in bytes.
    const CALM: u64 = 2048;
    /// Looks in a row that must find it so: a single one may fall into the moment
    /// after a read, before tmux fills it again.
    const LOOKS: u8 = 2;

    /// A gate of a pane to which nothing was written.
    #[must_use]
    pub fn new() -> Self {
        Self { unobserved: 0, calm: 0 }
    }

    /// Bytes that may be written now.
    #[must_use]
    pub fn allowance(&self) -> usize {
        Self::WINDOW - self.unobserved
    }

    /// So many bytes were written.
    pub fn wrote(&mut self, bytes: usize) {
        self.unobserved = (self.unobserved + bytes).min(Self::WINDOW);
        self.calm = 0;
    }

    /// The terminal's queue held so many bytes when asked after the last write.
    pub fn observed(&mut self, queue: u64) {
        self.calm = if queue < Self::CALM { self.calm + 1 } else { 0 };
        if self.calm >= Self::LOOKS {
            *self = Self::new();
        }
    }
}

impl Default for InputGate {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_read_gets_one_window() {
        let mut gate = InputGate::new();
        assert_eq!(gate.allowance(), InputGate::WINDOW);
        gate.wrote(60_000);
        gate.wrote(5_536);
        assert_eq!(gate.allowance(), 0);
        for queue in [4095, 4095, 10, 4095, 10] {
            gate.observed(queue);
            assert_eq!(gate.allowance(), 0, "after {queue}");
        }
        gate.observed(0);
        assert_eq!(gate.allowance(), InputGate::WINDOW);
    }
}
