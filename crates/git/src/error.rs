//! What can go wrong, with what git said about it.

mod words;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Oid, Operation, RepoPath};
use words::{named, operation_name};

/// The result of a call of this crate.
pub type Result<T, E = GitError> = std::result::Result<T, E>;

/// Why a call did not do what was asked. [`GitError::hint`] says what a person can do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The program could not be started.
    #[error("git could not be started as {}: {source}", program.display())]
    GitMissing {
        /// The program that was tried.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program is older than 2.39.
    #[error("git {found} is too old")]
    GitTooOld {
        /// What `git version` printed.
        found: String,
    },
    /// There is no such folder.
    #[error("there is no folder {}", path.display())]
    PathMissing {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// The folder is not inside a git repository.
    #[error("{} is not in a git repository", path.display())]
    NotARepository {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// Git refuses the repository because of who owns it.
    #[error("git does not trust the repository at {}: it belongs to another user", path.display())]
    NotTrusted {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// A bare repository has no checkout to work from.
    #[error("{} is a bare repository: it has no checkout", path.display())]
    Bare {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// Nothing was ever committed.
    #[error("the repository at {} has no commits yet", path.display())]
    NoCommits {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// The folder is no worktree of this repository.
    #[error("{} is not a worktree of {}", path.display(), repo.display())]
    NotAWorktree {
        /// The folder that was asked for.
        path: PathBuf,
        /// The repository's main checkout.
        repo: PathBuf,
    },
    /// The main checkout cannot be moved away.
    #[error("{} is the main checkout of its repository", path.display())]
    MainCheckout {
        /// The main checkout.
        path: PathBuf,
    },
    /// Another owner in this process already changes this repository.
    #[error("the repository at {} is already being changed by somebody else here", path.display())]
    WriterTaken {
        /// The common git directory.
        path: PathBuf,
    },
    /// The base names no commit.
    #[error("there is no branch, tag or commit named {name:?}")]
    BaseMissing {
        /// The name that was asked for.
        name: String,
    },
    /// Git does not allow such a branch name.
    #[error("{name:?} cannot be the name of a branch")]
    BranchInvalid {
        /// The name that was asked for.
        name: String,
    },
    /// The branch is there already.
    #[error("the branch {branch} exists already")]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// A branch named `a` and one named `a/b` cannot both exist.
    #[error("the branch {branch} cannot exist beside the branch {other}")]
    BranchInTheWay {
        /// The branch that was asked for.
        branch: String,
        /// The one that stands in its way.
        other: String,
    },
    /// The branch is not there.
    #[error("there is no branch {branch}")]
    BranchMissing {
        /// The branch.
        branch: String,
    },
    /// Somebody moved the branch meanwhile.
    #[error("the branch {branch} moved from {} to {}", expected.short(), found.short())]
    BranchMoved {
        /// The branch.
        branch: String,
        /// Where it was when we last wrote it down.
        expected: Oid,
        /// Where it is.
        found: Oid,
    },
    /// Git lets a branch be checked out once.
    #[error("the branch {branch} is checked out at {}", path.display())]
    BranchCheckedOut {
        /// The branch.
        branch: String,
        /// The worktree that has it.
        path: PathBuf,
    },
    /// Something is at the place of the new worktree.
    #[error("{} exists already", path.display())]
    PathExists {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// Git has a worktree written down at that place, and its folder is gone.
    #[error("git still has a worktree written down at {}, but its folder is gone", path.display())]
    PathRegistered {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// Somebody locked the worktree with `git worktree lock`.
    #[error("the worktree {} is locked{}", path.display(), because(reason))]
    WorktreeLocked {
        /// The worktree.
        path: PathBuf,
        /// The reason given with the lock; may be empty.
        reason: String,
    },
    /// Git is half-way through something in that worktree.
    #[error("{} is under way in {}", operation_name(*operation), path.display())]
    OperationUnderWay {
        /// What it is.
        operation: Operation,
        /// The worktree.
        path: PathBuf,
    },
    /// HEAD names a commit where a branch is wanted, or another branch.
    #[error("the branch is not checked out in {}", path.display())]
    HeadDetached {
        /// The worktree.
        path: PathBuf,
    },
    /// A commit cannot be put onto another one.
    #[error("the commit {} conflicts with what it is put onto, in {}", commit.short(), named(paths))]
    Conflicts {
        /// The commit.
        commit: Oid,
        /// The files.
        paths: Vec<RepoPath>,
    },
    /// A branch and its base have no commit in common.
    #[error("{branch} and {base} have no commit in common")]
    NothingInCommon {
        /// The branch.
        branch: String,
        /// The base.
        base: String,
    },
    /// What is not committed would be overwritten.
    #[error("changes that are not committed are in the way: {}", named(paths))]
    WorkInTheWay {
        /// The files.
        paths: Vec<RepoPath>,
    },
    /// There are more commits than we are willing to make anew.
    #[error("there are more than {listed} commits")]
    TooManyCommits {
        /// How many were looked at.
        listed: usize,
    },
    /// A message that a commit cannot have.
    #[error("a commit needs a message")]
    MessageInvalid,
    /// There is nothing that is not committed.
    #[error("there is nothing to commit")]
    NothingToCommit,
    /// A hook of the person said no.
    #[error("the {hook} hook refused{}", because(said))]
    HookRefused {
        /// The hook.
        hook: String,
        /// The last that it said.
        said: String,
    },
    /// A hook of the person did not end in time.
    #[error("the {hook} hook took longer than {} s and was ended", after.as_secs())]
    HookTimedOut {
        /// The hook.
        hook: String,
        /// How long it was given.
        after: Duration,
    },
    /// There is nowhere to push to.
    #[error("this repository has no remote")]
    NoRemote,
    /// The remote's branch has commits that were never here.
    #[error("the push was refused: {branch} on {remote} has {commits} {} that you do not have", if *commits == 1 { "commit" } else { "commits" })]
    RemoteHasMore {
        /// The remote.
        remote: String,
        /// The branch there.
        branch: String,
        /// How many commits.
        commits: u64,
    },
    /// The remote's branch is not where it was last seen.
    #[error("the push was refused: {branch} on {remote} is not where it was last seen ({why})")]
    PushRejected {
        /// The remote.
        remote: String,
        /// The branch there.
        branch: String,
        /// What git said.
        why: String,
    },
    /// The remote does not take it.
    #[error("the push was refused: {remote} did not take {branch} ({why}){}", because(said))]
    PushDeclined {
        /// The remote.
        remote: String,
        /// The branch there.
        branch: String,
        /// What git said.
        why: String,
        /// What the remote said.
        said: String,
        /// Because the branch is protected.
        protected: bool,
    },
    /// The remote does not know the person.
    #[error("the push was refused: {remote} wants a login: {said}")]
    LoginNeeded {
        /// The remote.
        remote: String,
        /// What git said.
        said: String,
    },
    /// The remote does not answer.
    #[error("the remote {remote} cannot be reached: {said}")]
    RemoteUnreachable {
        /// The remote.
        remote: String,
        /// What git said.
        said: String,
    },
    /// No rebuild is on record.
    #[error("there is no rebuild to undo")]
    NothingToUndo,
    /// Git does not know in whose name to make a commit.
    #[error("git does not know your name and e-mail address: {said}")]
    NoIdentity {
        /// What git said.
        said: String,
    },
    /// The commit was to be signed and could not be.
    #[error("the commit could not be signed: {said}")]
    SigningFailed {
        /// What git, or the program that signs, said.
        said: String,
    },
    /// The parked worktree is not where we left it.
    #[error("the parked worktree is no longer at {}", path.display())]
    ParkedMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// Something in the folder changed while it was copied.
    #[error("{} changed while it was being moved", path.display())]
    ChangedMeanwhile {
        /// The first file or folder that differs.
        path: PathBuf,
    },
    /// The disk, or the quota, is full.
    #[error("the disk is full at {}: {said}", path.display())]
    DiskFull {
        /// Where we were writing.
        path: PathBuf,
        /// What git or the system said.
        said: String,
    },
    /// The system does not let us.
    #[error("no permission at {}: {said}", path.display())]
    Permission {
        /// Where we were working.
        path: PathBuf,
        /// What git or the system said.
        said: String,
    },
    /// Another git command holds a lock, or died and left it.
    #[error("another git command is at work in this repository: {said}")]
    Locked {
        /// The lock file, where git named it.
        lock: Option<PathBuf>,
        /// What git said.
        said: String,
    },
    /// The command took too long, and was ended.
    #[error("git {what} took longer than {} s and was ended", after.as_secs())]
    TimedOut {
        /// The subcommand.
        what: &'static str,
        /// How long it was given.
        after: Duration,
    },
    /// The caller changed its mind.
    #[error("git {what} was cancelled")]
    Cancelled {
        /// The subcommand.
        what: &'static str,
    },
    /// The answer was larger than we are willing to hold.
    #[error("the answer of git {what} is larger than {limit} bytes")]
    TooLarge {
        /// The subcommand.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// Git failed in a way that we have no name for.
    #[error("git {what} failed: {said}")]
    Failed {
        /// The subcommand.
        what: &'static str,
        /// Its exit code, if it was not ended by a signal.
        code: Option<i32>,
        /// What git said, shortened.
        said: String,
    },
    /// Git answered something that we cannot read.
    #[error("git {what} gave an answer that we cannot read: {detail}")]
    Unexpected {
        /// The subcommand.
        what: &'static str,
        /// What was wrong with it.
        detail: String,
    },
    /// The file system said no.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// What we were doing, as the beginning of a sentence.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

impl GitError {
    /// Names what the system said about `path`.
    pub(crate) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { path, said: source.to_string() }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Permission { path, said: source.to_string() }
            }
            _ => Self::Io { what, path, source },
        }
    }

    pub(crate) fn unexpected(what: &'static str, detail: impl Into<String>) -> Self {
        Self::Unexpected { what, detail: detail.into() }
    }
}
