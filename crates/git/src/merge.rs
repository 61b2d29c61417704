//! Bringing a session's work into its base, without a checkout of the base being half-way through
//! anything.
//!
//! The merge is made in the object store alone. Then the base moves to it in one step, only if it
//! is where it was when that was looked at: on the remote by a push with a lease, for a local base
//! by its ref, together with the files of the worktree that has it checked out, if one has.

use serde::{Deserialize, Serialize};

use crate::delivery::{Delivered, Delivery, Whose};
use crate::error::{GitError, Result};
use crate::rebuild::{Merged, Outcome, Store, movable, obstacles};
use crate::repo::Repo;
use crate::ship::{PushReport, RemoteBranch};
use crate::writer::RepoWriter;
use crate::{Base, Checkout, Oid, RepoPath};

/// How the work gets into the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// A merge commit of all commits of the branch.
    Merge,
    /// One new commit with all that the branch changed.
    Squash,
    /// The session's own commits, made anew on the base.
    Rebase,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Merge, Self::Squash, Self::Rebase];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

/// What a merge would do, or what was made for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The branch.
    pub branch: String,
    /// Its commit.
    pub tip: Oid,
    /// The base as it is now.
    pub onto: Base,
    /// How.
    pub way: Way,
    /// The base's commit then; none when something conflicts.
    pub new: Option<Oid>,
    /// The paths that conflict.
    pub conflicts: Vec<RepoPath>,
}

impl Merge {
    /// Whether the base has all of it already.
    pub fn is_needless(&self) -> bool {
        self.new.as_ref() == Some(&self.onto.commit)
    }
}

impl Repo {
    /// What a merge of what is to be delivered would do. Nothing is changed.
    ///
    /// # Errors
    /// [`GitError::HeadDetached`], [`GitError::OperationUnderWay`], [`GitError::TooManyCommits`],
    /// [`GitError::NothingInCommon`], [`GitError::NoIdentity`], or when git cannot be asked.
    pub async fn preview_merge(
        &self,
        checkout: &Checkout,
        delivery: &Delivery,
        way: Way,
    ) -> Result<Merge> {
        let store = Store::aside(self)?;
        store.plan_merge(checkout, delivery, way, "preview").await
    }

    /// The remote and the branch there that a base is; none for a local one.
    pub fn remote_of(&self, base: &Base) -> Option<(String, String)> {
        let split = |remote: &String| {
            let branch = base.name.strip_prefix(remote.as_str())?.strip_prefix('/')?;
            Some((remote.clone(), branch.to_owned()))
        };
        // The longest, as the name of a remote may have a slash.
        self.remotes().iter().filter_map(split).max_by_key(|(remote, _)| remote.len())
    }

    /// Sends a merge to the branch of the remote that the base is, if that is still where it was
    /// seen. The person's hook runs; `tell` gets each line that is said on the way. When `cancel`
    /// completes the command is ended.
    ///
    /// # Errors
    /// As [`Repo::push`]. The remote's branch is as it was then, unless it was cancelled in the
    /// very last moment.
    pub async fn push_merge(
        &self,
        checkout: &Checkout,
        merge: &Merge,
        tell: impl FnMut(&str),
        cancel: impl Future<Output = ()>,
    ) -> Result<PushReport> {
        let (remote, branch) = self.remote_of(&merge.onto).ok_or(GitError::NoRemote)?;
        let Some(new) = &merge.new else { return Err(conflicts(merge)) };
        let target = RemoteBranch {
            remote,
            branch,
            commit: Some(merge.onto.commit.clone()),
            ahead: 0,
            behind: 0,
            has_others: false,
        };
        self.send(checkout, target, new, tell, cancel).await
    }
}

impl RepoWriter {
    /// Makes the commits of a merge. No ref points to them yet.
    ///
    /// # Errors
    /// As [`Repo::preview_merge`], and [`GitError::Conflicts`], [`GitError::SigningFailed`].
    pub async fn make_merge(
        &mut self,
        checkout: &Checkout,
        delivery: &Delivery,
        way: Way,
        message: &str,
    ) -> Result<Merge> {
        let merge = Store::of(self).plan_merge(checkout, delivery, way, message).await?;
        if merge.new.is_none() { Err(conflicts(&merge)) } else { Ok(merge) }
    }

