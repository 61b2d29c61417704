use super::NotUnderstood;
use super::parse::{Parsed, Parser};
use super::tree::{Kind, Piece, Word};

impl Parser<'_> {
    /// What stands between `[[` and `]]`: tests of at most three words, joined.
    pub fn condition(&mut self) -> Parsed<Kind> {
        let mut words = vec![];
        // How many operands and operators the test that is read has so far.
        let mut length = 0;
        loop {
            self.newlines()?;
            self.budget.step(1)?;
            if self.keyword("]]") {
                self.cursor.skip(2);
                return Ok(Kind::Condition(words));
            }
            match self.cursor.peek(0) {
                '(' | ')' => {
                    self.cursor.skip(1);
                    length = 0;
                }
                '&' | '|' if self.cursor.peek(1) == self.cursor.peek(0) => {
                    self.cursor.skip(2);
                    length = 0;
                }
                '<' | '>' if length == 1 => {
                    self.cursor.skip(1);
                    length = 2;
                }
                _ if self.keyword("!") && length == 0 => self.cursor.skip(1),
                _ if length < 3 => {
                    words.push(self.condition_word()?);
                    length += 1;
                }
                _ => {
                    return Err(NotUnderstood::Syntax(
                        "a condition with words that belong to none",
                    ));
                }
            }
        }
    }

    /// A word between `[[` and `]]`, where parentheses may stand in patterns.
    fn condition_word(&mut self) -> Parsed<Word> {
        let mut pieces: Vec<Piece> = vec![];
        let mut open = 0_u32;
        loop {
            self.budget.step(1)?;
            match self.cursor.peek(0) {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                '|' if open > 0 => {}
                _ => match self.word()? {
                    Some(word) => {
                        pieces.extend(word.pieces);
                        continue;
                    }
                    None if pieces.is_empty() => {
                        return Err(NotUnderstood::Syntax("a condition that does not end"));
                    }
                    None => return Ok(Word { pieces }),
                },
            }
            pieces.push(Piece::Bare(self.cursor.next().to_string()));
        }
    }
}
