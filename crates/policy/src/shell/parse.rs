use super::cursor::Cursor;
use super::heredoc::Pending;
use super::tree::{Command, Item, Joined, Kind, List, Word};
use super::{Budget, NotUnderstood};

pub type Parsed<T> = Result<T, NotUnderstood>;

/// Parses a whole text.
///
/// # Errors
/// When the text is too long, nested too deeply, takes too long, or is not in the grammar.
pub fn parse(text: &str, budget: &mut Budget) -> Parsed<List> {
    if text.len() > budget.limits().bytes {
        return Err(NotUnderstood::TooLong(text.len()));
    }
    if text.contains('\0') {
        return Err(NotUnderstood::Syntax("a NUL"));
    }
    budget.step(text.len())?;
    let mut parser = Parser { cursor: Cursor::new(text), pending: vec![], budget };
    let list = parser.list(&[])?;
    parser.blanks()?;
    if !parser.cursor.ended() {
        return Err(NotUnderstood::Syntax("something stands where a command should end"));
    }
    parser.documents()?;
    Ok(list)
}

pub struct Parser<'a> {
    pub cursor: Cursor,
    pub pending: Vec<Pending>,
    pub budget: &'a mut Budget,
}

/// Words that have a meaning where a command begins.
const CLOSING: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}", "in"];

