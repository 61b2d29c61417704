use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after the other.
pub type List = Vec<Item>;

/// Pipelines that are joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub struct Item {
    /// Each pipeline with what joins it to the one before; the first has [`Joined::First`].
    pub pipelines: Vec<(Joined, Vec<Command>)>,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// What stands before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// Nothing: it is the first of its item.
    First,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One command of a pipeline.
#[derive(Clone, Debug)]
pub struct Command {
    /// What it is.
    pub kind: Kind,
    /// Its redirections, in order.
    pub redirects: Vec<Redirect>,
    /// The text it was read from.
    pub text: String,
}

/// The kinds of commands.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Assignments and words; both may be empty, not at once with the redirections.
    Simple {
        /// `NAME=value` before the program.
        assignments: Vec<Assignment>,
        /// The program and its arguments.
        words: Vec<Word>,
    },
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if` with all its conditions and branches, in order.
    If(Vec<List>),
    /// `while` and `until`: condition and body.
    While(List, List),
    /// `for` and `select`: the variable, the words (none: the arguments), the body.
    For(String, Option<Vec<Word>>, List),
    /// `for ((…))`: the expressions, the body.
    ForArithmetic(Word, List),
    /// `case`: the word, then patterns with their branch.
    Case(Word, Vec<(Vec<Word>, List)>),
    /// A function: its name and body.
    Function(String, Box<Command>),
    /// `[[ … ]]`: every operand and operator.
    Condition(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
    /// `coproc`
    Coprocess(Box<Command>),
}

/// `NAME=value`, `NAME+=value`, `NAME[index]=value`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What stands between the brackets.
    pub index: Option<Word>,
    /// Whether it adds to what is there.
    pub appends: bool,
    /// What it is set to.
    pub value: Value,
}

/// The right side of an assignment.
#[derive(Clone, Debug)]
pub enum Value {
    /// One word.
    Scalar(Word),
    /// `( … )`
    Array(Vec<Word>),
}

/// Which way a redirection goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    Both,
    /// `<&`, `>&` with a number or `-`
    Duplicate,
}

/// A redirection.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// The descriptor that is named, when one is.
    pub descriptor: Option<u32>,
    /// Which way.
    pub direction: Direction,
    /// From or to what.
    pub target: Target,
}

/// The other end of a redirection.
#[derive(Clone, Debug)]
pub enum Target {
    /// A file, or for [`Direction::Duplicate`] a descriptor.
    Word(Word),
    /// `<<< word`
    String(Word),
    /// `<< END`: the body, as a word whose quoting is done. It is set once the body has been read.
    Document(Rc<OnceCell<Word>>),
}

/// A word before expansion.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// Its pieces, in order.
    pub pieces: Vec<Piece>,
}

impl Word {
    /// Its text, when it is one bare literal.
    #[must_use]
    pub fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Bare(text)] => Some(text),
            _ => None,
        }
    }
}

/// A piece of a word.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Quoted text: it stands for itself.
    Quoted(String),
    /// Text without quotes: patterns, braces and tildes count.
    Bare(String),
    /// `$name`, `${name…}`
    Parameter {
        /// The name; digits and special characters too.
        name: String,
        /// What is done to it.
        operation: Operation,
        /// Words in the braces: index, default, pattern, offset.
        operands: Vec<Word>,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `$(…)` and backquotes.
    Substitution(List, bool),
    /// `<(…)` and `>(…)`.
    Process(List),
    /// `$((…))`
    Arithmetic(Word),
}

/// What an expansion does to a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    Plain,
    /// `:-`, `-`, `:=`, `=`, `:+`, `+`
    Default,
    /// `:?`, `?`
    Required,
    /// `#`, `%`, `/`, `^`, `,`, `:offset`
    Edit,
    /// `#name`
    Length,
    /// `!name`, `@P` and its like: the value is read once more.
    Evaluated,
}
