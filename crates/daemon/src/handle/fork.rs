//! A session like another, that begins where that one is now.

use std::path::PathBuf;

use qd_agents::Started;
use qd_api::{NewFork, SessionView};
use qd_core::{Code, Kind, Place, Problem, SessionId, Title};
use qd_git::GitError;

use super::DaemonHandle;
use super::shell::derived_title;
use crate::agents::Asked;
use crate::shared::Shown;
use crate::supervisor::Wanted;
use crate::{agents, launch, problems, trash};

impl DaemonHandle {
    /// Makes a session with a worktree of its own, on a new branch from the HEAD of another, with
    /// what is not committed there. The other one is only read.
    ///
    /// # Errors
    /// `state_conflict` when its files are not in place, `not_a_repository`, `branch_exists`, or a field that cannot be.
    pub async fn fork(&self, id: &SessionId, request: NewFork) -> Result<SessionView, Problem> {
        let shown = self.in_place(id)?;
        if shown.launch.is_adopted() {
            return Err(not_known(&shown.view.title));
        }
        let Some(place) = shown.place.clone() else { return Err(crate::viewer::gone()) };
        let repo = trash::repo_of(&self.shared.git, &place).await?.repo()?;
        if let Some(branch) = &request.branch {
            let named = || branch.clone();
            if !qd_git::is_valid_branch_name(branch) {
                return Err(problems::git(&GitError::BranchInvalid { name: named() }));
            }
            if repo.branch_exists(branch).await.map_err(|error| problems::git(&error))? {
                return Err(problems::git(&GitError::BranchExists { branch: named() }));
            }
        }
        let mut wanted = shown.launch.clone();
        let title = request.title.unwrap_or_else(|| derived_title(&shown.view.title, "fork"));
        wanted.title = Title::parse(&title).map_err(|error| launch::title_problem(&error))?;
        let started = self.copied(id, &shown, &place, request.prompt).await?;
        (wanted.argv, wanted.conversation) = (started.argv, started.conversation);
        if wanted.kind != Kind::Worktree {
            wanted.repo = repo.top().to_string_lossy().into_owned();
        }
        wanted.kind = Kind::Worktree;
        wanted.branch = request.branch;
        wanted.base = None;
        wanted.parent = None;
        let (launch, fork) = (Box::new(wanted), Some(Box::new(place)));
        self.make(Wanted { launch, repo: Some(repo), shared_folder: false, fork }).await
    }

    /// How its program is started, with a copy of the other's conversation where it can have one.
    async fn copied(
        &self,
        id: &SessionId,
        shown: &Shown,
        place: &Place,
        prompt: Option<String>,
    ) -> Result<Started, Problem> {
        let mut env = self.shared.env.clone();
        env.extend(shown.launch.env.clone());
        let asked = Asked {
            id: id.clone(),
            launch: shown.launch.clone(),
            folder: PathBuf::from(&place.worktree),
            env,
            since: shown.created_at,
        };
        let new = agents::new_conversation()?;
        let started = asked.with(&self.shared, move |catalog, launch, place, taken| {
            let taken = |id: &str| taken.contains(id);
            qd_agents::fork(catalog, launch, place, taken, prompt.as_deref(), &new)
        });
        started.await?
    }
}

/// How the program of an adopted session was started nobody told us.
fn not_known(title: &str) -> Problem {
    Problem::new(
        Code::StateConflict,
        format!(
            "\u{201c}{title}\u{201d} cannot be forked: it is a tmux pane of your own, and how its \
             program is started is not known."
        ),
        "Nothing was made. Make a session in its folder with `qd new` instead.",
    )
}
