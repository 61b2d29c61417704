use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use qd_core::{AttentionState, HookEvent, Millis};
use serde_json::Value;

use crate::title;

/// What is known of one kind of program.
///
/// What stands after the program is given as words, never as a line for a shell.
pub trait Agent: Debug + Send + Sync {
    /// Its name in requests.
    fn name(&self) -> &str;

    /// What people call it.
    fn title(&self) -> &str;

    /// The program that is looked for on the PATH.
    fn program(&self) -> &str;

    /// The command that gets it.
    fn install(&self) -> Option<&str>;

    /// How it takes its first prompt.
    fn prompt(&self) -> Prompt;

    /// What stands after the program whenever it is started.
    fn always(&self) -> Vec<String> {
        vec![]
    }

    /// What begins a conversation under an id that we give: a UUID. None: it names its own.
    fn begin(&self, _id: &str) -> Option<Vec<String>> {
        None
    }

    /// What goes on with a conversation. None: it cannot.
    fn resume(&self, _id: &str) -> Option<Vec<String>> {
        None
    }

    /// What begins a copy of a conversation, under a new id where it takes one. None: it cannot.
    fn fork(&self, _id: &str, _new: &str) -> Option<Vec<String>> {
        None
    }

    /// Whether it has a conversation of that id which can be gone on with, by its own files. One
    /// that was begun and never used is not kept by most.
    fn has(&self, _place: &Place<'_>, _id: &str) -> bool {
        false
    }

    /// Whether it names its conversations itself, so that they are found by [`Agent::began`].
    fn names_own(&self) -> bool {
        false
    }

    /// The conversations that it began in a folder since a time, newest first, by its own files.
    /// Only for agents that name their conversations themselves.
    fn began(&self, _place: &Place<'_>) -> Vec<String> {
        vec![]
    }

    /// The hooks that it calls when it is started so; none for an agent that has none we know.
    fn hooks(&self) -> &'static [&'static str] {
        &[]
    }

    /// What is put into a file so that it calls a hook: `command` is a line of shell, behind which
    /// the name of the hook is put.
    fn hook_settings(&self, _command: &str) -> Option<String> {
        None
    }

    /// What makes it read that file, beside the person's own settings.
    fn with_settings(&self, _file: &str) -> Option<Vec<String>> {
        None
    }

    /// What a call of one of its hooks reports.
    fn hook(&self, _name: &str, _body: &Value) -> Option<HookEvent> {
        None
    }

    /// What a title of its terminal says. None: nothing that is sure.
    fn title_says(&self, title: &str) -> Option<AttentionState> {
        title::spins(title).then_some(AttentionState::Working)
    }

    /// Whether it keeps a file that says what it does, see [`Agent::status`].
    fn keeps_status(&self) -> bool {
        false
    }

    /// What its own status file says of a conversation.
    fn status(&self, _place: &Place<'_>, _id: &str) -> Option<Status> {
        None
    }
}

/// What an agent's own status file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// What it does.
    pub state: AttentionState,
    /// Since when.
    pub since: Millis,
}

/// How a program takes its first prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// As its last argument, after `--`.
    Last,
    /// As the value of an option, in one word with it, so that a leading dash is no option.
    Option(String),
    /// Not at all: its prompt option ends the program afterwards, or it has none.
    None,
}

/// Where a program runs, for looking into its own files.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder that it runs in.
    pub folder: &'a Path,
    /// Its environment: its files are beneath its HOME, unless a variable of its own says else.
    pub env: &'a BTreeMap<String, String>,
    /// When it was started first, in milliseconds since 1970.
    pub since: Millis,
}

impl Place<'_> {
    /// The folder that a variable names, or one beneath HOME.
    pub(crate) fn files(&self, variable: &str, beneath_home: &str) -> Option<PathBuf> {
        let set = |name: &str| self.env.get(name).filter(|value| !value.is_empty());
        match set(variable) {
            Some(folder) => Some(PathBuf::from(folder)),
            None => set("HOME").map(|home| Path::new(home).join(beneath_home)),
        }
    }
}

/// Options and values as the words of an argument vector.
pub(crate) fn words<const N: usize>(words: [&str; N]) -> Option<Vec<String>> {
    Some(words.into_iter().map(str::to_owned).collect())
}
