//! What is at stake, before anything is put away.

use std::path::Path;

use qd_api::{LossCommit, LossCommits, LossFiles, LossView, rfc3339};
use qd_core::{Millis, Place, Problem, SessionId, TRASH_KEEPS};
use qd_git::Git;

use super::DaemonHandle;
use crate::shared::Shown;
use crate::viewer::gone;
use crate::{problems, trash};

/// Commits that are named.
const NAMED: u32 = 20;

impl DaemonHandle {
    /// What would be lost with a session. Only reads: no lock is taken.
    ///
    /// # Errors
    /// [`qd_core::Code::UnknownSession`]. What git cannot tell is said to be unknown.
    pub async fn loss(&self, id: &SessionId) -> Result<LossView, Problem> {
        let shown = {
            let registry = self.shared.registry.borrow();
            let entry = registry.get(id).ok_or_else(gone)?;
            std::sync::Arc::clone(&entry.view.borrow())
        };
        let (children, sharers) = self.company(id, &shown).await?;
        let place = shown.place.as_ref();
        // Nothing is done to a folder that we did not make.
        let counted = match place.filter(|place| place.made_worktree) {
            Some(place) => Some(count(&self.shared.git, place, shown.parked_at.as_deref()).await),
            None => None,
        };
        let unknown = match &counted {
            Some(Err(problem)) => Some(problem.message.clone()),
            _ => None,
        };
        let (files, commits) = match counted {
            Some(Ok((files, commits))) => (Some(files), Some(commits)),
            _ => (None, None),
        };
        let until = shown.view.purge_at.clone().unwrap_or_else(|| {
            rfc3339(Millis(self.shared.clock.now().0.saturating_add(TRASH_KEEPS)))
        });
        let text = |ids: Vec<SessionId>| ids.iter().map(ToString::to_string).collect();
        Ok(LossView {
            running: !shown.launch.is_adopted()
                && matches!(shown.view.state.as_str(), "running" | "creating"),
            children: text(children),
            sharers: text(sharers),
            files,
            commits,
            branch: shown.view.branch.clone(),
            made_branch: place.is_some_and(|place| place.made_branch),
            kept: kept(&shown),
            unknown,
            until,
        })
    }
}

async fn count(
    git: &Git,
    place: &Place,
    parked_at: Option<&str>,
) -> Result<(LossFiles, LossCommits), Problem> {
    let repo = trash::repo_of(git, place).await?.repo()?;
    let folder = Path::new(parked_at.unwrap_or(&place.worktree));
    let checkout = repo.checkout(folder).map_err(|error| problems::git(&error))?;
    let own = place.branch.as_deref();
    let base = place.base.as_ref();
    let default = format!("refs/heads/{}", repo.default_branch());
    let mut merged: Vec<&str> = base.iter().map(|base| base.commit.as_str()).collect();
    // Where it was merged to since.
    merged.extend(base.map(|base| base.name.as_str()).filter(|name| Some(*name) != own));
    merged.extend((own != Some(repo.default_branch())).then_some(default.as_str()));
    let (files, commits) =
        tokio::join!(checkout.count_uncommitted(), checkout.unmerged(&merged, NAMED));
    let files = files.map_err(|error| problems::git(&error))?;
    let (count, newest) = commits.map_err(|error| problems::git(&error))?;
    let own = own.map(|branch| format!("refs/heads/{branch}"));
    merged.extend(own.as_deref());
    let loose = checkout.unmerged(&merged, 0).await.map_err(|error| problems::git(&error))?.0;
    let newest = newest
        .into_iter()
        .map(|commit| LossCommit { id: commit.oid.to_string(), subject: commit.subject })
        .collect();
    let files = LossFiles {
        staged: files.staged,
        unstaged: files.unstaged,
        untracked: files.untracked,
        ignored: files.ignored,
        at_least: files.at_least,
    };
    Ok((files, LossCommits { count, loose, newest }))
}

fn kept(shown: &Shown) -> String {
    if let Some(kept) = &shown.view.kept {
        return kept.clone();
    }
    match &shown.place {
        Some(place) if shown.launch.is_adopted() => format!(
            "It is only let go of: what runs in its pane goes on there, and its folder {} is left as it is. \
             The trash keeps the record.",
            place.worktree
        ),
        None => "It has no files.".to_owned(),
        Some(place) if !place.made_worktree => {
            format!("Its folder {} is left as it is.", place.worktree)
        }
        Some(place) => {
            let branch = place.branch.as_ref();
            let branch = branch.map(|branch| format!(" The branch {branch} stays and is free."));
            format!(
                "The trash keeps its worktree, every file in it as it is, and its history.{}",
                branch.unwrap_or_default()
            )
        }
    }
}
