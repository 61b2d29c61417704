//! tmux's control mode as data: bytes in, events out; commands in, a line out.
//!
//! What was found on tmux 3.3a and is relied on here:
//! - every command of a list answers with its own block, in order; after one
//!   that fails the rest of the list is dropped without any block;
//! - blocks that answer *our* lines carry flag 1; the block at attach, and those
//!   of hooks, carry 0 and are not answers;
//! - notifications never come inside a block, so a line inside a block is
//!   output even when it reads `%exit`;
//! - `source-file` answers with one more block, flag 1, for each command of the
//!   file, which would shift every later answer: it is never sent;
//! - an empty line ends the client.

mod command;
mod notice;
mod parser;

pub use command::{Command, CommandList};
pub(crate) use command::{format_literal, shell_word_in_format};
pub use notice::Notice;
pub use parser::{Block, Event, Limits, Overflow, Parser};
