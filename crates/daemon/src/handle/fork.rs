//! A session like another, that begins where that one is now.

use qd_api::{NewFork, SessionView};
use qd_core::{Code, Kind, Problem, SessionId, Title};
use qd_git::GitError;

use super::DaemonHandle;
use super::shell::derived_title;
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
        if let Some(prompt) = request.prompt.as_deref().filter(|prompt| !prompt.trim().is_empty()) {
            wanted.argv = self.with_prompt(&wanted, prompt)?;
        }
        if wanted.kind != Kind::Worktree {
            wanted.repo = repo.top().to_string_lossy().into_owned();
        }
        wanted.kind = Kind::Worktree;
        wanted.branch = request.branch;
        wanted.base = None;
        // The conversation is the other's.
        wanted.resume = None;
        wanted.parent = None;
        let (launch, fork) = (Box::new(wanted), Some(Box::new(place)));
        self.make(Wanted { launch, repo: Some(repo), shared_folder: false, fork }).await
    }

    fn with_prompt(&self, like: &qd_core::Launch, prompt: &str) -> Result<Vec<String>, Problem> {
        let env = &self.shared.env;
        let path = like.env.get("PATH").or_else(|| env.get("PATH")).map_or("", String::as_str);
        // A program that takes no prompt says so itself.
        let command = (like.agent == agents::COMMAND).then(|| like.argv.clone());
        let shell = env.get("SHELL").map(String::as_str);
        agents::argv(Some(&like.agent), command, Some(prompt), path, shell).map(|(_, argv)| argv)
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
