//! A tmux pane of the person's own as a session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use qd_api::{NewAdoption, SessionView};
use qd_core::{Code, Kind, Launch, OnLoss, Problem, Size, Title};

use super::DaemonHandle;
use crate::supervisor::{SupervisorMessage, Wanted};
use crate::{launch, panes};

impl DaemonHandle {
    /// Makes a session of a pane of somebody else's tmux server, where it is. Its server is only
    /// read, and its stream tapped.
    ///
    /// # Errors
    /// [`Code::PaneMissing`], [`Code::AmbiguousId`], [`Code::PaneInUse`], or a field that cannot
    /// be.
    pub async fn adopt(&self, request: NewAdoption) -> Result<SessionView, Problem> {
        let title = request.title.as_deref().map(Title::parse).transpose();
        let title = title.map_err(|error| launch::title_problem(&error))?;
        let tags = launch::tags(&request.tags)?;
        let socket = socket(request.socket.as_deref())?;
        let found = self.shared.panes.find_adoptable(&socket, &request.target).await;
        let found = found.map_err(|problem| self.who_holds(&socket, &request.target, problem))?;
        let folder = found.folder.clone().unwrap_or_else(|| PathBuf::from("/"));
        let name = if found.window.is_empty() { &found.command } else { &found.window };
        let launch = Launch {
            title: title.unwrap_or_else(|| launch::derived(&format!("{name} ({})", found.name))),
            agent: qd_agents::COMMAND.to_owned(),
            argv: vec![found.command.clone()],
            repo: folder.to_string_lossy().into_owned(),
            kind: Kind::Adopted,
            branch: None,
            base: None,
            tags,
            env: BTreeMap::new(),
            size: Size::clamped(u32::from(found.size.0), u32::from(found.size.1)),
            on_loss: OnLoss::Stop,
            conversation: None,
            parent: None,
            adopted: Some(panes::address(&found)),
        };
        // A folder where git cannot work is one all the same.
        let repo = self.shared.git.discover(&folder).await.ok();
        let wanted =
            Box::new(Wanted { launch: Box::new(launch), repo, shared_folder: true, fork: None });
        self.supervised(|reply| SupervisorMessage::Create { wanted, reply }).await
    }

    /// A pane whose stream is taken may well be a session here.
    fn who_holds(&self, socket: &Path, target: &str, problem: Problem) -> Problem {
        if problem.code != Code::PaneInUse {
            return problem;
        }
        let registry = self.shared.registry.borrow();
        let holds = registry.iter().find_map(|(id, entry)| {
            let shown = entry.view.borrow();
            let at = shown.launch.adopted.as_ref()?;
            let named = at.name == target || format!("%{}", at.pane) == target;
            let it = named && Path::new(&at.socket) == socket && shown.view.state == "running";
            it.then(|| (id.clone(), shown.view.title.clone()))
        });
        let Some((id, title)) = holds else { return problem };
        Problem::new(
            Code::PaneInUse,
            format!("The pane {target} is a session already: \u{201c}{title}\u{201d} ({id})."),
            format!("Look at it with `qd show {id}`. Nothing was changed."),
        )
    }
}

/// The socket that was named, else that of the person's usual server, by one name however it is
/// spelt.
fn socket(named: Option<&str>) -> Result<PathBuf, Problem> {
    let usual = || {
        let user = rustix::process::geteuid().as_raw();
        PathBuf::from(format!("/tmp/tmux-{user}/default"))
    };
    let path = named.map_or_else(usual, PathBuf::from);
    if !path.is_absolute() {
        return Err(Problem::new(
            Code::FieldInvalid,
            "The socket is not given by its whole path.",
            "Begin it with a slash; inside tmux `tmux display -p '#{socket_path}'` says it.",
        )
        .on("socket"));
    }
    Ok(path.canonicalize().unwrap_or(path))
}