impl Parser<'_> {
    /// Commands up to one of the closing words, a `)`, a `;;` or the end, which are left there.
    pub fn list(&mut self, until: &[&str]) -> Parsed<List> {
        self.budget.enter()?;
        let list = self.items(until)?;
        self.budget.leave();
        Ok(list)
    }

    fn items(&mut self, until: &[&str]) -> Parsed<List> {
        let mut list = vec![];
        loop {
            self.newlines()?;
            if self.cursor.ended() || self.cursor.peek(0) == ')' || self.cursor.looks_at(";;") {
                break;
            }
            if self.cursor.looks_at(";&") {
                break;
            }
            if let Some(word) = self.closing() {
                if until.contains(&word) {
                    break;
                }
                return Err(NotUnderstood::Syntax("a word closes what was not opened"));
            }
            let item = self.item()?;
            list.push(item);
        }
        Ok(list)
    }

    fn item(&mut self) -> Parsed<Item> {
        let mut pipelines = vec![(Joined::First, self.pipeline()?)];
        loop {
            self.blanks()?;
            let joined = if self.cursor.eat("&&") {
                Joined::And
            } else if self.cursor.eat("||") {
                Joined::Or
            } else {
                break;
            };
            self.newlines()?;
            pipelines.push((joined, self.pipeline()?));
        }
        let mut background = false;
        match self.cursor.peek(0) {
            '&' => {
                self.cursor.skip(1);
                background = true;
            }
            ';' if self.cursor.peek(1) != ';' && self.cursor.peek(1) != '&' => self.cursor.skip(1),
            '\n' | ')' | ';' => {}
            _ if self.cursor.ended() => {}
            _ => return Err(NotUnderstood::Syntax("a command does not end where it should")),
        }
        Ok(Item { pipelines, background })
    }

    fn pipeline(&mut self) -> Parsed<Vec<Command>> {
        self.blanks()?;
        while self.keyword("!") || self.keyword("time") {
            let timed = self.cursor.peek(0) == 't';
            self.cursor.skip(if timed { 4 } else { 1 });
            self.blanks()?;
            if timed && self.cursor.looks_at("-p") && is_blank(self.cursor.peek(2)) {
                self.cursor.skip(2);
                self.blanks()?;
            }
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks()?;
            if self.cursor.looks_at("||") || self.cursor.peek(0) != '|' {
                return Ok(commands);
            }
            self.cursor.skip(1);
            self.cursor.eat("&");
            self.newlines()?;
            commands.push(self.command()?);
        }
    }

    pub fn command(&mut self) -> Parsed<Command> {
        self.budget.enter()?;
        self.budget.step(1)?;
        self.blanks()?;
        let start = self.cursor.at();
        let found = self.compound()?;
        let command = match found {
            Some(kind) => {
                let redirects = self.redirects()?;
                Command { kind, redirects, text: self.cursor.since(start) }
            }
            None => self.simple(start)?,
        };
        self.budget.leave();
        Ok(command)
    }

    fn compound(&mut self) -> Parsed<Option<Kind>> {
        if self.cursor.looks_at("((") {
            self.cursor.skip(2);
            // `((` may also be a subshell in a subshell; that is not gone back for.
            let word = self.arithmetic()?;
            return word
                .map(|word| Some(Kind::Arithmetic(word)))
                .ok_or(NotUnderstood::Syntax("double parentheses that are no arithmetic"));
        }
        if self.cursor.eat("(") {
            let list = self.list(&[])?;
            self.expect(")")?;
            return Ok(Some(Kind::Subshell(list)));
        }
        let Some(word) = self.opening() else { return Ok(None) };
        self.cursor.skip(word.chars().count());
        Ok(Some(match word {
            "{" => {
                let list = self.body(&["}"])?;
                self.take("}")?;
                Kind::Group(list)
            }
            "if" => self.branches()?,
            "while" | "until" => {
                let condition = self.body(&["do"])?;
                Kind::While(condition, self.do_done()?)
            }
            "for" | "select" => self.for_loop()?,
            "case" => self.case()?,
            "function" => self.function()?,
            "coproc" => Kind::Coprocess(Box::new(self.command()?)),
            _ => self.condition()?,
        }))
    }

    /// A list that must not be empty.
    fn body(&mut self, until: &[&str]) -> Parsed<List> {
        let list = self.list(until)?;
        if list.is_empty() { Err(NotUnderstood::Syntax("an empty body")) } else { Ok(list) }
    }

    fn branches(&mut self) -> Parsed<Kind> {
        let mut lists = vec![self.body(&["then"])?];
        self.take("then")?;
        loop {
            lists.push(self.body(&["elif", "else", "fi"])?);
            if self.keyword("elif") {
                self.take("elif")?;
                lists.push(self.body(&["then"])?);
                self.take("then")?;
            } else if self.keyword("else") {
                self.take("else")?;
                lists.push(self.body(&["fi"])?);
                break;
            } else {
                break;
            }
        }
        self.take("fi")?;
        Ok(Kind::If(lists))
    }

    fn do_done(&mut self) -> Parsed<List> {
        self.take("do")?;
        let list = self.body(&["done"])?;
        self.take("done")?;
        Ok(list)
    }

    fn for_loop(&mut self) -> Parsed<Kind> {
        self.blanks()?;
        if self.cursor.eat("((") {
            let word = self
                .arithmetic()?
                .ok_or(NotUnderstood::Syntax("a loop over an expression that does not end"))?;
            self.separator()?;
            return Ok(Kind::ForArithmetic(word, self.do_done()?));
        }
        let name = self.name()?;
        self.newlines()?;
        let mut words = None;
        if self.keyword("in") {
            self.cursor.skip(2);
            words = Some(self.words()?);
        }
        self.separator()?;
        Ok(Kind::For(name, words, self.do_done()?))
    }

    fn case(&mut self) -> Parsed<Kind> {
        self.blanks()?;
        let word = self.word()?.ok_or(NotUnderstood::Syntax("case without a word"))?;
        self.newlines()?;
        self.take("in")?;
        let mut arms = vec![];
        loop {
            self.newlines()?;
            if self.keyword("esac") {
                self.take("esac")?;
                return Ok(Kind::Case(word, arms));
            }
            self.cursor.eat("(");
            let mut patterns = vec![];
            loop {
                self.blanks()?;
                patterns.push(self.word()?.ok_or(NotUnderstood::Syntax("case without a pattern"))?);
                self.blanks()?;
                if !self.cursor.eat("|") {
                    break;
                }
            }
            self.expect(")")?;
            let list = self.list(&["esac"])?;
            arms.push((patterns, list));
            if !(self.cursor.eat(";;&") || self.cursor.eat(";;") || self.cursor.eat(";&")) {
                self.take("esac")?;
                return Ok(Kind::Case(word, arms));
            }
        }
    }

    fn function(&mut self) -> Parsed<Kind> {
        self.blanks()?;
        let name = self.name()?;
        self.blanks()?;
        if self.cursor.eat("(") {
            self.blanks()?;
            self.expect(")")?;
        }
        self.newlines()?;
        self.defined(name)
    }

    /// The function of this name whose body begins here. Shells differ in which other names and
    /// bodies there may be.
    pub fn defined(&mut self, name: String) -> Parsed<Kind> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || !name.chars().all(plain)
        {
            return Err(NotUnderstood::Syntax("a function with a name that is not plain"));
        }
        let body = self.command()?;
        if matches!(body.kind, Kind::Simple { .. } | Kind::Function(..) | Kind::Coprocess(_)) {
            return Err(NotUnderstood::Syntax("a function whose body has no bounds"));
        }
        Ok(Kind::Function(name, Box::new(body)))
    }

    fn name(&mut self) -> Parsed<String> {
        let word = self.word()?.ok_or(NotUnderstood::Syntax("a name is missing"))?;
        match word.bare() {
            Some(name) if !name.is_empty() => Ok(name.to_owned()),
            _ => Err(NotUnderstood::Syntax("a name that is not plain")),
        }
    }

    fn words(&mut self) -> Parsed<Vec<Word>> {
        let mut words = vec![];
        loop {
            self.blanks()?;
            match self.word()? {
                Some(word) => words.push(word),
                None => return Ok(words),
            }
        }
    }

    fn separator(&mut self) -> Parsed<()> {
        self.blanks()?;
        self.cursor.eat(";");
        self.newlines()
    }

    pub fn expect(&mut self, text: &str) -> Parsed<()> {
        self.blanks()?;
        if self.cursor.eat(text) {
            Ok(())
        } else {
            Err(NotUnderstood::Syntax("something is not closed"))
        }
    }

    fn take(&mut self, word: &'static str) -> Parsed<()> {
        self.newlines()?;
        if !self.keyword(word) {
            return Err(NotUnderstood::Syntax("a word such as `then`, `do` or `done` is missing"));
        }
        self.cursor.skip(word.chars().count());
        Ok(())
    }

    fn opening(&self) -> Option<&'static str> {
        const OPENING: &[&str] =
            &["{", "if", "while", "until", "for", "select", "case", "function", "coproc", "[["];
        OPENING.iter().copied().find(|word| self.keyword(word))
    }

    fn closing(&self) -> Option<&'static str> {
        CLOSING.iter().copied().find(|word| self.keyword(word))
    }

    /// Whether this word, and not a longer one, stands here.
    pub fn keyword(&self, word: &str) -> bool {
        self.cursor.looks_at(word) && ends_word(self.cursor.peek(word.chars().count()))
    }
}

pub const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

pub const fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '\0')
}
