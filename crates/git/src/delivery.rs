//! What a branch would deliver, and whose each commit is.
//!
//! A commit is the session's own if it was made in its worktree since it began. Three things tell:
//! the commit that the session began at (what is before it is somebody else's), git's log of what
//! HEAD did in that worktree (what was committed there), and the other branches (what came in by a
//! merge is on one of them). Only reads: no lock is taken.

mod graph;
mod log;
mod made;
mod whose;

use serde::{Deserialize, Serialize};

use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::status::{Commit, Operation};
use crate::{Base, Checkout, Oid};

pub(crate) use made::REBUILT;

/// The most commits that are listed.
const MAX_LISTED: usize = 500;

/// What is known of a session: its branch and where it began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionLine {
    /// Its branch, if it is known.
    pub branch: Option<String>,
    /// The commit that it began at, if it was written down.
    pub start: Option<Oid>,
}

/// What a branch would deliver onto a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The branch; none if HEAD is detached and no rebase holds one.
    pub branch: Option<String>,
    /// Its commit.
    pub tip: Oid,
    /// What it is delivered onto.
    pub base: Base,
    /// Where the two part; none if they have no commit in common.
    pub merge_base: Option<Oid>,
    /// How many commits the base has that the branch does not.
    pub behind: u64,
    /// The commits of the branch that the base does not have, newest first.
    pub commits: Vec<Delivered>,
    /// There are more of them than are listed.
    pub truncated: bool,
    /// The base was rewritten: it once had commits that it has no more.
    pub rewritten: bool,
    /// The history ends early here, as only a part of it was fetched.
    pub shallow: bool,
    /// What is under way in the worktree, if anything.
    pub operation: Option<Operation>,
}

/// One commit that would be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// The commit.
    pub commit: Commit,
    /// Its parents; more than one for a merge, none for a first commit.
    pub parents: Vec<Oid>,
    /// Whose it is.
    pub whose: Whose,
    /// One other branch that has it, where that says whose it is.
    pub on: Option<String>,
}

/// Whose a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// Made in this session.
    Own,
    /// Made in another session: its place in the list that was given.
    Session(usize),
    /// Of nobody here: it was there before, or came in from another branch.
    Nobody,
}

impl Delivery {
    /// The commits that are not this session's.
    pub fn foreign(&self) -> impl Iterator<Item = &Delivered> {
        self.commits.iter().filter(|delivered| delivered.whose != Whose::Own)
    }
}

impl Repo {
    /// What the checkout's branch would deliver onto `base`. `own` is its session; `others` are
    /// the other sessions of this repository.
    ///
    /// # Errors
    /// [`GitError::NoCommits`] on an unborn branch, or when git cannot be asked.
    pub async fn delivery(
        &self,
        checkout: &Checkout,
        base: &Base,
        own: &SessionLine,
        others: &[SessionLine],
    ) -> Result<Delivery> {
        let branch = match checkout.branch().await? {
            Some(branch) => Some(branch),
            None => crate::trash::rebasing(checkout.git_dir()),
        };
        let name = branch.as_ref().map_or("HEAD".to_owned(), |b| format!("refs/heads/{b}"));
        let Some(tip) = checkout.commit(&name).await? else {
            return Err(GitError::NoCommits { path: checkout.top().to_path_buf() });
        };
        let merge_base = checkout.merge_base(&base.commit, &tip).await?;
        let behind = self.count(&tip, &base.commit).await?;
        let mut listed = self.log(&tip, &[&base.commit], MAX_LISTED + 1).await?;
        let truncated = listed.len() > MAX_LISTED;
        listed.truncate(MAX_LISTED);
        let old_bases = self.values_of_tracking(base).await?;
        let rewritten = self.has_more_than(&old_bases, &base.commit).await?;
        let asked = whose::Asked {
            checkout,
            base,
            tip: &tip,
            branch: branch.as_deref(),
            own,
            others,
            old_bases: if rewritten { &old_bases } else { &[] },
        };
        let commits = self.tell_whose(asked, listed).await?;
        Ok(Delivery {
            branch,
            tip,
            base: base.clone(),
            merge_base,
            behind,
            commits,
            truncated,
            rewritten,
            shallow: self.common_dir().join("shallow").exists(),
            operation: checkout.operation(),
        })
    }

    /// How many commits `wanted` has that `without` does not.
    pub(crate) async fn count(&self, without: &Oid, wanted: &Oid) -> Result<u64> {
        let call = self.read("rev-list").args([
            "rev-list",
            "--count",
            wanted.as_str(),
            &format!("^{without}"),
        ]);
        let count = self.git.run(call).await?.success(self.top())?.line()?;
        count.parse().map_err(|_| GitError::unexpected("rev-list", count))
    }
}
