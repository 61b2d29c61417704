use super::NotUnderstood;
use super::parse::{Parsed, Parser};
use super::tree::{Operation, Piece};

impl Parser<'_> {
    /// What stands after `${`, with the brace that closes it.
    pub fn parameter(&mut self, quoted: bool, pieces: &mut Vec<Piece>) -> Parsed<()> {
        let mut operation = Operation::Plain;
        if self.cursor.peek(0) == '#' && self.cursor.peek(1) != '}' {
            self.cursor.skip(1);
            operation = Operation::Length;
        } else if self.cursor.peek(0) == '!' && self.cursor.peek(1) != '}' {
            self.cursor.skip(1);
            operation = Operation::Evaluated;
        }
        let name = self.parameter_name()?;
        let mut operands = vec![];
        if self.cursor.eat("[") {
            operands.push(self.until(']', false)?);
        }
        if self.cursor.eat("}") {
            pieces.push(Piece::Parameter { name, operation, operands, quoted });
            return Ok(());
        }
        let found = self.operation()?;
        if operation == Operation::Plain {
            operation = found;
        }
        operands.push(self.until('}', quoted)?);
        pieces.push(Piece::Parameter { name, operation, operands, quoted });
        Ok(())
    }

    fn parameter_name(&mut self) -> Parsed<String> {
        let start = self.cursor.at();
        let first = self.cursor.peek(0);
        if first.is_ascii_alphabetic() || first == '_' {
            while self.cursor.peek(0).is_ascii_alphanumeric() || self.cursor.peek(0) == '_' {
                self.cursor.skip(1);
            }
        } else if first.is_ascii_digit() {
            while self.cursor.peek(0).is_ascii_digit() {
                self.cursor.skip(1);
            }
        } else if "@*#?$!-".contains(first) {
            self.cursor.skip(1);
        } else {
            return Err(NotUnderstood::Syntax("an expansion without a name"));
        }
        Ok(self.cursor.since(start))
    }

    fn operation(&mut self) -> Parsed<Operation> {
        let c = self.cursor.next();
        Ok(match c {
            ':' if "-=+".contains(self.cursor.peek(0)) => {
                self.cursor.skip(1);
                Operation::Default
            }
            ':' if self.cursor.peek(0) == '?' => {
                self.cursor.skip(1);
                Operation::Required
            }
            '-' | '=' | '+' => Operation::Default,
            '?' => Operation::Required,
            ':' | '#' | '%' | '/' | '^' | ',' => Operation::Edit,
            // Most forms of it read the value once more, or show how it was set.
            '@' | '*' => Operation::Evaluated,
            _ => return Err(NotUnderstood::Syntax("an expansion that is not known")),
        })
    }
}
