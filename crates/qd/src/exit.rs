use std::process::ExitCode;

use qd_core::Code;

/// How `qd` ends. Scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done = 0,
    /// It tried, and that failed.
    Failed = 1,
    /// What was asked has not the right form.
    Usage = 2,
    /// What was named is not there.
    NotFound = 3,
    /// It was refused, or something else is in the way.
    Refused = 4,
    /// It took too long.
    TimedOut = 5,
    /// No daemon answers.
    NoDaemon = 6,
}

impl Exit {
    /// The worse of two ends, where several things were asked for at once: with no daemon nothing
    /// was done, what failed is worse than what was refused, and a wrong name is the least.
    pub fn worse(self, other: Self) -> Self {
        let rank = |exit: Self| match exit {
            Self::Done => 0,
            Self::NotFound => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::TimedOut => 4,
            Self::Failed => 5,
            Self::NoDaemon => 6,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// The only place where a problem becomes an exit code.
    pub fn of(code: Code) -> Self {
        match code {
            Code::BadRequest
            | Code::FieldInvalid
            | Code::TitleInvalid
            | Code::TagInvalid
            | Code::BranchInvalid => Self::Usage,

            Code::UnknownSession
            | Code::UnknownOperation
            | Code::UnknownDevice
            | Code::RuleUnknown
            | Code::UnknownRoute
            | Code::AgentUnknown
            | Code::AgentMissing
            | Code::ProgramMissing
            | Code::PaneMissing
            | Code::PathMissing
            | Code::BaseMissing
            | Code::BranchMissing
            | Code::WorktreeMissing => Self::NotFound,

            Code::NotARepository
            | Code::NoCommits
            | Code::BareRepository
            | Code::BranchExists
            | Code::BranchCheckedOut
            | Code::BranchMoved
            | Code::BranchProtected
            | Code::HeadDetached
            | Code::OperationUnderWay
            | Code::Conflicts
            | Code::WorkInTheWay
            | Code::ForeignCommits
            | Code::NothingToCommit
            | Code::NothingToUndo
            | Code::NoRemote
            | Code::PushRejected
            | Code::PushDeclined
            | Code::HookRefused
            | Code::WorktreeInUse
            | Code::PathTaken
            | Code::ProgramNotExecutable
            | Code::PaneInUse
            | Code::PortTaken
            | Code::ListenRefused
            | Code::TlsRefused
            | Code::HomeInUse
            | Code::BodyTooLarge
            | Code::AmbiguousId
            | Code::OnlyLoopback
            | Code::TokenMissing
            | Code::TokenWrong
            | Code::LoginCodeWrong
            | Code::HostRefused
            | Code::OriginRefused
            | Code::NotAllowed
            | Code::VersionConflict
            | Code::StateConflict
            | Code::KeyReused
            | Code::InputFull
            | Code::LeaseHeld => Self::Refused,

            Code::Timeout | Code::HookTimedOut => Self::TimedOut,

            Code::NoDaemon | Code::DaemonStopping => Self::NoDaemon,

            Code::GitFailed
            | Code::SigningFailed
            | Code::NoIdentity
            | Code::LoginNeeded
            | Code::RemoteUnreachable
            | Code::GitMissing
            | Code::TmuxMissing
            | Code::TmuxTooOld
            | Code::TmuxLost
            | Code::TmuxFailed
            | Code::HomeNotWritable
            | Code::DiskFull
            | Code::StoreNewer
            | Code::StoreDamaged
            | Code::BackupDamaged
            | Code::MethodNotAllowed
            | Code::Unavailable
            | Code::Cancelled
            | Code::Internal => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_end_counts() {
        assert_eq!(Exit::Done.worse(Exit::NotFound), Exit::NotFound);
        assert_eq!(Exit::Failed.worse(Exit::Refused), Exit::Failed);
        assert_eq!(Exit::Refused.worse(Exit::NotFound), Exit::Refused);
    }

    /// Every code with its exit code: a change here is a change of the contract.
    #[test]
    fn every_code_has_its_exit_code() {
        let expected: &[(u8, &[&str])] = &[
            (
                1,
                &[
                    "git_failed",
                    "git_missing",
                    "signing_failed",
                    "remote_unreachable",
                    "login_needed",
                    "no_identity",
                    "tmux_missing",
                    "tmux_too_old",
                    "tmux_lost",
                    "tmux_failed",
                    "home_not_writable",
                    "disk_full",
                    "store_newer",
                    "store_damaged",
                    "backup_damaged",
                    "method_not_allowed",
                    "unavailable",
                    "cancelled",
                    "internal",
                ],
            ),
            (
                2,
                &["bad_request", "field_invalid", "title_invalid", "tag_invalid", "branch_invalid"],
            ),
            (
                3,
                &[
                    "unknown_session",
                    "unknown_operation",
                    "rule_unknown",
                    "unknown_device",
                    "unknown_route",
                    "agent_unknown",
                    "agent_missing",
                    "program_missing",
                    "pane_missing",
                    "path_missing",
                    "base_missing",
                    "branch_missing",
                    "worktree_missing",
                ],
            ),
            (
                4,
                &[
                    "not_a_repository",
                    "no_commits",
                    "bare_repository",
                    "branch_exists",
                    "branch_checked_out",
                    "branch_moved",
                    "branch_protected",
                    "head_detached",
                    "operation_under_way",
                    "conflicts",
                    "work_in_the_way",
                    "foreign_commits",
                    "nothing_to_commit",
                    "nothing_to_undo",
                    "no_remote",
                    "push_rejected",
                    "push_declined",
                    "hook_refused",
                    "worktree_in_use",
                    "path_taken",
                    "program_not_executable",
                    "pane_in_use",
                    "port_taken",
                    "listen_refused",
                    "tls_refused",
                    "only_loopback",
                    "home_in_use",
                    "body_too_large",
                    "ambiguous_id",
                    "token_missing",
                    "token_wrong",
                    "login_code_wrong",
                    "host_refused",
                    "origin_refused",
                    "not_allowed",
                    "version_conflict",
                    "state_conflict",
                    "idempotency_key_reused",
                    "input_full",
                    "lease_held",
                ],
            ),
            (5, &["timeout", "hook_timed_out"]),
            (6, &["no_daemon", "daemon_stopping"]),
        ];
        for (code, _) in Code::ALL {
            let listed = expected.iter().find(|(_, codes)| codes.contains(&code.as_str()));
            let listed = listed.map(|(exit, _)| *exit);
            assert_eq!(listed, Some(Exit::of(*code) as u8), "{}", code.as_str());
        }
        let count: usize = expected.iter().map(|(_, codes)| codes.len()).sum();
        assert_eq!(count, Code::ALL.len(), "a code is listed that is not there");
    }
}
