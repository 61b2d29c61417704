//! Words as the program gets them, as far as that can be told without running anything.

use crate::shell::{NotUnderstood, Operation, Piece, Word};
use crate::walk::Walker;

/// Stands for text that is only known when the command runs, and may be nothing.
pub const UNKNOWN: char = '\u{f8f0}';
/// Stands for one or more paths in the worktree.
pub const NAMES: char = '\u{f8f1}';
/// Stands for text that is not known, but is not nothing.
pub const SOME: char = '\u{f8f2}';

/// Words that one word may become.
const MOST: usize = 64;

/// An argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arg {
    /// Its text, with a mark where it is not known.
    pub text: String,
    /// Whether a part without quotes is not known: it may become several words, or none.
    pub splits: bool,
    /// Whether a pattern in it stands for files.
    pub pattern: bool,
}

impl Arg {
    /// An argument that stands for itself.
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// An argument that is not known at all.
    pub fn unknown() -> Self {
        Self { text: UNKNOWN.to_string(), splits: true, pattern: false }
    }

    /// Its text, when all of it is known.
    pub fn fixed(&self) -> Option<&str> {
        (!self.text.contains([UNKNOWN, NAMES, SOME])).then_some(self.text.as_str())
    }

    /// Whether it is an option.
    pub fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }

    /// Whether it names files of the worktree, and is not known beyond that.
    pub fn is_names(&self) -> bool {
        self.text.contains(NAMES) && !self.text.contains([UNKNOWN, SOME])
    }

    /// A part of it.
    pub fn part(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }

    /// Its text for people.
    pub fn shown(&self) -> String {
        self.text.replace([UNKNOWN, SOME], "…").replace(NAMES, "(files)")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// In quotes: stands for itself.
    Quoted,
    /// Written without quotes.
    Bare,
    /// Came out of an expansion without quotes: blanks part it, patterns count.
    Expanded,
}

type Marked = Vec<(char, Quoting)>;

/// Expands a word into arguments. What is substituted in it is walked.
pub fn expand(word: &Word, walker: &mut Walker<'_>) -> Result<Vec<Arg>, NotUnderstood> {
    let mut marked: Marked = vec![];
    let mut empty_quotes = false;
    for piece in &word.pieces {
        if matches!(piece, Piece::Quoted(text) if text.is_empty()) {
            empty_quotes = true;
        }
        put(piece, &mut marked, walker)?;
    }
    walker.budget.step(marked.len())?;
    let mut words = vec![];
    braces(marked, &mut words, walker)?;
    let mut args = vec![];
    for word in words {
        split(&word, empty_quotes, walker, &mut args);
    }
    Ok(args)
}

/// Expands a word that stays one word, as in an assignment or a redirection.
pub fn expand_one(word: &Word, walker: &mut Walker<'_>) -> Result<Arg, NotUnderstood> {
    let mut args = expand(word, walker)?;
    Ok(match args.len() {
        0 => Arg::default(),
        1 => args.remove(0),
        _ => Arg::unknown(),
    })
}

/// Expands a word in which patterns, braces and blanks stand for themselves, such as a value.
pub fn expand_text(word: &Word, walker: &mut Walker<'_>) -> Result<String, NotUnderstood> {
    let mut marked: Marked = vec![];
    for piece in &word.pieces {
        put(piece, &mut marked, walker)?;
    }
    walker.budget.step(marked.len())?;
    Ok(tilde(&marked, &walker.place.home).into_iter().map(|(c, _)| c).collect())
}

fn put(piece: &Piece, to: &mut Marked, walker: &mut Walker<'_>) -> Result<(), NotUnderstood> {
    match piece {
        Piece::Quoted(text) => to.extend(text.chars().map(|c| (c, Quoting::Quoted))),
        Piece::Bare(text) => to.extend(text.chars().map(|c| (c, Quoting::Bare))),
        Piece::Parameter { name, operation, operands, quoted } => {
            let quoting = if *quoted { Quoting::Quoted } else { Quoting::Expanded };
            let mut values = vec![];
            for operand in operands {
                values.push(expand_text(operand, walker)?);
            }
            let value = parameter(name, *operation, &values, walker);
            to.extend(value.chars().map(|c| (c, quoting)));
        }
        Piece::Substitution(list, quoted) => {
            let quoting = if *quoted { Quoting::Quoted } else { Quoting::Expanded };
            let text = walker.substitution(list)?;
            to.extend(text.chars().map(|c| (c, quoting)));
        }
        Piece::Process(list) => {
            walker.substitution(list)?;
            to.extend("/dev/fd/63".chars().map(|c| (c, Quoting::Quoted)));
        }
        Piece::Arithmetic(word) => {
            let text = expand_text(word, walker)?;
            walker.arithmetic(&text);
            to.push((SOME, Quoting::Quoted));
        }
    }
    Ok(())
}

