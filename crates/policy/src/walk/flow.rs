use super::{Part, Stream, Walker};
use crate::effect::{Effect, Kind as Does, Origin};
use crate::expand::{self, Arg, UNKNOWN};
use crate::shell::{Command, Item, Joined, Kind, List, NotUnderstood, Word};

/// Rounds of a loop that are walked one by one; more are walked once, with a variable that is not
/// known.
const MOST_ROUNDS: usize = 32;

impl Walker<'_> {
    /// Walks commands one after the other; gives what they print together.
    pub fn list(&mut self, list: &List, input: &Stream) -> Result<Stream, NotUnderstood> {
        let mut output = Stream::default();
        for item in list {
            output.add(self.item(item, input)?);
        }
        Ok(output)
    }

    fn item(&mut self, item: &Item, input: &Stream) -> Result<Stream, NotUnderstood> {
        if item.background {
            return self.apart(|walker| walker.pipelines(item, input));
        }
        self.pipelines(item, input)
    }

    fn pipelines(&mut self, item: &Item, input: &Stream) -> Result<Stream, NotUnderstood> {
        let mut output = Stream::default();
        let before = self.folders.clone();
        let conditional = self.conditional;
        for (joined, commands) in &item.pipelines {
            match joined {
                Joined::First => {}
                // It runs only after all before it went well.
                Joined::And => {}
                // What stands before it may have failed anywhere.
                Joined::Or => self.may_also_be_in(&before),
            }
            if *joined != Joined::First {
                self.conditional = true;
            }
            output.add(self.pipeline(commands, input)?);
        }
        self.conditional = conditional;
        // A folder may be missing; what comes next runs where it was then.
        if self.folders != before {
            self.may_also_be_in(&before);
        }
        Ok(output)
    }

    fn pipeline(&mut self, commands: &[Command], input: &Stream) -> Result<Stream, NotUnderstood> {
        if let [only] = commands {
            return self.command(only, input);
        }
        let mut stream = input.clone();
        for command in commands {
            let input = stream;
            stream = self.apart(|walker| walker.command(command, &input))?;
            stream.there = true;
            stream.secret |= input.secret;
            stream.network |= input.network;
        }
        Ok(stream)
    }

    fn command(&mut self, command: &Command, input: &Stream) -> Result<Stream, NotUnderstood> {
        self.budget.enter()?;
        let output = self.kind(command, input)?;
        self.budget.leave();
        Ok(output)
    }

    fn kind(&mut self, command: &Command, input: &Stream) -> Result<Stream, NotUnderstood> {
        if let Kind::Simple { assignments, words } = &command.kind {
            return self.simple(command, assignments, words, input);
        }
        if let Kind::Function(name, body) = &command.kind {
            return self.define(name, body);
        }
        // Redirections of the whole go to a part of their own.
        let mut input = input.clone();
        let hidden = self.shell_part(command, |walker, part| {
            walker.redirects(&command.redirects, part, &mut input)?;
            walker.words_of(command)
        })?;
        let mut output = match &command.kind {
            Kind::Group(list) => self.list(list, &input)?,
            Kind::Subshell(list) => self.apart(|walker| walker.list(list, &input))?,
            Kind::If(lists) => {
                let mut output = Stream::default();
                for (at, list) in lists.iter().enumerate() {
                    let part = self.perhaps(at > 0, |walker| walker.list(list, &input))?;
                    output.add(part);
                }
                output.text = None;
                output
            }
            Kind::While(condition, body) => self.perhaps(true, |walker| {
                let mut output = walker.list(condition, &input)?;
                output.add(walker.list(body, &input)?);
                output.text = None;
                Ok(output)
            })?,
            Kind::For(name, words, body) => self.rounds(name, words.as_deref(), body, &input)?,
            Kind::ForArithmetic(_, body) => self.perhaps(true, |w| w.list(body, &input))?,
            Kind::Case(_, arms) => {
                let mut output = Stream::default();
                for (_, list) in arms {
                    output.add(self.perhaps(true, |walker| walker.list(list, &input))?);
                }
                output.text = None;
                output
            }
            Kind::Coprocess(body) => {
                self.apart(|walker| walker.perhaps(true, |w| w.command(body, &input)))?
            }
            Kind::Simple { .. } | Kind::Function(..) | Kind::Condition(_) | Kind::Arithmetic(_) => {
                Stream::default()
            }
        };
        output.there = true;
        output.secret |= hidden;
        Ok(output)
    }

    /// Walks something that may also not run, or run again.
    fn perhaps<T>(
        &mut self,
        conditional: bool,
        work: impl FnOnce(&mut Self) -> Result<T, NotUnderstood>,
    ) -> Result<T, NotUnderstood> {
        let before = self.folders.clone();
        let was = self.conditional;
        self.conditional |= conditional;
        let result = work(self)?;
        self.conditional = was;
        self.may_also_be_in(&before);
        Ok(result)
    }

    fn rounds(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        input: &Stream,
    ) -> Result<Stream, NotUnderstood> {
        let mut values: Vec<Arg> = vec![];
        for word in words.unwrap_or_default() {
            values.extend(expand::expand(word, self)?);
        }
        let many = values.len() > MOST_ROUNDS || words.is_none();
        let mut output = Stream::default();
        if many || values.is_empty() {
            self.set_for_round(name, None);
            output.add(self.perhaps(true, |walker| walker.list(body, input))?);
        } else {
            for value in values {
                let text = (!value.text.contains(UNKNOWN)).then_some(value.text);
                self.set_for_round(name, text);
                output.add(self.perhaps(true, |walker| walker.list(body, input))?);
            }
        }
        self.set_for_round(name, None);
        Ok(output)
    }

    fn define(&mut self, name: &str, body: &Command) -> Result<Stream, NotUnderstood> {
        let mut part = Part {
            text: body.text.clone(),
            program: name.to_owned(),
            known: true,
            ..Part::default()
        };
        part.effects.push(Effect::new(Does::Prints).note("a function is defined"));
        if crate::programs::is_known(name) {
            let why = format!("{name} is given another meaning");
            part.effects.push(Effect::new(Does::NotUnderstood).note(why).from(Origin::Shell));
        }
        if calls(body, name) {
            let why = "a function calls itself";
            part.effects.push(Effect::new(Does::NotUnderstood).note(why).from(Origin::Shell));
        }
        self.push(part)?;
        self.apart(|walker| {
            walker.perhaps(true, |walker| walker.command(body, &Stream::default()))
        })?;
        self.functions.insert(name.to_owned());
        Ok(Stream::default())
    }

    /// A part for what the shell does itself in a compound; whether a secret is in it.
    fn shell_part(
        &mut self,
        command: &Command,
        work: impl FnOnce(&mut Self, &mut Part) -> Result<(), NotUnderstood>,
    ) -> Result<bool, NotUnderstood> {
        let found = std::mem::take(&mut self.found);
        let secret = std::mem::take(&mut self.secret);
        let program = match &command.kind {
            Kind::Condition(_) => "[[",
            Kind::Arithmetic(_) => "((",
            _ => "{",
        };
        let mut part = Part { program: program.into(), known: true, ..Part::default() };
        work(self, &mut part)?;
        part.effects.extend(std::mem::replace(&mut self.found, found));
        let leaked = std::mem::replace(&mut self.secret, secret);
        if program != "{" && part.effects.is_empty() {
            part.effects.push(Effect::new(Does::Prints));
        }
        if !part.effects.is_empty() {
            part.text = command.text.chars().take(200).collect();
            self.push(part)?;
        }
        Ok(leaked)
    }

    /// Expands the words that stand in a compound itself.
    fn words_of(&mut self, command: &Command) -> Result<(), NotUnderstood> {
        match &command.kind {
            Kind::Condition(words) => {
                for word in words {
                    let text = expand::expand_text(word, self)?;
                    // `-v` and numeric comparisons evaluate an index.
                    if text.contains('[') && text.contains("$(") {
                        self.not_understood("an index is read as code");
                    }
                }
            }
            Kind::Arithmetic(word) | Kind::ForArithmetic(word, _) => {
                let text = expand::expand_text(word, self)?;
                self.arithmetic(&text);
            }
            Kind::Case(word, arms) => {
                expand::expand_text(word, self)?;
                for pattern in arms.iter().flat_map(|(patterns, _)| patterns) {
                    expand::expand_text(pattern, self)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether the text of a body names the function itself: it would run without end.
fn calls(body: &Command, name: &str) -> bool {
    body.text.split(|c: char| c.is_whitespace() || "|;&(){}".contains(c)).any(|word| word == name)
}
