//! Making the place where a session works, and taking back what was made.

mod carry;
mod create;
mod rollback;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::{Base, Checkout, IncludeReport, Oid, is_valid_branch_name};

pub use create::CreateFailed;
pub use rollback::RollbackReport;

/// Where a session is to work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A new branch from a base, in a new worktree at an absolute path.
    NewBranch {
        /// The branch, which must not exist.
        branch: String,
        /// Where it starts.
        base: Base,
        /// The worktree's folder, which must not exist.
        path: PathBuf,
    },
    /// A branch that exists and is not checked out, in a new worktree at an absolute path.
    ExistingBranch {
        /// The branch.
        branch: String,
        /// The worktree's folder, which must not exist.
        path: PathBuf,
    },
    /// A worktree that the person made. Nothing is made, nothing will be removed.
    ExistingWorktree {
        /// The worktree's folder.
        path: PathBuf,
    },
    /// Whatever checkout `path` is in. Nothing is made, nothing will be removed.
    InPlace {
        /// A folder in the checkout.
        path: PathBuf,
    },
}

/// The kinds of [`Place`], for the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceKind {
    /// A new branch in a new worktree.
    NewBranch,
    /// A branch of the person in a new worktree.
    ExistingBranch,
    /// A worktree of the person.
    ExistingWorktree,
    /// A checkout of the person.
    InPlace,
}

/// The place of a session. `Worktree<Planned>` has made nothing; [`Worktree::create`] turns it
/// into a `Worktree<Created>`, or takes back what it made.
///
/// ```compile_fail,E0599
/// fn path_of_a_plan(plan: qd_git::Worktree<qd_git::Planned>) {
///     plan.checkout();
/// }
/// ```
/// One that was made has a checkout, and can be taken back once:
/// ```
/// fn path_of_what_is_made(made: &qd_git::Worktree<qd_git::Created>) {
///     made.checkout();
/// }
/// ```
/// ```compile_fail,E0382
/// async fn twice(made: qd_git::Worktree<qd_git::Created>, writer: &mut qd_git::RepoWriter) {
///     made.roll_back(writer).await;
///     made.roll_back(writer).await;
/// }
/// ```
#[derive(Debug)]
pub struct Worktree<S> {
    repo: Repo,
    state: S,
}

/// Nothing is made yet.
#[derive(Debug)]
pub struct Planned {
    place: Place,
    /// Whose files that are not committed come along.
    source: Option<Checkout>,
}

/// The place is there.
#[derive(Debug)]
pub struct Created {
    record: WorktreeRecord,
    checkout: Checkout,
    include: IncludeReport,
    notes: Vec<String>,
}

/// What is to be remembered about a place, to undo it later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeRecord {
    /// The kind.
    pub kind: PlaceKind,
    /// The top of the checkout.
    pub path: PathBuf,
    /// The branch that was checked out, if HEAD was not detached.
    pub branch: Option<String>,
    /// The commit that was checked out.
    pub commit: Oid,
    /// What we made, as opposed to the person.
    pub made: Made,
}

/// What we made. Only what is named here is ever removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The worktree: its folder and what git keeps about it.
    pub worktree: bool,
    /// The branch.
    pub branch: bool,
    /// Folders above the worktree, innermost first. They go if they are empty.
    pub parents: Vec<PathBuf>,
}

impl Repo {
    /// Checks what can be checked without changing anything. What only git can decide is decided
    /// by [`Worktree::create`].
    ///
    /// # Errors
    /// [`GitError::BranchInvalid`], [`GitError::NotAWorktree`], [`GitError::PathMissing`].
    pub fn plan_worktree(&self, place: Place) -> Result<Worktree<Planned>> {
        match &place {
            Place::NewBranch { branch, path, .. } | Place::ExistingBranch { branch, path } => {
                if !is_valid_branch_name(branch) {
                    return Err(GitError::BranchInvalid { name: branch.clone() });
                }
                if !path.is_absolute() {
                    return Err(GitError::PathMissing { path: path.clone() });
                }
            }
            Place::ExistingWorktree { path } => {
                self.checkout(path)?;
            }
            Place::InPlace { path } => {
                self.checkout_around(path)?;
            }
        }
        Ok(Worktree { repo: self.clone(), state: Planned { place, source: None } })
    }

    /// The checkout of this repository that `path` is in.
    ///
    /// # Errors
    /// [`GitError::PathMissing`], [`GitError::NotAWorktree`].
    pub fn checkout_around(&self, path: &Path) -> Result<Checkout> {
        let inside =
            path.canonicalize().map_err(|_| GitError::PathMissing { path: path.to_path_buf() })?;
        let found = inside.ancestors().find_map(|dir| self.checkout(dir).ok());
        found.ok_or_else(|| GitError::NotAWorktree { path: inside, repo: self.top().to_path_buf() })
    }
}

impl Worktree<Planned> {
    /// What is to be made.
    pub fn place(&self) -> &Place {
        &self.state.place
    }

    /// The new worktree is to begin with what is not committed in `source`, whose HEAD is the base
    /// of the new branch: staged, unstaged and untracked files, and of the ignored ones those that
    /// `.worktreeinclude` names.
    #[must_use]
    pub fn like(mut self, source: Checkout) -> Self {
        self.state.source = Some(source);
        self
    }
}

impl Worktree<Created> {
    /// What is to be remembered.
    pub fn record(&self) -> &WorktreeRecord {
        &self.state.record
    }

    /// For reading in it.
    pub fn checkout(&self) -> &Checkout {
        &self.state.checkout
    }

    /// Which ignored files were brought over, and which not.
    pub fn include(&self) -> &IncludeReport {
        &self.state.include
    }

    /// Sentences for people about what went differently than planned, such as a failed hook.
    pub fn notes(&self) -> &[String] {
        &self.state.notes
    }

    /// Gives up the right to take it back; the record remains.
    pub fn into_record(self) -> WorktreeRecord {
        self.state.record
    }
}
