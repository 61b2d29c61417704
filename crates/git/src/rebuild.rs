//! A new tip for a session's branch: the fresh base, and on it only the session's own commits.
//!
//! Commits are made anew in the object store alone, one three-way merge each, so that the worktree
//! is never half-way through something. Then the worktree goes from the old tip to the new one in
//! one step that git refuses as a whole if it would touch what is not committed, and the branch
//! moves if nobody moved it meanwhile. A ref under `refs/quarterdeck/rebuild/` keeps the old tip
//! and the new one; it is what an undo goes by.

mod apply;
pub(crate) mod obstacles;
mod pick;
mod record;
mod sign;
mod store;

use serde::{Deserialize, Serialize};

use crate::delivery::{Delivered, Delivery, Whose};
use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::status::Commit;
use crate::{Base, Checkout, Oid, RepoPath};

pub(crate) use pick::Merged;
pub use record::RebuildRecord;
pub(crate) use store::Store;

/// What a rebuild would do, or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuild {
    /// The branch.
    pub branch: String,
    /// Its commit before.
    pub old: Oid,
    /// What it begins at then.
    pub onto: Base,
    /// Its commit then; none if a commit conflicts.
    pub new: Option<Oid>,
    /// The session's own commits, oldest first, with what becomes of each.
    pub own: Vec<Picked>,
    /// The commits that are left out, newest first.
    pub left_out: Vec<Delivered>,
    /// Paths with changes that are not committed and that it would write to. With any of them it
    /// is refused.
    pub in_the_way: Vec<RepoPath>,
}

/// One of the session's own commits in a rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// The commit as it is now.
    pub commit: Commit,
    /// What becomes of it.
    pub outcome: Outcome,
}

/// What becomes of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It stays as it is.
    Same,
    /// It is made anew under this name.
    Anew(Oid),
    /// The base has its changes already.
    InBase,
    /// A merge that holds no changes of its own.
    PlainMerge,
    /// It does not fit onto the ones before it: these paths conflict.
    Conflict(Vec<RepoPath>),
    /// It comes after one that conflicts and was not tried.
    NotTried,
}

impl Rebuild {
    /// Whether nothing would change.
    pub fn is_needless(&self) -> bool {
        self.new.as_ref() == Some(&self.old)
    }

    /// The commit that conflicts, with its paths.
    pub fn conflict(&self) -> Option<(&Commit, &[RepoPath])> {
        self.own.iter().find_map(|picked| match &picked.outcome {
            Outcome::Conflict(paths) => Some((&picked.commit, paths.as_slice())),
            _ => None,
        })
    }
}

impl Repo {
    /// What a rebuild of what is to be delivered would do. Nothing is changed: commits are made in
    /// a folder of ours and thrown away.
    ///
    /// # Errors
    /// [`GitError::HeadDetached`], [`GitError::OperationUnderWay`], [`GitError::TooManyCommits`],
    /// or when git cannot be asked.
    pub async fn preview_rebuild(
        &self,
        checkout: &Checkout,
        delivery: &Delivery,
    ) -> Result<Rebuild> {
        let store = Store::aside(self)?;
        self.plan_rebuild(&store, checkout, delivery).await
    }

    async fn plan_rebuild(
        &self,
        store: &Store,
        checkout: &Checkout,
        delivery: &Delivery,
    ) -> Result<Rebuild> {
        let branch = movable(checkout, delivery)?;
        let left_out = delivery.foreign().cloned().collect();
        let own: Vec<&Delivered> =
            delivery.commits.iter().rev().filter(|one| one.whose == Whose::Own).collect();
        let (new, own) = store.pick_all(delivery, own).await?;
        let in_the_way = match &new {
            Some(new) => obstacles::find(store, checkout, &delivery.tip, new).await?,
            None => Vec::new(),
        };
        Ok(Rebuild {
            branch,
            old: delivery.tip.clone(),
            onto: delivery.base.clone(),
            new,
            own,
            left_out,
            in_the_way,
        })
    }
}

/// The branch, if it can be moved now.
pub(crate) fn movable(checkout: &Checkout, delivery: &Delivery) -> Result<String> {
    let path = || checkout.top().to_path_buf();
    // What is under way says more than that HEAD is detached meanwhile.
    if let Some(operation) = checkout.operation() {
        return Err(GitError::OperationUnderWay { operation, path: path() });
    }
    if delivery.truncated {
        return Err(GitError::TooManyCommits { listed: delivery.commits.len() });
    }
    delivery.branch.clone().ok_or_else(|| GitError::HeadDetached { path: path() })
}
