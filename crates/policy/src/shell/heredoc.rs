use std::cell::OnceCell;
use std::rc::Rc;

use super::cursor::Cursor;
use super::parse::{Parsed, Parser};
use super::tree::{Piece, Word};
use super::{NotUnderstood, parse::is_blank};

/// A here-document whose body comes after the line.
#[derive(Debug)]
pub struct Pending {
    pub end: String,
    pub quoted: bool,
    /// `<<-`: tabs at the start of lines do not count.
    pub tabs: bool,
    pub body: Rc<OnceCell<Word>>,
}

impl Parser<'_> {
    /// Goes over blanks, comments and continued lines.
    pub fn blanks(&mut self) -> Parsed<()> {
        loop {
            self.budget.step(1)?;
            if is_blank(self.cursor.peek(0)) {
                self.cursor.skip(1);
            } else if self.cursor.looks_at("\\\n") {
                self.cursor.skip(2);
            } else if self.cursor.peek(0) == '#' {
                while !self.cursor.ended() && self.cursor.peek(0) != '\n' {
                    self.cursor.skip(1);
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Goes over blanks and ends of lines, and reads the here-documents that are due.
    pub fn newlines(&mut self) -> Parsed<()> {
        loop {
            self.blanks()?;
            if self.cursor.peek(0) != '\n' {
                return Ok(());
            }
            self.cursor.skip(1);
            self.documents()?;
        }
    }

    /// Reads the bodies of the here-documents of the line that ended.
    pub fn documents(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            loop {
                self.budget.step(1)?;
                let line = self
                    .cursor
                    .line()
                    .ok_or(NotUnderstood::Syntax("a here-document that does not end"))?;
                let line = if pending.tabs { line.trim_start_matches('\t') } else { &line };
                // Where a continued line makes the end, shells differ from each other.
                if line == pending.end {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            let word = if pending.quoted {
                Word { pieces: vec![Piece::Quoted(text)] }
            } else {
                self.expanded(&text)?
            };
            // It is set here only.
            let _ = pending.body.set(word);
        }
        Ok(())
    }

    /// A text in which `$`, backquotes and backslashes count, as in a here-document.
    fn expanded(&mut self, text: &str) -> Parsed<Word> {
        self.budget.enter()?;
        self.budget.step(text.len())?;
        let mut inner =
            Parser { cursor: Cursor::new(text), pending: vec![], budget: &mut *self.budget };
        let mut pieces = vec![];
        inner.quoted(&mut pieces, None)?;
        self.budget.leave();
        Ok(Word { pieces })
    }
}
