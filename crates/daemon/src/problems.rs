//! What the adapters report, in the words of the API.

use qd_core::{Code, Problem};
use qd_git::GitError;
use qd_store::StoreError;
use qd_tmux::Error as TmuxError;

/// A problem from the store.
pub(crate) fn store(error: &StoreError) -> Problem {
    let (code, hint) = match error {
        StoreError::InUse { .. } => {
            (Code::HomeInUse, "Stop it with `qd stop`, or give another home with `--home DIR`.")
        }
        StoreError::NewerSchema { .. } => (
            Code::StoreNewer,
            "Install that version of Quarterdeck again; nothing was written to the database.",
        ),
        StoreError::NotADatabase { .. }
        | StoreError::ForeignDatabase { .. }
        | StoreError::Corrupt { .. } => (
            Code::StoreDamaged,
            "Move it away, or put back a copy from the folder `backups` of the home. It was left as it is.",
        ),
        StoreError::DiskFull => {
            (Code::DiskFull, "Free some room, then try again. Nothing was written.")
        }
        StoreError::ReadOnly { .. } | StoreError::Io { .. } | StoreError::Backup { .. } => (
            Code::HomeNotWritable,
            "Check who owns the home and whether its disk can be written, then try again.",
        ),
        StoreError::Closed => {
            (Code::DaemonStopping, "Wait for the daemon to come back, then try again.")
        }
        _ => (Code::Internal, "Try again; if it stays, `qd doctor` and the daemon's log say more."),
    };
    Problem::new(code, sentence(&error.to_string()), hint)
}

/// A problem from git.
pub(crate) fn git(error: &GitError) -> Problem {
    let (code, field) = match error {
        GitError::GitMissing { .. } | GitError::GitTooOld { .. } => (Code::GitMissing, None),
        GitError::PathMissing { .. } => (Code::PathMissing, Some("repo")),
        GitError::NotARepository { .. } | GitError::NotTrusted { .. } => {
            (Code::NotARepository, Some("repo"))
        }
        GitError::Bare { .. } => (Code::BareRepository, Some("repo")),
        GitError::NoCommits { .. } => (Code::NoCommits, Some("repo")),
        GitError::NotAWorktree { .. } => (Code::WorktreeMissing, Some("worktree")),
        GitError::BaseMissing { .. } => (Code::BaseMissing, Some("base")),
        GitError::BranchInvalid { .. } => (Code::BranchInvalid, Some("branch")),
        GitError::BranchExists { .. } | GitError::BranchInTheWay { .. } => {
            (Code::BranchExists, Some("branch"))
        }
        GitError::BranchMissing { .. } => (Code::BranchMissing, Some("branch")),
        GitError::BranchCheckedOut { .. } => (Code::BranchCheckedOut, Some("branch")),
        GitError::PathExists { .. } | GitError::PathRegistered { .. } => (Code::PathTaken, None),
        GitError::DiskFull { .. } => (Code::DiskFull, None),
        GitError::OperationUnderWay { .. } => (Code::OperationUnderWay, None),
        GitError::HeadDetached { .. } => (Code::HeadDetached, None),
        GitError::BranchMoved { .. } => (Code::BranchMoved, None),
        GitError::Conflicts { .. } | GitError::NothingInCommon { .. } => (Code::Conflicts, None),
        GitError::WorkInTheWay { .. } => (Code::WorkInTheWay, None),
        GitError::NothingToUndo => (Code::NothingToUndo, None),
        GitError::MessageInvalid => (Code::FieldInvalid, Some("message")),
        GitError::NothingToCommit => (Code::NothingToCommit, None),
        GitError::HookRefused { .. } => (Code::HookRefused, None),
        GitError::HookTimedOut { .. } => (Code::HookTimedOut, None),
        GitError::SigningFailed { .. } => (Code::SigningFailed, None),
        GitError::NoIdentity { .. } => (Code::NoIdentity, None),
        GitError::NoRemote => (Code::NoRemote, None),
        GitError::RemoteHasMore { .. } | GitError::PushRejected { .. } => {
            (Code::PushRejected, None)
        }
        GitError::PushDeclined { protected: true, .. } => (Code::BranchProtected, None),
        GitError::PushDeclined { .. } => (Code::PushDeclined, None),
        GitError::LoginNeeded { .. } => (Code::LoginNeeded, None),
        GitError::RemoteUnreachable { .. } => (Code::RemoteUnreachable, None),
        GitError::Cancelled { .. } => (Code::Cancelled, None),
        GitError::TimedOut { .. } => (Code::Timeout, None),
        _ => (Code::GitFailed, None),
    };
    let mut problem = Problem::new(
        code,
        sentence(&error.to_string()),
        error
            .hint()
            .unwrap_or_else(|| "Nothing was changed. The daemon's log says more.".to_owned()),
    );
    problem.field = field.map(str::to_owned);
    problem
}

