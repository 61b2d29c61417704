//! Agents that a person describes in a file.

use std::path::Path;

use qd_core::{Code, Problem};
use serde::Deserialize;

use crate::agent::{Agent, Place, Prompt};

/// What stands for the id of a conversation.
const ID: &str = "{id}";
/// What stands for the id of the copy of a conversation.
const NEW_ID: &str = "{new}";

/// An agent that a person described.
#[derive(Debug)]
pub(crate) struct Own {
    name: String,
    title: String,
    described: Described,
}

/// What stands in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Described {
    program: toml::Spanned<String>,
    title: Option<String>,
    install: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    prompt: Option<toml::Spanned<String>>,
    begin: Option<toml::Spanned<Vec<String>>>,
    resume: Option<toml::Spanned<Vec<String>>>,
    fork: Option<toml::Spanned<Vec<String>>>,
}

/// What is wrong in a file, and where: line and column from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    line: usize,
    column: usize,
    why: String,
}

impl Wrong {
    fn new(text: &str, at: usize, why: String) -> Self {
        let before = text.get(..at.min(text.len())).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column, why }
    }

    pub(crate) fn at(self, file: &Path) -> Problem {
        let Self { line, column, why } = self;
        Problem::new(
            Code::FieldInvalid,
            format!("{}, line {line}, column {column}: {why}.", file.display()),
            "Mend the line; docs/agents.md says what may stand there.",
        )
        .on("agent")
    }
}

impl Own {
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, Wrong> {
        let described: Described = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Wrong::new(text, at, error.message().trim().replace('\n', "; "))
        })?;
        let wrong = |at: usize, why: &str| Err(Wrong::new(text, at, why.to_owned()));
        let program = &described.program;
        if program.get_ref().is_empty() || program.get_ref().contains(char::is_whitespace) {
            return wrong(program.span().start, "the program is one word; arguments go to `args`");
        }
        if let Some(prompt) = &described.prompt
            && !matches!(prompt.get_ref().as_str(), "last" | "none")
            && !prompt.get_ref().starts_with('-')
        {
            let why = "`prompt` is \"last\", \"none\" or an option such as \"--prompt\"";
            return wrong(prompt.span().start, why);
        }
        let ids =
            [(&described.begin, "begin"), (&described.resume, "resume"), (&described.fork, "fork")];
        for (words, what) in ids {
            let Some(words) = words else { continue };
            if !words.get_ref().iter().any(|word| word.contains(ID)) {
                let why = format!("`{what}` has no {ID}, which stands for the conversation");
                return wrong(words.span().start, &why);
            }
        }
        if let (Some(resume), None) = (&described.resume, &described.begin) {
            let why = "`resume` without `begin`: nobody would know the conversation";
            return wrong(resume.span().start, why);
        }
        let title = described.title.clone().unwrap_or_else(|| name.to_owned());
        Ok(Self { name: name.to_owned(), title, described })
    }
}

fn fill(
    words: Option<&toml::Spanned<Vec<String>>>,
    id: &str,
    new: Option<&str>,
) -> Option<Vec<String>> {
    let fill = |word: &String| match new {
        Some(new) => word.replace(ID, id).replace(NEW_ID, new),
        None => word.replace(ID, id),
    };
    words.map(|words| words.get_ref().iter().map(fill).collect())
}

impl Agent for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn program(&self) -> &str {
        self.described.program.get_ref()
    }

    fn install(&self) -> Option<&str> {
        self.described.install.as_deref()
    }

    fn prompt(&self) -> Prompt {
        match self.described.prompt.as_ref().map(|prompt| prompt.get_ref().as_str()) {
            None | Some("none") => Prompt::None,
            Some("last") => Prompt::Last,
            Some(option) => Prompt::Option(option.to_owned()),
        }
    }

    fn always(&self) -> Vec<String> {
        self.described.args.clone()
    }

    fn begin(&self, id: &str) -> Option<Vec<String>> {
        fill(self.described.begin.as_ref(), id, None)
    }

    fn resume(&self, id: &str) -> Option<Vec<String>> {
        fill(self.described.resume.as_ref(), id, None)
    }

    fn fork(&self, id: &str, new: &str) -> Option<Vec<String>> {
        fill(self.described.fork.as_ref(), id, Some(new))
    }

    /// Where its files are nobody told: what was begun is taken to be there.
    fn has(&self, _place: &Place<'_>, _id: &str) -> bool {
        self.described.resume.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_described_is_what_is_run() {
        let text = "title = \"Mine\"\nprogram = \"mine\"\nargs = [\"--tui\"]\nprompt = \"--ask\"\n\
                    begin = [\"--id={id}\"]\nresume = [\"--go-on\", \"{id}\"]\n\
                    fork = [\"--copy\", \"{id}\", \"--id={new}\"]\n";
        let own = Own::parse("mine", text).unwrap();
        assert_eq!((own.name(), own.title(), own.program()), ("mine", "Mine", "mine"));
        assert_eq!(own.prompt(), Prompt::Option("--ask".to_owned()));
        assert_eq!(own.always(), ["--tui"]);
        assert_eq!(own.begin("7").unwrap(), ["--id=7"]);
        assert_eq!(own.resume("7").unwrap(), ["--go-on", "7"]);
        assert_eq!(own.fork("7", "8").unwrap(), ["--copy", "7", "--id=8"]);
        let bare = Own::parse("bare", "program = \"/opt/bare\"").unwrap();
        assert_eq!((bare.title(), bare.prompt(), bare.begin("7")), ("bare", Prompt::None, None));
    }

    #[test]
    fn what_is_wrong_is_told_by_line_and_column() {
        for (text, line, column, words) in [
            ("", 1, 1, "program"),
            ("program = \"a b\"", 1, 11, "one word"),
            ("program = \"a\"\n  prompt = \"first\"", 2, 12, "\"last\""),
            ("program = \"a\"\nresum = []", 2, 1, "unknown field"),
            ("program = \"a\"\n# é\nbegin = [\"--id\"]", 3, 9, "{id}"),
            ("program = \"a\"\nresume = [\"{id}\"]", 2, 10, "without `begin`"),
            ("program = \"é\" x", 1, 15, ""),
        ] {
            let wrong = Own::parse("x", text).unwrap_err();
            assert_eq!((wrong.line, wrong.column), (line, column), "{text}: {wrong:?}");
            assert!(wrong.why.contains(words), "{text}: {wrong:?}");
        }
    }
}
