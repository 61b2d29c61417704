//! What a shell reads: text in, a tree of every command out.
//!
//! The grammar is that of bash. What is not understood is an error, never a guess. The parser
//! recurses no deeper than [`Limits::depth`] and takes no more than [`Limits::steps`] steps, so that
//! no text can overflow a stack or take long.

mod condition;
mod cursor;
mod heredoc;
mod parameter;
mod parse;
mod simple;
mod tree;
mod word;

pub use cursor::{Budget, Limits};
pub use parse::parse;
pub use tree::{
    Assignment, Command, Direction, Item, Joined, Kind, List, Operation, Piece, Redirect, Target,
    Value, Word,
};

/// Why a text is no shell command that we understand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    /// The text is longer than what is read, in bytes.
    #[error("it is {0} bytes long")]
    TooLong(usize),
    /// Too many constructs stand in one another.
    #[error("it is nested too deeply")]
    TooDeep,
    /// Reading it takes more steps than are allowed.
    #[error("it takes too many steps to read")]
    TooMuch,
    /// The grammar does not have it.
    #[error("it cannot be parsed: {0}")]
    Syntax(&'static str),
}
