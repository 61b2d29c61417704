//! From a tree of commands to the parts that have effects.

mod flow;
mod part;
mod redirect;
mod simple;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

pub use part::{Part, Stream};

use crate::effect::{Effect, Kind, Origin};
use crate::expand::{NAMES, UNKNOWN};
use crate::place::Place;
use crate::shell::{self, Budget, Limits, List, NotUnderstood};

/// Folders that the shell may be in at one moment.
const MOST_FOLDERS: usize = 8;
/// Parts that are looked at.
const MOST_PARTS: usize = 2_000;

/// What was found out about a command.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Every program that it would run, with what that does.
    pub parts: Vec<Part>,
    /// Why some of it was not understood; nothing may pass then.
    pub error: Option<NotUnderstood>,
    /// Steps that it took.
    pub steps: u32,
}

/// Reads a command that runs at a place.
#[must_use]
pub fn read(text: &str, place: &Place, limits: Limits) -> Reading {
    let mut walker = Walker::new(place, limits);
    let error = walker.script(text, &Stream::default()).err();
    let steps = walker.budget.taken();
    Reading { parts: walker.parts, error, steps }
}

/// Walks trees, and keeps what the shell would keep.
#[derive(Debug)]
pub struct Walker<'a> {
    pub place: &'a Place,
    pub budget: Budget,
    pub parts: Vec<Part>,
    /// The folders that the shell may be in.
    pub folders: Vec<String>,
    variables: BTreeMap<String, Option<String>>,
    /// How often a variable is set, anywhere.
    settings: BTreeMap<String, u32>,
    functions: BTreeSet<String>,
    /// Whether what runs now may also not run, or run more than once.
    conditional: bool,
    /// What is found out about the part that is being read.
    found: Vec<Effect>,
    /// Whether a secret went into the words that are being read.
    secret: bool,
}

impl<'a> Walker<'a> {
    fn new(place: &'a Place, limits: Limits) -> Self {
        Self {
            place,
            budget: Budget::new(limits),
            parts: vec![],
            folders: vec![place.cwd.clone()],
            variables: BTreeMap::new(),
            settings: BTreeMap::new(),
            functions: BTreeSet::new(),
            conditional: false,
            found: vec![],
            secret: false,
        }
    }

    /// Reads a text as a script of its own and walks it.
    pub fn script(&mut self, text: &str, input: &Stream) -> Result<Stream, NotUnderstood> {
        self.budget.enter()?;
        let list = shell::parse(text, &mut self.budget)?;
        self.count(&list);
        let output = self.list(&list, input)?;
        self.budget.leave();
        Ok(output)
    }

    /// Walks a substitution, in a shell of its own; gives what it prints.
    pub fn substitution(&mut self, list: &List) -> Result<String, NotUnderstood> {
        let found = std::mem::take(&mut self.found);
        let secret_before = self.secret;
        let output = self.apart(|walker| walker.list(list, &Stream::default()))?;
        self.found = found;
        self.secret = secret_before || output.secret;
        Ok(match output.text {
            Some(text) => text.trim_end_matches('\n').to_owned(),
            None if output.names => NAMES.to_string(),
            None => UNKNOWN.to_string(),
        })
    }

    /// Runs something whose folder and variables are its own.
    pub fn apart<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, NotUnderstood>,
    ) -> Result<T, NotUnderstood> {
        let folders = self.folders.clone();
        let variables = self.variables.clone();
        let result = work(self)?;
        self.folders = folders;
        self.variables = variables;
        Ok(result)
    }

    /// Notes that the part being read has something that is not understood.
    pub fn not_understood(&mut self, why: &str) {
        self.found.push(Effect::new(Kind::NotUnderstood).note(why).from(Origin::Shell));
    }

    /// Looks at the text of an arithmetic expression, whose substitutions are walked already.
    pub fn arithmetic(&mut self, text: &str) {
        if text.contains('[') {
            self.not_understood("an index in arithmetic is read as code");
        }
    }

    /// Notes a variable whose value is shown or passed on.
    pub fn uses(&mut self, name: &str) {
        if variables::is_secret(name) {
            self.secret = true;
            let effect = Effect::new(Kind::Credentials).note(format!("${name}"));
            self.found.push(effect.from(Origin::Shell));
        }
    }

    fn push(&mut self, part: Part) -> Result<usize, NotUnderstood> {
        if self.parts.len() >= MOST_PARTS {
            return Err(NotUnderstood::TooMuch);
        }
        self.budget.step(10)?;
        self.parts.push(part);
        Ok(self.parts.len() - 1)
    }

    fn may_also_be_in(&mut self, folders: &[String]) {
        for folder in folders {
            if !self.folders.contains(folder) {
                self.folders.push(folder.clone());
            }
        }
        if self.folders.len() > MOST_FOLDERS {
            self.folders = vec![UNKNOWN.to_string()];
        }
    }
}

impl Walker<'_> {
    /// What was found out since the last part, for the program that asks.
    pub fn take_found(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.found)
    }
}
