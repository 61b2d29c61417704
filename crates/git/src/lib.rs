//! The git command line behind typed calls.
//!
//! Git itself is the arbiter: a branch is made by a command that fails if it exists, a folder by
//! a call that fails if it is there. Nothing here looks first and acts later.
//!
//! * [`Git`] knows the program and the environment; [`Git::discover`] finds a [`Repo`].
//! * Reads take a [`Checkout`] or a [`Repo`]. They take no lock, write no object, run no hook and
//!   start no file watcher, whatever the person's configuration says.
//! * What changes refs or worktrees takes a `&mut` [`RepoWriter`]. [`Writers`] hands out one per
//!   repository; it cannot be cloned, so whoever owns it owns the right to change that repository.
//!
//! The folder of a worktree belongs to the agent that works in it, so its `.git` file is not
//! believed: git is always told the git directory, found from the side of the repository.

mod base;
mod beneath;
mod checkout;
mod command;
mod config;
mod delivery;
mod diff;
mod error;
mod include;
mod list;
mod loss;
mod merge;
mod name;
mod oid;
mod path;
mod rebuild;
mod remote;
mod repo;
mod settings;
mod ship;
mod status;
mod trash;
mod worktree;
mod writer;

pub use base::{Base, BaseSource};
pub use checkout::Checkout;
pub use config::{GitConfig, Timeouts};
pub use delivery::{Delivered, Delivery, SessionLine, Whose};
pub use diff::{
    Cut, Diff, DiffBase, DiffLimits, DiffStat, FileChange, FilePatch, FileStatus, PatchLimits,
    Totals, WholePatch,
};
pub use error::{GitError, Result};
pub use include::{IncludeReport, Rules, Skip, SkipReason};
pub use list::ListedWorktree;
pub use loss::Uncommitted;
pub use merge::{Merge, Way};
pub use name::{branch_name_from, is_valid_branch_name};
pub use oid::Oid;
pub use path::RepoPath;
pub use rebuild::{Outcome, Picked, Rebuild, RebuildRecord};
pub use repo::{Git, Repo};
pub use ship::{CommitReport, PushReport, Pushing, RemoteBranch, What};
pub use status::{Commit, HeadState, Operation};
pub use trash::{
    Attach, HeldBranch, ParkRecord, ParkReport, PurgeReport, Unparked, move_folder, remove_folder,
};
pub use worktree::{
    CreateFailed, Created, Made, Place, PlaceKind, Planned, RollbackReport, Worktree,
    WorktreeRecord,
};
pub use writer::{RepoWriter, Writers};