fn parameter(
    name: &str,
    operation: Operation,
    operands: &[String],
    walker: &mut Walker<'_>,
) -> String {
    walker.uses(name);
    let value = walker.variable(name);
    match operation {
        Operation::Plain if operands.is_empty() => value.unwrap_or_else(|| UNKNOWN.to_string()),
        Operation::Plain => UNKNOWN.to_string(),
        Operation::Length => SOME.to_string(),
        Operation::Required => value.unwrap_or_else(|| SOME.to_string()),
        Operation::Default | Operation::Edit => UNKNOWN.to_string(),
        Operation::Evaluated => {
            walker.not_understood("the value of a variable is read as code or as a name");
            UNKNOWN.to_string()
        }
    }
}

fn tilde(marked: &[(char, Quoting)], home: &str) -> Marked {
    let mut out = vec![];
    let bare = |at: usize, c: char| marked.get(at) == Some(&(c, Quoting::Bare));
    let alone = marked.len() == 1 || bare(1, '/');
    if bare(0, '~') && alone {
        out.extend(home.chars().map(|c| (c, Quoting::Quoted)));
        out.extend_from_slice(&marked[1..]);
    } else if bare(0, '~') {
        // `~name`: the home of another, `~+`: this folder.
        out.extend("/home/".chars().map(|c| (c, Quoting::Quoted)));
        out.extend_from_slice(&marked[1..]);
    } else {
        out.extend_from_slice(marked);
    }
    out
}

fn split(word: &Marked, empty_quotes: bool, walker: &Walker<'_>, args: &mut Vec<Arg>) {
    let word = tilde(word, &walker.place.home);
    let mut arg: Option<Arg> = None;
    for (c, quoting) in &word {
        if *quoting == Quoting::Expanded && c.is_ascii_whitespace() {
            args.extend(arg.take());
            continue;
        }
        let arg = arg.get_or_insert_default();
        arg.text.push(*c);
        let marks = matches!(*c, UNKNOWN | NAMES | SOME);
        arg.splits |= marks && *quoting == Quoting::Expanded;
        arg.pattern |= *quoting != Quoting::Quoted && matches!(c, '*' | '?' | '[');
    }
    if arg.is_none() && empty_quotes {
        arg = Some(Arg::default());
    }
    args.extend(arg);
}

fn braces(
    marked: Marked,
    words: &mut Vec<Marked>,
    walker: &mut Walker<'_>,
) -> Result<(), NotUnderstood> {
    let mut open = vec![marked];
    while let Some(word) = open.pop() {
        walker.budget.step(word.len())?;
        match alternatives(&word) {
            None => words.push(word),
            Some(more) if words.len() + open.len() + more.len() > MOST => {
                words.push(vec![(UNKNOWN, Quoting::Expanded)]);
            }
            Some(more) => open.extend(more.into_iter().rev()),
        }
    }
    Ok(())
}

/// The words of the first braces in a word; none when it has none.
fn alternatives(word: &Marked) -> Option<Vec<Marked>> {
    let mut from = 0;
    loop {
        let start = from + word.get(from..)?.iter().position(|at| *at == ('{', Quoting::Bare))?;
        if let Some((end, commas)) = closing(word, start) {
            let inner = &word[start + 1..end];
            let around = |middle: &[(char, Quoting)]| {
                let mut whole = word[..start].to_vec();
                whole.extend_from_slice(middle);
                whole.extend_from_slice(&word[end + 1..]);
                whole
            };
            if !commas.is_empty() {
                let mut bounds = vec![start];
                bounds.extend(commas);
                bounds.push(end);
                let parts = bounds.windows(2).map(|pair| around(&word[pair[0] + 1..pair[1]]));
                return Some(parts.collect());
            }
            if let Some(range) = range(inner) {
                return Some(range.iter().map(|middle| around(middle)).collect());
            }
        }
        from = start + 1;
    }
}

/// Where the brace at a place closes, and the commas between.
fn closing(word: &Marked, start: usize) -> Option<(usize, Vec<usize>)> {
    let (mut depth, mut commas) = (0, vec![]);
    for (at, (c, quoting)) in word.iter().enumerate().skip(start) {
        match (c, quoting) {
            ('{', Quoting::Bare) => depth += 1,
            ('}', Quoting::Bare) if depth == 1 => return Some((at, commas)),
            ('}', Quoting::Bare) => depth -= 1,
            (',', Quoting::Bare) if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    None
}

/// `a..b`: each of the words, or one that is not known when there are many.
fn range(inner: &[(char, Quoting)]) -> Option<Vec<Marked>> {
    let text: String = inner.iter().map(|(c, _)| *c).collect();
    let (from, to) = text.split_once("..")?;
    let bare = |text: &str| text.chars().map(|c| (c, Quoting::Bare)).collect::<Marked>();
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let (low, high) = (from.min(to), from.max(to));
        if high.saturating_sub(low) < 32 && !text.contains("0") {
            return Some((low..=high).map(|number| bare(&number.to_string())).collect());
        }
    }
    Some(vec![vec![(SOME, Quoting::Bare)]])
}
