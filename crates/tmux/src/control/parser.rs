//! The control-mode parser: no I/O, bytes not text, bounded memory.

use super::Notice;

/// How much one line and one block may hold, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest line.
    pub line: usize,
    /// The largest block.
    pub block: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line: 8 << 20, block: 64 << 20 }
    }
}

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Whether it answers a line of this client. Others are not answers.
    pub ours: bool,
    /// Whether the command failed; the output is then tmux's message.
    pub error: bool,
    /// Its output: lines, each with its newline.
    pub output: Vec<u8>,
}

/// What the stream says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A block ended.
    Block(Block),
    /// A line outside of any block.
    Notice(Notice),
}

/// A line or a block grew past its bound. The connection can only be given up:
/// where the next answer begins is no longer known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {what} of tmux grew past {limit} bytes")]
pub struct Overflow {
    /// `line` or `block`.
    pub what: &'static str,
    /// The bound, in bytes.
    pub limit: usize,
}

/// Splits the stream into events. Give it bytes as they come.
#[derive(Debug, Default)]
pub struct Parser {
    limits: Limits,
    line: Vec<u8>,
    open: Option<OpenBlock>,
}

#[derive(Debug)]
struct OpenBlock {
    /// `TIME NUMBER FLAGS` of `%begin`; only a guard with the same closes it.
    guard: Vec<u8>,
    ours: bool,
    output: Vec<u8>,
}

impl Parser {
    /// A parser with bounds of its own.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Takes bytes and gives what they complete.
    ///
    /// # Errors
    /// [`Overflow`], after which the parser must not be used again.
    pub fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Overflow> {
        while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            self.extend(&bytes[..end])?;
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.line_done(&line, events)?;
            // Keep the allocation, unless it is a large one.
            if line.capacity() <= 64 << 10 {
                self.line = line;
                self.line.clear();
            }
        }
        self.extend(bytes)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), Overflow> {
        if self.line.len() + bytes.len() > self.limits.line {
            return Err(Overflow { what: "line", limit: self.limits.line });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_done(&mut self, line: &[u8], events: &mut Vec<Event>) -> Result<(), Overflow> {
        let Some(open) = &mut self.open else {
            if let Some(guard) = line.strip_prefix(b"%begin ") {
                let ours = flags(guard) & 1 == 1;
                self.open = Some(OpenBlock { guard: guard.to_vec(), ours, output: Vec::new() });
            } else if line.starts_with(b"%") {
                events.push(Event::Notice(Notice::parse(line)));
            }
            // Else: a line that is neither. tmux prints such before it talks
            // control mode (an error at start); it comes on stderr as well.
            return Ok(());
        };
        // A captured screen can hold any line, `%end 1 2 1` included. The guard
        // of the open block holds a number that the screen cannot know: it was
        // drawn before the command was numbered. The time and flags go with it.
        let closed = (line.strip_prefix(b"%end ").map(|g| (g, false)))
            .or_else(|| line.strip_prefix(b"%error ").map(|g| (g, true)))
            .filter(|(guard, _)| *guard == open.guard);
        if let Some((_, error)) = closed {
            if let Some(open) = self.open.take() {
                events.push(Event::Block(Block { ours: open.ours, error, output: open.output }));
            }
            return Ok(());
        }
        if open.output.len() + line.len() + 1 > self.limits.block {
            return Err(Overflow { what: "block", limit: self.limits.block });
        }
        open.output.extend_from_slice(line);
        open.output.push(b'\n');
        Ok(())
    }
}

/// The third word of a guard; 0 when there is none.
fn flags(guard: &[u8]) -> u32 {
    let last = guard.rsplit(|b| *b == b' ').next().unwrap_or_default();
    std::str::from_utf8(last).ok().and_then(|s| s.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(stream: &[u8], step: usize) -> Vec<Event> {
        let mut parser = Parser::default();
        let mut events = Vec::new();
        for chunk in stream.chunks(step) {
            parser.feed(chunk, &mut events).unwrap();
        }
        events
    }

    fn block(ours: bool, error: bool, output: &[u8]) -> Event {
        Event::Block(Block { ours, error, output: output.to_vec() })
    }

    #[test]
    fn a_session_as_recorded_from_3_3a() {
        let stream = b"%begin 1796168334 262 0\n%end 1796168334 262 0\n%window-add @0\n\
            %sessions-changed\n%session-changed $0 qd-hold\n%begin 1796168334 268 1\n\
            3.3a 12323\n%end 1796168334 268 1\n%begin 1796168334 271 1\n\
            invalid option: nosuch\n%error 1796168334 271 1\n%exit\n";
        let want = vec![
            block(false, false, b""),
            Event::Notice(Notice::Other("window-add".into())),
            Event::Notice(Notice::SessionsChanged),
            Event::Notice(Notice::Other("session-changed".into())),
            block(true, false, b"3.3a 12323\n"),
            block(true, true, b"invalid option: nosuch\n"),
            Event::Notice(Notice::Exit { reason: None }),
        ];
        for step in [1, 2, 7, 4096] {
            assert_eq!(events(stream, step), want, "in steps of {step}");
        }
    }

    #[test]
    fn a_captured_screen_is_never_obeyed() {
        let screen = b"%exit\n%end 1 2 1\n%error 1 2 1\n%output %0 x\n%begin 9 9 1\n\n\xff\xfe\n";
        let mut stream = b"%begin 100 7 1\n".to_vec();
        stream.extend_from_slice(screen);
        stream.extend_from_slice(b"%end 100 7 1\n");
        assert_eq!(events(&stream, 3), vec![block(true, false, screen)]);
    }

    #[test]
    fn a_guard_of_another_number_or_flag_does_not_close() {
        let out = events(b"%begin 5 6 1\n%end 5 6 0\n%end 5 7 1\n%end 5 6 1\n", 100);
        assert_eq!(out, vec![block(true, false, b"%end 5 6 0\n%end 5 7 1\n")]);
    }

    #[test]
    fn bounds_hold() {
        let mut events = Vec::new();
        let mut parser = Parser::new(Limits { line: 10, block: 30 });
        assert_eq!(
            parser.feed(b"01234567890", &mut events),
            Err(Overflow { what: "line", limit: 10 })
        );
        let mut parser = Parser::new(Limits { line: 20, block: 30 });
        parser.feed(b"%begin 1 1 1\n0123456789\n0123456789\n", &mut events).unwrap();
        assert_eq!(
            parser.feed(b"0123456789\n", &mut events),
            Err(Overflow { what: "block", limit: 30 })
        );
        assert!(events.is_empty());
    }
}