/// A problem from the terminal layer, in the words of the API.
pub(crate) fn tmux(error: &TmuxError) -> Problem {
    let code = match error {
        TmuxError::TmuxMissing { .. } => Code::TmuxMissing,
        TmuxError::VersionTooOld { .. } | TmuxError::VersionUnreadable { .. } => Code::TmuxTooOld,
        TmuxError::NotConnected
        | TmuxError::ConnectionLost
        | TmuxError::ServerAbsent
        | TmuxError::LinkLost
        | TmuxError::StaleGeneration => Code::TmuxLost,
        TmuxError::SpawnFailed { errno, .. }
            if *errno == rustix::io::Errno::NOENT.raw_os_error() =>
        {
            Code::ProgramMissing
        }
        TmuxError::SpawnFailed { .. } => Code::ProgramNotExecutable,
        TmuxError::NoServerThere { .. }
        | TmuxError::PaneMissing { .. }
        | TmuxError::PaneGone { .. }
        | TmuxError::PaneDead { .. } => Code::PaneMissing,
        TmuxError::OwnedServer { .. } | TmuxError::PanePiped { .. } => Code::PaneInUse,
        TmuxError::PaneAmbiguous { .. } => Code::AmbiguousId,
        TmuxError::TimedOut { .. } => Code::Timeout,
        TmuxError::Io { source, .. } if is_full(source) => Code::DiskFull,
        _ => Code::TmuxFailed,
    };
    let hint = error.hint().unwrap_or("Try again; `qd doctor` says what is wrong with tmux.");
    Problem::new(code, sentence(&error.to_string()), hint)
}

/// What the file system says at a place in the home.
pub(crate) fn disk(path: &std::path::Path, error: &std::io::Error) -> Problem {
    let at = path.display();
    if is_full(error) {
        return Problem::new(
            Code::DiskFull,
            format!("The disk is full at {at}. Nothing was moved."),
            "Make room, and try again.",
        );
    }
    Problem::new(
        Code::HomeNotWritable,
        format!("{at} cannot be written: {error}. Nothing was moved."),
        "Check who owns the home and whether its disk can be written, then try again.",
    )
}

/// Whether the system says that there is no room.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

/// A fault of ours, with what is known of it.
pub(crate) fn internal(what: impl std::fmt::Display) -> Problem {
    Problem::new(
        Code::Internal,
        format!("Something went wrong in the daemon: {what}."),
        "Nothing of yours was changed. The daemon's log says more; `qd doctor` looks for causes.",
    )
}

/// What happened to a session could not be stored yet.
pub(crate) fn not_stored() -> Problem {
    Problem::new(
        Code::Unavailable,
        "What happened to the session cannot be written down yet.",
        "Nothing was changed. See to it that the disk of the home has room and can be written, \
         then try again.",
    )
}

/// The daemon is on its way out.
pub(crate) fn stopping() -> Problem {
    Problem::new(
        Code::DaemonStopping,
        "The daemon is stopping.",
        "Start it again with `qd`; sessions go on meanwhile.",
    )
}

/// A text from an error as a sentence: a capital first and a full stop last.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    // A path or a program's name keeps its case.
    let first = if text.starts_with("git ") { "g".to_owned() } else { first };
    format!("{first}{}.", chars.as_str())
}
