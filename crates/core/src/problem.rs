use serde::{Deserialize, Serialize};

/// What went wrong, for programs (the code) and for people (a sentence and what to do next).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Stable name of the kind.
    pub code: Code,
    /// One sentence: the thing, the cause, what stayed safe.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// The field of the request that it concerns, when it concerns one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl Problem {
    /// A problem with its sentence and its hint.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), field: None }
    }

    /// The same problem, about a field.
    #[must_use]
    pub fn on(mut self, field: &str) -> Self {
        self.field = Some(field.to_owned());
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.message, self.hint)
    }
}

impl std::error::Error for Problem {}

macro_rules! codes {
    ($($name:ident => $text:literal : $doc:literal,)*) => {
        /// Stable names of what can go wrong. Scripts rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $doc] #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// All codes, with what each means.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$name, $doc),)*];

            /// Its text on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    NotARepository => "not_a_repository": "The folder is not in a git repository.",
    NoCommits => "no_commits": "The repository has no commit yet.",
    BareRepository => "bare_repository": "The repository has no checkout.",
    BaseMissing => "base_missing": "The base is not in the repository.",
    BranchMissing => "branch_missing": "The branch is not in the repository.",
    BranchExists => "branch_exists": "The branch is there already.",
    BranchInvalid => "branch_invalid": "The name cannot be a branch.",
    BranchCheckedOut => "branch_checked_out": "Another worktree has the branch checked out.",
    WorktreeInUse => "worktree_in_use": "Another session works in that folder.",
    WorktreeMissing => "worktree_missing": "The worktree is gone.",
    PathMissing => "path_missing": "The folder is not there.",
    PathTaken => "path_taken": "Something is at that place already.",
    BranchMoved => "branch_moved": "The branch is not where it was.",
    BranchProtected => "branch_protected": "The remote protects the branch.",
    HeadDetached => "head_detached": "The branch is not checked out in the worktree.",
    OperationUnderWay => "operation_under_way": "Git is half-way through something in the worktree.",
    Conflicts => "conflicts": "Commits do not fit onto the base.",
    WorkInTheWay => "work_in_the_way": "Changes that are not committed would be overwritten.",
    ForeignCommits => "foreign_commits": "Commits that are not of the session would be delivered.",
    NothingToCommit => "nothing_to_commit": "All is committed already.",
    NothingToUndo => "nothing_to_undo": "There is nothing to undo.",
    HookRefused => "hook_refused": "A git hook said no.",
    HookTimedOut => "hook_timed_out": "A git hook did not end in time.",
    SigningFailed => "signing_failed": "The commit could not be signed.",
    NoIdentity => "no_identity": "Git does not know the person's name.",
    NoRemote => "no_remote": "The repository has no remote.",
    PushRejected => "push_rejected": "The remote's branch has something that is not here.",
    PushDeclined => "push_declined": "The remote does not take it.",
    LoginNeeded => "login_needed": "The remote wants a login.",
    RemoteUnreachable => "remote_unreachable": "The remote does not answer.",
    GitFailed => "git_failed": "Git refused.",
    GitMissing => "git_missing": "Git is not installed or too old.",
    TitleInvalid => "title_invalid": "The text cannot be a title.",
    TagInvalid => "tag_invalid": "The text cannot be a tag.",
    FieldInvalid => "field_invalid": "A field has a value that it cannot have.",
    AgentUnknown => "agent_unknown": "No agent of that name is known.",
    AgentMissing => "agent_missing": "The agent is not installed.",
    ProgramMissing => "program_missing": "The program is not there.",
    ProgramNotExecutable => "program_not_executable": "The program cannot be executed.",
    TmuxMissing => "tmux_missing": "Tmux is not installed.",
    TmuxTooOld => "tmux_too_old": "Tmux is too old.",
    TmuxLost => "tmux_lost": "The tmux server ended or does not answer.",
    TmuxFailed => "tmux_failed": "Tmux refused.",
    PaneMissing => "pane_missing": "No such pane is there, or no tmux server.",
    PaneInUse => "pane_in_use": "Something else has the output of the pane.",
    PortTaken => "port_taken": "Another program listens there.",
    ListenRefused => "listen_refused": "That address cannot be listened on.",
    TlsRefused => "tls_refused": "The certificate or its key cannot be used.",
    HomeNotWritable => "home_not_writable": "The home folder cannot be written.",
    HomeInUse => "home_in_use": "Another daemon uses this home.",
    DiskFull => "disk_full": "The disk is full.",
    StoreNewer => "store_newer": "A newer version wrote the database.",
    StoreDamaged => "store_damaged": "The database cannot be read.",
    BackupDamaged => "backup_damaged": "The backup is damaged, or is none.",
    BadRequest => "bad_request": "The request is not of the right form.",
    BodyTooLarge => "body_too_large": "The request is too large.",
    UnknownRoute => "unknown_route": "Nothing is at that address.",
    MethodNotAllowed => "method_not_allowed": "That address does not take this method.",
    UnknownSession => "unknown_session": "No session has that id.",
    UnknownOperation => "unknown_operation": "No operation has that id.",
    RuleUnknown => "rule_unknown": "No rule of that id is there.",
    UnknownDevice => "unknown_device": "No device of that id may come in.",
    AmbiguousId => "ambiguous_id": "Several sessions fit.",
    TokenMissing => "token_missing": "No token was sent.",
    TokenWrong => "token_wrong": "The token is not valid.",
    LoginCodeWrong => "login_code_wrong": "The login code is not valid any more.",
    HostRefused => "host_refused": "The Host is not on the list.",
    OriginRefused => "origin_refused": "The Origin is not on the list.",
    OnlyLoopback => "only_loopback": "Only this machine reaches the daemon.",
    NotAllowed => "not_allowed": "The caller may not do that.",
    VersionConflict => "version_conflict": "The session changed meanwhile.",
    StateConflict => "state_conflict": "The session is not in a state for that.",
    KeyReused => "idempotency_key_reused": "The idempotency key was used for another request.",
    InputFull => "input_full": "The program does not read its input.",
    LeaseHeld => "lease_held": "Another viewer has the input.",
    Timeout => "timeout": "It took too long.",
    NoDaemon => "no_daemon": "No daemon answers.",
    DaemonStopping => "daemon_stopping": "The daemon is stopping.",
    Unavailable => "unavailable": "It cannot be looked up just now.",
    Cancelled => "cancelled": "It was called off.",
    Internal => "internal": "A fault of ours.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_text_is_the_serde_text() {
        for (code, _) in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
