//! The agents of this daemon: those that the crate of that name knows, those that the person
//! described in the home, and what is known of them on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use qd_agents::{Catalog, Place, Prompt, SHELL, Versions, shell_of};
use qd_api::AgentInfo;
use qd_core::{Launch, Millis, Problem, SessionId};

use crate::problems;
use crate::shared::Shared;

/// What is known of the agents.
#[derive(Debug)]
pub(crate) struct Agents {
    folder: PathBuf,
    versions: Versions,
}

impl Agents {
    /// Those of a home: the person's own are described in `agents/NAME.toml` there.
    pub(crate) fn of(home: &Path) -> Self {
        Self { folder: home.join("agents"), versions: Versions::default() }
    }

    /// All that are known now. Read anew each time, so that a file which was mended is used
    /// without a restart.
    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::with(&self.folder)
    }

    /// Whether an agent names its conversations itself, so that they have to be found.
    pub(crate) fn names_own(&self, agent: &str) -> bool {
        self.catalog().agent(agent).is_ok_and(qd_agents::Agent::names_own)
    }

    /// All agents, with where they are now, and the version that each told within a minute. One
    /// whose file cannot be used is there too, with what is wrong.
    pub(crate) async fn list(&self, path: &str, shell: Option<&str>) -> Vec<AgentInfo> {
        let catalog = self.catalog();
        let found: Vec<Option<PathBuf>> =
            catalog.iter().map(|agent| qd_agents::find(agent.program(), path)).collect();
        let versions = self.versions.of(found.iter().flatten().cloned(), path).await;
        let known = catalog.iter().zip(&found).map(|(agent, found)| AgentInfo {
            name: agent.name().to_owned(),
            title: agent.title().to_owned(),
            found: found.as_ref().map(|program| program.to_string_lossy().into_owned()),
            version: found.as_ref().and_then(|program| versions.get(program).cloned()),
            install: agent.install().map(str::to_owned),
            takes_prompt: agent.prompt() != Prompt::None,
            problem: None,
        });
        let faults = catalog.faults().iter().map(|fault| AgentInfo {
            name: fault.name.clone(),
            title: fault.name.clone(),
            found: None,
            version: None,
            install: None,
            takes_prompt: false,
            problem: Some(fault.problem.message.clone()),
        });
        let shell = AgentInfo {
            name: SHELL.to_owned(),
            title: "Plain shell".to_owned(),
            found: Some(shell_of(shell).to_owned()),
            version: None,
            install: None,
            takes_prompt: false,
            problem: None,
        };
        known.chain(faults).chain([shell]).collect()
    }
}

/// An id for a conversation that begins.
///
/// # Errors
/// When the system has no random bytes to give.
pub(crate) fn new_conversation() -> Result<String, Problem> {
    Ok(qd_agents::uuid(Shared::random()?))
}

/// A session, as its agent's files are asked about it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) id: SessionId,
    pub(crate) launch: Launch,
    /// The folder that it runs in.
    pub(crate) folder: PathBuf,
    pub(crate) env: BTreeMap<String, String>,
    /// When it was made.
    pub(crate) since: Millis,
}

impl Asked {
    /// Asks with the agents that are known and the conversations that other sessions have. An
    /// agent's files may be many: they are read beside the turns.
    pub(crate) async fn with<T: Send + 'static>(
        self,
        shared: &Shared,
        ask: impl FnOnce(&Catalog, &Launch, &Place<'_>, &BTreeSet<String>) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let catalog = shared.agents.catalog();
        let taken: BTreeSet<String> = shared
            .registry
            .borrow()
            .iter()
            .filter(|(id, _)| **id != self.id)
            .filter_map(|(_, entry)| entry.view.borrow().launch.conversation.clone())
            .collect();
        let asked = tokio::task::spawn_blocking(move || {
            let place = Place { folder: &self.folder, env: &self.env, since: self.since };
            ask(&catalog, &self.launch, &place, &taken)
        });
        asked.await.map_err(problems::internal)
    }
}
