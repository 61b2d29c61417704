use serde::Serialize;

use crate::effect::Effect;

/// One program that a command would run, or one thing that the shell does itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Part {
    /// The text it was read from.
    pub text: String,
    /// The program, without its folder.
    pub program: String,
    /// Its arguments, with `…` for what is only known when it runs.
    pub arguments: Vec<String>,
    /// Whether all arguments are known.
    pub known: bool,
    /// The names of variables set before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// The files that it is redirected to or from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// What it does.
    pub effects: Vec<Effect>,
}

/// What is known of what flows from one command into the next.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// Whether there is one at all.
    pub there: bool,
    /// All of it, when it is known.
    pub text: Option<String>,
    /// Whether there may be a secret in it.
    pub secret: bool,
    /// Whether it comes from the network.
    pub network: bool,
    /// Whether it is paths in the worktree.
    pub names: bool,
}

impl Stream {
    /// Adds what comes from another command.
    pub fn add(&mut self, other: Self) {
        self.text = match (self.text.take(), other.text) {
            (None, text) if !self.there => text,
            (Some(mine), Some(theirs)) => Some(mine + &theirs),
            _ => None,
        };
        self.names = if self.there { self.names && other.names } else { other.names };
        self.there = true;
        self.secret |= other.secret;
        self.network |= other.network;
    }
}
