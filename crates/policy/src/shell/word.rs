use super::parse::{Parsed, Parser, ends_word};
use super::tree::{List, Piece, Word};
use super::{NotUnderstood, parse::is_blank};

impl Parser<'_> {
    /// The word that begins here; none where none begins.
    pub fn word(&mut self) -> Parsed<Option<Word>> {
        let start = self.cursor.at();
        let mut pieces = vec![];
        loop {
            self.budget.step(1)?;
            let c = self.cursor.peek(0);
            if self.cursor.ended() || self.word_ends_at(c) {
                break;
            }
            self.piece(c, &mut pieces)?;
        }
        let read = self.cursor.at() > start;
        Ok(read.then_some(Word { pieces }))
    }

    fn word_ends_at(&self, c: char) -> bool {
        let process = matches!(c, '<' | '>') && self.cursor.peek(1) == '(';
        ends_word(c) && !process
    }

    fn piece(&mut self, c: char, pieces: &mut Vec<Piece>) -> Parsed<()> {
        match c {
            '\'' => {
                self.cursor.skip(1);
                let text = self.single()?;
                pieces.push(Piece::Quoted(text));
            }
            '"' => {
                self.cursor.skip(1);
                pieces.push(Piece::Quoted(String::new()));
                self.quoted(pieces, Some('"'))?;
            }
            '\\' => {
                self.cursor.skip(1);
                if self.cursor.ended() {
                    return Err(NotUnderstood::Syntax("a backslash at the end"));
                }
                let c = self.cursor.next();
                if c != '\n' {
                    pieces.push(Piece::Quoted(c.to_string()));
                } else if !pieces.is_empty() && !ends_word(self.cursor.peek(0)) {
                    // Parsers differ in what such a word is.
                    return Err(NotUnderstood::Syntax("a word that goes on in the next line"));
                }
            }
            '$' => self.dollar(false, pieces)?,
            '`' => {
                let list = self.backquoted(false)?;
                pieces.push(Piece::Substitution(list, false));
            }
            '<' | '>' => {
                self.cursor.skip(2);
                let list = self.list(&[])?;
                self.expect(")")?;
                pieces.push(Piece::Process(list));
            }
            c => {
                self.cursor.skip(1);
                bare(pieces, c);
            }
        }
        Ok(())
    }

    fn single(&mut self) -> Parsed<String> {
        let start = self.cursor.at();
        while !self.cursor.ended() {
            self.budget.step(1)?;
            if self.cursor.peek(0) == '\'' {
                let text = self.cursor.since(start);
                self.cursor.skip(1);
                return Ok(text);
            }
            self.cursor.skip(1);
        }
        Err(NotUnderstood::Syntax("a quote that does not end"))
    }

    /// Text in double quotes, or in a here-document when there is nothing to end it.
    pub fn quoted(&mut self, pieces: &mut Vec<Piece>, end: Option<char>) -> Parsed<()> {
        loop {
            self.budget.step(1)?;
            if self.cursor.ended() {
                return match end {
                    None => Ok(()),
                    Some(_) => Err(NotUnderstood::Syntax("a quote that does not end")),
                };
            }
            let c = self.cursor.peek(0);
            if Some(c) == end {
                self.cursor.skip(1);
                return Ok(());
            }
            match c {
                '\\' => {
                    self.cursor.skip(1);
                    let next = self.cursor.peek(0);
                    match next {
                        '\n' => self.cursor.skip(1),
                        '$' | '`' | '\\' => text(pieces, self.cursor.next()),
                        '"' if end.is_some() => text(pieces, self.cursor.next()),
                        _ => text(pieces, '\\'),
                    }
                }
                '$' => self.dollar(true, pieces)?,
                '`' => {
                    let list = self.backquoted(end.is_some())?;
                    pieces.push(Piece::Substitution(list, true));
                }
                _ => text(pieces, self.cursor.next()),
            }
        }
    }

    pub fn dollar(&mut self, quoted: bool, pieces: &mut Vec<Piece>) -> Parsed<()> {
        self.cursor.skip(1);
        match self.cursor.peek(0) {
            '(' if self.cursor.peek(1) == '(' => {
                self.cursor.skip(2);
                let word = self
                    .arithmetic()?
                    .ok_or(NotUnderstood::Syntax("double parentheses that are no arithmetic"))?;
                pieces.push(Piece::Arithmetic(word));
            }
            '(' => {
                self.cursor.skip(1);
                let list = self.list(&[])?;
                self.expect(")")?;
                pieces.push(Piece::Substitution(list, quoted));
            }
            '{' => {
                self.cursor.skip(1);
                self.parameter(quoted, pieces)?;
            }
            '[' => return Err(NotUnderstood::Syntax("an old form of arithmetic")),
            '\\' if self.cursor.peek(1) == '\n' => {
                return Err(NotUnderstood::Syntax("a line that is continued after a dollar"));
            }
            '\'' if !quoted => {
                self.cursor.skip(1);
                let text = self.escaped()?;
                pieces.push(Piece::Quoted(text));
            }
            '"' if !quoted => {}
            c if c.is_ascii_alphabetic() || c == '_' => {
                let start = self.cursor.at();
                while self.cursor.peek(0).is_ascii_alphanumeric() || self.cursor.peek(0) == '_' {
                    self.cursor.skip(1);
                }
                pieces.push(plain(self.cursor.since(start), quoted));
            }
            c if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.cursor.skip(1);
                pieces.push(plain(c.to_string(), quoted));
            }
            _ if quoted => text(pieces, '$'),
            c if pieces.is_empty() && ends_word(c) => {
                return Err(NotUnderstood::Syntax("a dollar that stands alone"));
            }
            _ => bare(pieces, '$'),
        }
        Ok(())
    }

    fn backquoted(&mut self, quoted: bool) -> Parsed<List> {
        self.cursor.skip(1);
        let mut text = String::new();
        loop {
            self.budget.step(1)?;
            if self.cursor.ended() {
                return Err(NotUnderstood::Syntax("a backquote that does not end"));
            }
            match self.cursor.next() {
                '`' => break,
                '\\' => match self.cursor.peek(0) {
                    '`' | '\\' | '$' => text.push(self.cursor.next()),
                    '"' if quoted => text.push(self.cursor.next()),
                    _ => text.push('\\'),
                },
                c => text.push(c),
            }
        }
        self.budget.enter()?;
        let list = super::parse(&text, self.budget)?;
        self.budget.leave();
        Ok(list)
    }

    /// What stands up to `))`; none when the parentheses close in another way.
    pub fn arithmetic(&mut self) -> Parsed<Option<Word>> {
        self.budget.enter()?;
        let mut pieces = vec![];
        let mut open = 0_u32;
        loop {
            self.budget.step(1)?;
            if self.cursor.ended() {
                return Ok(None);
            }
            match self.cursor.peek(0) {
                ')' if open == 0 => {
                    self.budget.leave();
                    let blank = |piece: &Piece| matches!(piece, Piece::Quoted(text) if text.trim().is_empty());
                    if pieces.iter().all(blank) {
                        return Err(NotUnderstood::Syntax("arithmetic with nothing in it"));
                    }
                    return Ok(self.cursor.eat("))").then_some(Word { pieces }));
                }
                ')' => {
                    open -= 1;
                    text(&mut pieces, self.cursor.next());
                }
                '(' => {
                    open += 1;
                    text(&mut pieces, self.cursor.next());
                }
                '.' | '@' | '\\' | '\'' => {
                    return Err(NotUnderstood::Syntax("arithmetic with what is no number"));
                }
                '<' | '>' if self.cursor.peek(1) == '(' => {
                    return Err(NotUnderstood::Syntax("a process substitution in arithmetic"));
                }
                '<' | '>' | ' ' | '\t' | '\n' | ';' | '&' | '|' => {
                    text(&mut pieces, self.cursor.next());
                }
                c => self.piece(c, &mut pieces)?,
            }
        }
    }

    /// A word up to a closing character, which is taken; blanks and signs count as text.
    pub fn until(&mut self, end: char, quoted: bool) -> Parsed<Word> {
        self.budget.enter()?;
        let mut pieces = vec![];
        loop {
            self.budget.step(1)?;
            if self.cursor.ended() {
                return Err(NotUnderstood::Syntax("a brace or bracket that is not closed"));
            }
            let c = self.cursor.peek(0);
            if c == end {
                self.cursor.skip(1);
                self.budget.leave();
                return Ok(Word { pieces });
            }
            if matches!(c, '<' | '>') && self.cursor.peek(1) == '(' {
                self.piece(c, &mut pieces)?;
            } else if is_blank(c) || ends_word(c) {
                self.cursor.skip(1);
                bare(&mut pieces, c);
            } else if quoted && c == '\'' {
                self.cursor.skip(1);
                text(&mut pieces, c);
            } else if quoted && c == '$' {
                self.dollar(true, &mut pieces)?;
            } else {
                self.piece(c, &mut pieces)?;
            }
        }
    }

    /// What `$'…'` stands for.
    fn escaped(&mut self) -> Parsed<String> {
        let mut text = String::new();
        loop {
            self.budget.step(1)?;
            if self.cursor.ended() {
                return Err(NotUnderstood::Syntax("a quote that does not end"));
            }
            match self.cursor.next() {
                '\'' => return Ok(text),
                '\\' => {
                    let c = self.cursor.next();
                    match c {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        '\\' | '\'' | '"' | '?' => text.push(c),
                        'x' => {
                            let c = self.number(16, 2)?;
                            if !c.is_ascii() {
                                return Err(NotUnderstood::Syntax(
                                    "an escape for a part of a character",
                                ));
                            }
                            text.push(c);
                        }
                        'u' => text.push(self.number(16, 4)?),
                        'U' => text.push(self.number(16, 8)?),
                        '0'..='7' => {
                            let digit = c.to_digit(8).unwrap_or_default();
                            text.push(self.more(digit, 8, 2)?);
                        }
                        _ => return Err(NotUnderstood::Syntax("an escape that is not known")),
                    }
                }
                c => text.push(c),
            }
        }
    }

    fn number(&mut self, radix: u32, most: usize) -> Parsed<char> {
        if self.cursor.peek(0).to_digit(radix).is_none() {
            return Err(NotUnderstood::Syntax("an escape without a number"));
        }
        self.more(0, radix, most)
    }

    fn more(&mut self, first: u32, radix: u32, most: usize) -> Parsed<char> {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = self.cursor.peek(0).to_digit(radix) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.cursor.skip(1);
        }
        // Bytes past ASCII would have to be put together; NUL ends the text in some shells.
        char::from_u32(value)
            .filter(|c| *c != '\0' && (c.is_ascii() || radix == 16))
            .ok_or(NotUnderstood::Syntax("an escape for what is no character"))
    }
}

fn plain(name: String, quoted: bool) -> Piece {
    Piece::Parameter { name, operation: super::Operation::Plain, operands: vec![], quoted }
}

pub fn text(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Quoted(text)) => text.push(c),
        _ => pieces.push(Piece::Quoted(c.to_string())),
    }
}

pub fn bare(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Bare(text)) => text.push(c),
        _ => pieces.push(Piece::Bare(c.to_string())),
    }
}
