//! Making a session that begins where another one is.

use std::path::Path;

use qd_core::{Code, Place, Problem, Step};
use qd_git::{BaseSource, Checkout, GitError, Oid, Repo};

use super::{Made, Making};
use crate::problems;
use crate::session::Progress;

impl Making {
    /// A worktree on a new branch from the HEAD of the source, with what is not committed there.
    pub(super) async fn forked(&self, repo: Repo) -> Result<(Place, Option<Made>), Problem> {
        let Some(source) = self.fork.as_deref() else {
            return Err(problems::internal("a fork has no source"));
        };
        let git = |error: GitError| problems::git(&error);
        let checkout = repo.checkout_around(Path::new(&source.worktree)).map_err(git)?;
        let Some(commit) = checkout.commit("HEAD").await.map_err(git)? else {
            return Err(git(GitError::NoCommits { path: checkout.top().to_path_buf() }));
        };
        self.tell(Progress::Step(Step::Worktree)).await;
        if let Some(branch) = self.launch.branch.clone() {
            return self.forked_on(repo, source, &checkout, &commit, branch).await;
        }
        let mut last = None;
        loop {
            let taken = repo.branches().await.map_err(git)?;
            let branch = qd_git::branch_name_from(self.launch.title.as_str(), |name| {
                taken.iter().any(|t| t == name)
            });
            let made =
                self.forked_on(repo.clone(), source, &checkout, &commit, branch.clone()).await;
            match made {
                // Another session took that name between the look and our turn.
                Err(problem)
                    if problem.code == Code::BranchExists && last.as_ref() != Some(&branch) =>
                {
                    last = Some(branch);
                }
                done => return done,
            }
        }
    }

    async fn forked_on(
        &self,
        repo: Repo,
        source: &Place,
        checkout: &Checkout,
        commit: &Oid,
        branch: String,
    ) -> Result<(Place, Option<Made>), Problem> {
        let path = self.folder_for(&repo, &branch);
        self.claim(&path).await?;
        let from = source.branch.clone().unwrap_or_else(|| "HEAD".to_owned());
        let note = format!(
            "It begins at {} of {from}, with what was not committed there.",
            commit.short()
        );
        let base =
            qd_git::Base { name: from, commit: commit.clone(), source: BaseSource::Local, note };
        let place = qd_git::Place::NewBranch { branch, base: base.clone(), path: path.clone() };
        let like = Some(checkout.clone());
        let (mut place, made) = self.make(repo, place, Some(base), path, like).await?;
        // Its changes are compared with what the source's are compared with.
        if source.base.is_some() {
            place.base.clone_from(&source.base);
        }
        Ok((place, made))
    }
}