    /// Moves a local base to a merge, and with it the files of the worktree that has it checked
    /// out. What is not committed there stays; if it is in the way, nothing is done.
    ///
    /// # Errors
    /// [`GitError::BranchMoved`], [`GitError::WorkInTheWay`], [`GitError::OperationUnderWay`],
    /// [`GitError::Locked`]. Nothing is changed then.
    pub async fn land_merge(&mut self, merge: &Merge) -> Result<()> {
        let Some(new) = &merge.new else { return Err(conflicts(merge)) };
        let (branch, old) = (&merge.onto.name, &merge.onto.commit);
        self.expect_tip(branch, old).await?;
        let why = format!("quarterdeck: {} of {}", merge.way.as_str(), merge.branch);
        let Some(top) = self.checked_out_at(branch).await? else {
            let name = format!("refs/heads/{branch}");
            let call = self.write("update-ref").args([
                "update-ref",
                "-m",
                &why,
                &name,
                new.as_str(),
                old.as_str(),
            ]);
            let output = self.git.run(call).await?;
            if output.ok() {
                return Ok(());
            }
            let failed = output.into_error(self.top());
            self.expect_tip(branch, old).await?;
            return Err(failed);
        };
        let checkout = self.checkout_around(&top)?;
        if let Some(operation) = checkout.operation() {
            return Err(GitError::OperationUnderWay { operation, path: top });
        }
        let paths = obstacles::find(&Store::of(self), &checkout, old, new).await?;
        if !paths.is_empty() {
            return Err(GitError::WorkInTheWay { paths });
        }
        self.move_tip(&checkout, branch, old, new, &why).await
    }
}

impl Store {
    async fn plan_merge(
        &self,
        checkout: &Checkout,
        delivery: &Delivery,
        way: Way,
        message: &str,
    ) -> Result<Merge> {
        let branch = movable(checkout, delivery)?;
        let base = &delivery.base.commit;
        if delivery.merge_base.is_none() {
            return Err(GitError::NothingInCommon { branch, base: delivery.base.name.clone() });
        }
        let (new, conflicts) = match way {
            Way::Rebase => self.rebased(delivery).await?,
            Way::Merge | Way::Squash => match self.merge(base, &delivery.tip, false).await? {
                Merged::Conflict(paths) => (None, paths),
                Merged::Tree(tree) if tree == self.tree_of(base).await? => {
                    (Some(base.clone()), vec![])
                }
                Merged::Tree(tree) => {
                    let second = (way == Way::Merge).then_some(&delivery.tip);
                    (Some(self.joined(&tree, base, second, message).await?), vec![])
                }
            },
        };
        let (tip, onto) = (delivery.tip.clone(), delivery.base.clone());
        Ok(Merge { branch, tip, onto, way, new, conflicts })
    }

    /// The session's own commits on the base.
    async fn rebased(&self, delivery: &Delivery) -> Result<(Option<Oid>, Vec<RepoPath>)> {
        let own: Vec<&Delivered> =
            delivery.commits.iter().rev().filter(|one| one.whose == Whose::Own).collect();
        let (new, picked) = self.pick_all(delivery, own).await?;
        let conflicts = picked.into_iter().find_map(|picked| match picked.outcome {
            Outcome::Conflict(paths) => Some(paths),
            _ => None,
        });
        Ok((new, conflicts.unwrap_or_default()))
    }

    /// A commit of a tree on the base, by the person.
    async fn joined(
        &self,
        tree: &Oid,
        base: &Oid,
        second: Option<&Oid>,
        message: &str,
    ) -> Result<Oid> {
        if message.trim().is_empty() || message.contains('\0') {
            return Err(GitError::MessageInvalid);
        }
        let committer = self.committer().await?;
        let mut bytes = format!("tree {tree}\nparent {base}\n").into_bytes();
        if let Some(second) = second {
            bytes.extend_from_slice(format!("parent {second}\n").as_bytes());
        }
        for role in [&b"author "[..], b"committer "] {
            bytes.extend_from_slice(role);
            bytes.extend_from_slice(&committer);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(format!("\n{}\n", message.trim()).as_bytes());
        if self.signs().await? { self.sign(&bytes).await } else { self.write_commit(bytes).await }
    }
}

fn conflicts(merge: &Merge) -> GitError {
    GitError::Conflicts { commit: merge.tip.clone(), paths: merge.conflicts.clone() }
}
