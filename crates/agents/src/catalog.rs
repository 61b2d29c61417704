use std::path::{Path, PathBuf};

use qd_core::{Code, Problem};

use crate::agent::Agent;
use crate::aider::Aider;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::gemini::Gemini;
use crate::opencode::Opencode;
use crate::own::Own;
use crate::{COMMAND, SHELL};

/// Most files of people's own agents that are read.
const MOST_OWN: usize = 100;

/// The agents that are known by name: those of this crate, and those that a person describes in
/// files of their own.
#[derive(Debug)]
pub struct Catalog {
    agents: Vec<Box<dyn Agent>>,
    faults: Vec<OwnFault>,
}

/// A file of a person's that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFault {
    /// The name of the agent that it would describe.
    pub name: String,
    /// What is wrong, with file, line and column.
    pub problem: Problem,
}

impl Default for Catalog {
    fn default() -> Self {
        let agents: Vec<Box<dyn Agent>> = vec![
            Box::new(Claude),
            Box::new(Codex),
            Box::new(Gemini),
            Box::new(Opencode),
            Box::new(Aider),
        ];
        Self { agents, faults: vec![] }
    }
}

impl Catalog {
    /// The agents of this crate, and those that the files `NAME.toml` of a folder describe. A file
    /// that cannot be used hides no other agent.
    #[must_use]
    pub fn with(folder: &Path) -> Self {
        let mut catalog = Self::default();
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .collect();
        files.sort();
        for file in files.into_iter().take(MOST_OWN) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match catalog.read(&name, &file) {
                Ok(own) => catalog.agents.push(Box::new(own)),
                Err(problem) => catalog.faults.push(OwnFault { name, problem }),
            }
        }
        catalog
    }

    /// All agents that can be used.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Agent> {
        self.agents.iter().map(Box::as_ref)
    }

    /// The files that cannot be used.
    #[must_use]
    pub fn faults(&self) -> &[OwnFault] {
        &self.faults
    }

    /// The agent of a name.
    ///
    /// # Errors
    /// [`Code::AgentUnknown`], or what is wrong with the file that describes it.
    pub fn agent(&self, name: &str) -> Result<&dyn Agent, Problem> {
        if let Some(agent) = self.iter().find(|agent| agent.name() == name) {
            return Ok(agent);
        }
        if let Some(fault) = self.faults.iter().find(|fault| fault.name == name) {
            return Err(fault.problem.clone());
        }
        let names: Vec<_> = self.iter().map(Agent::name).collect();
        Err(Problem::new(
            Code::AgentUnknown,
            "No agent of that name is known.",
            format!(
                "Known are {} and {SHELL}; any other program runs with `--command`.",
                names.join(", ")
            ),
        )
        .on("agent"))
    }

    fn read(&self, name: &str, file: &Path) -> Result<Own, Problem> {
        let is_word = !name.is_empty()
            && name.len() <= 40
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let refuse = |why: String, hint: &str| {
            Err(Problem::new(Code::FieldInvalid, format!("{}: {why}.", file.display()), hint)
                .on("agent"))
        };
        if !is_word {
            return refuse(
                "the name of the file is no name of an agent".to_owned(),
                "Give it 1 to 40 small letters, digits and dashes before `.toml`.",
            );
        }
        if [SHELL, COMMAND].contains(&name) || self.iter().any(|agent| agent.name() == name) {
            return refuse(
                format!("an agent called {name} is there already"),
                "Give the file another name; the title may be any.",
            );
        }
        match std::fs::read_to_string(file) {
            Ok(text) => Own::parse(name, &text).map_err(|wrong| wrong.at(file)),
            Err(error) => refuse(format!("it cannot be read: {error}"), "Mend it or move it away."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_hides_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        write("mine.toml", "program = \"mine\"\n");
        write("broken.toml", "program = \"x\"\nresume = 3\n");
        write("claude.toml", "program = \"x\"\n");
        write("Not a name.toml", "program = \"x\"\n");
        write("notes.txt", "x");
        let catalog = Catalog::with(folder.path());
        assert_eq!(catalog.agent("mine").unwrap().title(), "mine");
        assert_eq!(catalog.agent("claude").unwrap().title(), "Claude Code");
        let faults: Vec<_> = catalog.faults().iter().map(|fault| fault.name.as_str()).collect();
        assert_eq!(faults, ["Not a name", "broken", "claude"]);
        let problem = catalog.agent("broken").unwrap_err();
        assert!(problem.message.contains("broken.toml, line 2, column 10"), "{problem}");
        assert_eq!(catalog.agent("nobody").unwrap_err().code, Code::AgentUnknown);
        assert_eq!(Catalog::with(Path::new("/nowhere")).faults(), []);
    }
}
