use super::variables::{is_harmless_value, is_powerful};
use super::{Part, Stream, Walker};
use crate::effect::{Effect, Kind, Origin};
use crate::expand::{self, Arg, NAMES, SOME, UNKNOWN};
use crate::programs::{self, Call};
use crate::shell::{Assignment, Command, NotUnderstood, Value, Word};

impl Walker<'_> {
    pub fn simple(
        &mut self,
        command: &Command,
        assignments: &[Assignment],
        words: &[Word],
        input: &Stream,
    ) -> Result<Stream, NotUnderstood> {
        let found = std::mem::take(&mut self.found);
        let secret = std::mem::take(&mut self.secret);
        let mut part = Part { text: command.text.clone(), known: true, ..Part::default() };
        let mut args = vec![];
        for word in words {
            args.extend(expand::expand(word, self)?);
        }
        let mut input = input.clone();
        self.assignments(assignments, args.is_empty(), &mut part)?;
        self.redirects(&command.redirects, &mut part, &mut input)?;
        let output = self.run(args, input, part)?;
        self.found = found;
        self.secret |= secret;
        Ok(output)
    }

    fn assignments(
        &mut self,
        assignments: &[Assignment],
        stay: bool,
        part: &mut Part,
    ) -> Result<(), NotUnderstood> {
        for assignment in assignments {
            if let Some(index) = &assignment.index {
                let text = expand::expand_text(index, self)?;
                if text.contains([UNKNOWN, '$', '`', '[']) {
                    self.not_understood("an index is read as code");
                }
            }
            let value = match &assignment.value {
                Value::Scalar(word) => Some(expand::expand_text(word, self)?),
                Value::Array(words) => {
                    for word in words {
                        expand::expand(word, self)?;
                    }
                    None
                }
            };
            self.environment(&assignment.name, value.as_deref(), part);
            let plain = assignment.index.is_none() && !assignment.appends;
            if stay {
                let known = value.filter(|value| plain && !value.contains(UNKNOWN));
                self.set(&assignment.name, known);
            }
        }
        Ok(())
    }

    /// Notes a variable that is set for a program or from here on.
    pub fn environment(&mut self, name: &str, value: Option<&str>, part: &mut Part) {
        part.environment.push(name.to_owned());
        let harmless = value.is_some_and(|value| is_harmless_value(name, value));
        if is_powerful(name) && !harmless {
            let effect = Effect::new(Kind::Environment).note(format!("it sets {name}"));
            part.effects.push(effect.from(Origin::Environment));
        }
        let value = value.unwrap_or_default();
        if super::variables::is_secret(name) && value.len() > 7 && !value.contains([UNKNOWN, NAMES])
        {
            let effect =
                Effect::new(Kind::Credentials).note(format!("a secret is written as {name}"));
            part.effects.push(effect.from(Origin::Environment));
        }
    }

    /// Runs a program with its arguments: finds what it does and adds the part.
    pub fn run(
        &mut self,
        mut args: Vec<Arg>,
        input: Stream,
        mut part: Part,
    ) -> Result<Stream, NotUnderstood> {
        self.budget.enter()?;
        self.budget.step(args.iter().map(|arg| arg.text.len() + 1).sum())?;
        let mut secret = self.secret || input.secret;
        part.known = args.iter().all(|arg| arg.fixed().is_some());
        if args.is_empty() {
            part.effects.extend(std::mem::take(&mut self.found));
            if part.effects.is_empty() && !part.environment.is_empty() {
                part.effects.push(Effect::new(Kind::Prints).note("it sets a variable"));
            }
            self.push(part)?;
            self.budget.leave();
            return Ok(Stream { there: true, secret, ..Stream::default() });
        }
        let program = args.remove(0);
        let name = program.text.rsplit('/').next().unwrap_or_default().to_owned();
        part.program = program.part(&name).shown();
        part.arguments = args.iter().map(Arg::shown).collect();
        part.effects.extend(std::mem::take(&mut self.found));
        if part.text.is_empty() {
            part.text = shown(&part.program, &part.arguments);
        }
        let at = self.push(part)?;
        let from = self.parts.len();
        let mut call = Call::new(self, name, args, input);
        programs::run(&mut call, &program)?;
        let (mut effects, mut output) = (call.effects, call.output);
        let inner: Vec<Effect> =
            self.parts[from..].iter().flat_map(|part| part.effects.clone()).collect();
        let part = &mut self.parts[at];
        let mine = part.effects.iter().chain(&effects);
        secret |= mine.clone().any(|effect| effect.kind == Kind::Credentials);
        let reaches = |effect: &Effect| {
            matches!(effect.kind, Kind::Fetches | Kind::Sends | Kind::Publishes)
                && effect.zone != Some(crate::place::Zone::Local)
        };
        if secret && mine.chain(&inner).any(reaches) {
            effects.push(Effect::new(Kind::Leaks));
        }
        part.effects.extend(effects);
        let has = |kind: Kind| part.effects.iter().any(|effect| effect.kind == kind);
        output.secret |= secret || has(Kind::Credentials) || has(Kind::Leaks);
        output.secret |= inner.iter().any(|effect| effect.kind == Kind::Credentials);
        output.network |= has(Kind::Fetches) || has(Kind::Sends);
        output.there = true;
        self.secret = output.secret;
        self.budget.leave();
        Ok(output)
    }

    /// Whether a function of that name was defined before.
    pub fn is_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }
}

/// A command that was put together, as text.
fn shown(program: &str, arguments: &[String]) -> String {
    let mut text = program.to_owned();
    for argument in arguments {
        text.push(' ');
        let odd = |c: char| !(c.is_alphanumeric() || "_-./=:@%+,…".contains(c));
        if argument.is_empty() || argument.contains(odd) {
            text.push_str(&format!("'{}'", argument.replace('\'', "'\\''")));
        } else {
            text.push_str(argument);
        }
    }
    text.replace([UNKNOWN, NAMES, SOME], "…")
}
