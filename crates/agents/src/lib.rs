//! The programs that are known by name: how each is found, started, given its first prompt, and
//! made to go on with its own conversation.
//!
//! One file per agent behind one trait, [`Agent`]; people add their own in TOML, see [`Catalog`].
//! What an agent keeps in its own files is read here and nowhere else. Nothing of a person's is
//! written.

mod agent;
mod aider;
mod catalog;
mod claude;
mod codex;
mod command;
mod gemini;
mod opencode;
mod own;
mod path;
mod sequence;
mod shell;
mod start;
mod title;
mod uuid;
mod version;

pub use agent::{Agent, Place, Prompt, Status};
pub use catalog::{Catalog, OwnFault};
pub use command::COMMAND;
pub use path::{find, is_program};
pub use sequence::{STATUS_SEQUENCE, status_sequence};
pub use shell::{SHELL, shell_of};
pub use start::{Again, Started, Wanted, again, conversation, fork, start};
pub use title::title_says;
pub use uuid::uuid;
pub use version::Versions;
