use super::NotUnderstood;
use super::heredoc::Pending;
use super::parse::{Parsed, Parser, is_blank};
use super::tree::{Assignment, Command, Direction, Kind, Piece, Redirect, Target, Value, Word};

impl Parser<'_> {
    pub fn simple(&mut self, start: usize) -> Parsed<Command> {
        let (mut assignments, mut words, mut redirects) = (vec![], vec![], vec![]);
        let mut end = self.cursor.at();
        loop {
            self.blanks()?;
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
            } else if let Some(assignment) = self.leading_assignment(&words)? {
                assignments.push(assignment);
            } else if let Some(word) = self.word()? {
                if words.is_empty() && self.is_function() {
                    return self.short_function(&word, start);
                }
                // `declare a=(…)`: an array among the arguments.
                let array = self.cursor.peek(0) == '(' && ends_in_equals(&word);
                words.push(word);
                if array {
                    words.extend(self.array()?);
                }
            } else {
                break;
            }
            self.budget.step(1)?;
            end = self.cursor.at();
        }
        if assignments.is_empty() && words.is_empty() {
            return Err(NotUnderstood::Syntax(if redirects.is_empty() {
                "a command is missing"
            } else {
                "a redirection without a command"
            }));
        }
        let mut text = self.cursor.since(start);
        if end < self.cursor.at() {
            text.truncate(text.trim_end().len());
        }
        Ok(Command { kind: Kind::Simple { assignments, words }, redirects, text })
    }

    fn is_function(&self) -> bool {
        let mut ahead = 0;
        while is_blank(self.cursor.peek(ahead)) {
            ahead += 1;
        }
        self.cursor.peek(ahead) == '('
    }

    fn short_function(&mut self, name: &Word, start: usize) -> Parsed<Command> {
        let name = name
            .bare()
            .ok_or(NotUnderstood::Syntax("a function with a name that is not plain"))?
            .to_owned();
        self.blanks()?;
        self.expect("(")?;
        self.expect(")")?;
        self.newlines()?;
        let kind = self.defined(name)?;
        Ok(Command { kind, redirects: vec![], text: self.cursor.since(start) })
    }

    fn leading_assignment(&mut self, words: &[Word]) -> Parsed<Option<Assignment>> {
        if words.is_empty() { self.assignment() } else { Ok(None) }
    }

    /// `NAME=`, `NAME+=` or `NAME[…]=` here, with its value.
    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let mut length = 0;
        let first = self.cursor.peek(0);
        if !(first.is_ascii_alphabetic() || first == '_') {
            return Ok(None);
        }
        while self.cursor.peek(length).is_ascii_alphanumeric() || self.cursor.peek(length) == '_' {
            length += 1;
        }
        let indexed = self.cursor.peek(length) == '[';
        if !indexed
            && !matches!(
                (self.cursor.peek(length), self.cursor.peek(length + 1)),
                ('=', _) | ('+', '=')
            )
        {
            return Ok(None);
        }
        let start = self.cursor.at();
        self.cursor.skip(length);
        let name = self.cursor.since(start);
        let index = if indexed {
            self.cursor.skip(1);
            Some(self.until(']', false)?)
        } else {
            None
        };
        let appends = self.cursor.eat("+=");
        if !appends && !self.cursor.eat("=") {
            // `a[b]` alone is a word with a pattern; it is rare, and not worth going back.
            return Err(NotUnderstood::Syntax("brackets after a name"));
        }
        let value = if self.cursor.peek(0) == '(' {
            Value::Array(self.array()?)
        } else {
            Value::Scalar(self.word()?.unwrap_or_default())
        };
        Ok(Some(Assignment { name, index, appends, value }))
    }

    fn array(&mut self) -> Parsed<Vec<Word>> {
        self.expect("(")?;
        let mut words = vec![];
        loop {
            self.newlines()?;
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        self.expect(")")?;
        Ok(words)
    }

    pub fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut redirects = vec![];
        loop {
            self.blanks()?;
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let mut digits = 0;
        while self.cursor.peek(digits).is_ascii_digit() {
            digits += 1;
        }
        let sign = self.cursor.peek(digits);
        let both = digits == 0 && self.cursor.looks_at("&>");
        if !(both || matches!(sign, '<' | '>')) {
            return Ok(None);
        }
        // `<(` and `>(` are words.
        if !both && self.cursor.peek(digits + 1) == '(' {
            return if digits == 0 {
                Ok(None)
            } else {
                Err(NotUnderstood::Syntax("a number before a process substitution"))
            };
        }
        let start = self.cursor.at();
        self.cursor.skip(digits);
        let descriptor = self.cursor.since(start).parse().ok();
        let direction = if self.cursor.eat("&>>") {
            Direction::Append
        } else if self.cursor.eat("&>") {
            Direction::Write
        } else if self.cursor.eat("<<<") {
            self.blanks()?;
            let word = self.word()?.ok_or(NotUnderstood::Syntax("a here-string without a word"))?;
            return Ok(Some(Redirect {
                descriptor,
                direction: Direction::Read,
                target: Target::String(word),
            }));
        } else if self.cursor.eat("<<") {
            let target = self.document()?;
            return Ok(Some(Redirect { descriptor, direction: Direction::Read, target }));
        } else if self.cursor.eat("<>") {
            Direction::Both
        } else if self.cursor.eat("<&") || self.cursor.eat(">&") {
            Direction::Duplicate
        } else if self.cursor.eat("<") {
            Direction::Read
        } else if self.cursor.eat(">>") {
            Direction::Append
        } else {
            self.cursor.skip(1);
            self.cursor.eat("|");
            Direction::Write
        };
        self.blanks()?;
        let word = self.word()?.ok_or(NotUnderstood::Syntax("a redirection without a file"))?;
        Ok(Some(Redirect { descriptor, direction, target: Target::Word(word) }))
    }

    fn document(&mut self) -> Parsed<Target> {
        let tabs = self.cursor.eat("-");
        self.blanks()?;
        let word = self.word()?.ok_or(NotUnderstood::Syntax("a here-document without an end"))?;
        let (mut end, mut quoted) = (String::new(), false);
        for piece in &word.pieces {
            match piece {
                Piece::Bare(text) => end.push_str(text),
                Piece::Quoted(text) => {
                    quoted = true;
                    end.push_str(text);
                }
                _ => return Err(NotUnderstood::Syntax("a here-document whose end is not plain")),
            }
        }
        let body = std::rc::Rc::default();
        self.pending.push(Pending { end, quoted, tabs, body: std::rc::Rc::clone(&body) });
        Ok(Target::Document(body))
    }
}

fn ends_in_equals(word: &Word) -> bool {
    matches!(word.pieces.as_slice(), [Piece::Bare(text)] if text.ends_with('='))
}
