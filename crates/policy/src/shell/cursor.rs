use super::NotUnderstood;

/// Bounds on what is read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Constructs in one another.
    pub depth: u32,
    /// Steps of parser and walker together.
    pub steps: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 128 * 1024, depth: 40, steps: 1_000_000 }
    }
}

/// What is left of the limits.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    limits: Limits,
    left: u32,
    depth: u32,
}

impl Budget {
    /// A budget with all that the limits grant.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, left: limits.steps, depth: 0 }
    }

    /// The bounds it was made of.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Steps that were taken.
    #[must_use]
    pub const fn taken(&self) -> u32 {
        self.limits.steps - self.left
    }

    /// Takes steps.
    ///
    /// # Errors
    /// When none are left.
    pub fn step(&mut self, count: usize) -> Result<(), NotUnderstood> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if count > self.left {
            self.left = 0;
            return Err(NotUnderstood::TooMuch);
        }
        self.left -= count;
        Ok(())
    }

    /// Goes one level down.
    ///
    /// # Errors
    /// When it would be too deep.
    pub fn enter(&mut self) -> Result<(), NotUnderstood> {
        if self.depth >= self.limits.depth {
            return Err(NotUnderstood::TooDeep);
        }
        self.depth += 1;
        Ok(())
    }

    /// Goes one level up.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// A place in the text.
#[derive(Debug)]
pub struct Cursor {
    text: Vec<char>,
    at: usize,
}

impl Cursor {
    pub fn new(text: &str) -> Self {
        Self { text: text.chars().collect(), at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The character `ahead` places on; NUL past the end. Texts with a NUL are not read.
    pub fn peek(&self, ahead: usize) -> char {
        self.text.get(self.at + ahead).copied().unwrap_or('\0')
    }

    pub fn next(&mut self) -> char {
        let c = self.peek(0);
        if !self.ended() {
            self.at += 1;
        }
        c
    }

    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.text.len());
    }

    pub fn looks_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == c)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let there = self.looks_at(text);
        if there {
            self.skip(text.chars().count());
        }
        there
    }

    /// The text from a place up to here.
    pub fn since(&self, start: usize) -> String {
        self.text.get(start..self.at).unwrap_or_default().iter().collect()
    }

    /// The rest of the line, which is left behind with its newline; none at the end.
    pub fn line(&mut self) -> Option<String> {
        if self.ended() {
            return None;
        }
        let start = self.at;
        while !self.ended() && self.peek(0) != '\n' {
            self.at += 1;
        }
        let line = self.since(start);
        self.skip(1);
        Some(line)
    }
}
