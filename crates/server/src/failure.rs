use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use qd_api::ProblemBody;
use qd_core::{Code, Problem};

/// The media type of every error.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// A problem on its way out, with the status that it is answered with.
#[derive(Debug)]
pub(crate) struct Failure {
    problem: Problem,
    status: StatusCode,
}

impl Failure {
    /// A problem answered with another status than its code has by itself.
    pub(crate) fn with_status(problem: Problem, status: StatusCode) -> Self {
        Self { problem, status }
    }

    /// A fault of ours, whose cause is for the log and not for the client.
    pub(crate) fn internal() -> Self {
        Problem::new(
            Code::Internal,
            "The daemon made a mistake; your sessions run on.",
            "The log of the daemon says more. Please report it.",
        )
        .into()
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let status = status_of(problem.code);
        Self { problem, status }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = ProblemBody::new(&self.problem, self.status.as_u16());
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// The status of each code; nowhere else is one chosen for a problem of the daemon.
///
/// - 422: the text itself can never be right.
/// - 409: the request is right, and the world is not so: not there, in use, in another state.
/// - 503: what the daemon needs from this machine is missing; nothing about the request is wrong.
pub(crate) fn status_of(code: Code) -> StatusCode {
    match code {
        Code::BadRequest => StatusCode::BAD_REQUEST,
        Code::TokenMissing | Code::TokenWrong | Code::LoginCodeWrong => StatusCode::UNAUTHORIZED,
        Code::HostRefused | Code::OriginRefused | Code::NotAllowed => StatusCode::FORBIDDEN,
        Code::UnknownRoute
        | Code::UnknownSession
        | Code::UnknownOperation
        | Code::UnknownDevice
        | Code::RuleUnknown => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::NotARepository
        | Code::NoCommits
        | Code::BareRepository
        | Code::BaseMissing
        | Code::BranchMissing
        | Code::BranchExists
        | Code::BranchCheckedOut
        | Code::WorktreeInUse
        | Code::WorktreeMissing
        | Code::PathMissing
        | Code::PathTaken
        | Code::BranchMoved
        | Code::BranchProtected
        | Code::HeadDetached
        | Code::OperationUnderWay
        | Code::Conflicts
        | Code::WorkInTheWay
        | Code::ForeignCommits
        | Code::NothingToCommit
        | Code::NothingToUndo
        | Code::HookRefused
        | Code::SigningFailed
        | Code::NoIdentity
        | Code::NoRemote
        | Code::PushRejected
        | Code::PushDeclined
        | Code::LoginNeeded
        | Code::RemoteUnreachable
        | Code::GitFailed
        | Code::AgentUnknown
        | Code::AgentMissing
        | Code::ProgramMissing
        | Code::PaneMissing
        | Code::PaneInUse
        | Code::ProgramNotExecutable
        | Code::AmbiguousId
        | Code::OnlyLoopback
        | Code::StateConflict
        | Code::KeyReused
        | Code::InputFull
        | Code::LeaseHeld
        | Code::Cancelled => StatusCode::CONFLICT,
        Code::VersionConflict => StatusCode::PRECONDITION_FAILED,
        Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::BranchInvalid | Code::TitleInvalid | Code::TagInvalid | Code::FieldInvalid => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Code::GitMissing
        | Code::TmuxMissing
        | Code::TmuxTooOld
        | Code::TmuxLost
        | Code::TmuxFailed
        | Code::NoDaemon
        | Code::DaemonStopping
        | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Timeout | Code::HookTimedOut => StatusCode::GATEWAY_TIMEOUT,
        Code::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
        // Of starting a daemon, not of asking one; or a fault of ours.
        Code::PortTaken
        | Code::ListenRefused
        | Code::TlsRefused
        | Code::HomeNotWritable
        | Code::HomeInUse
        | Code::StoreNewer
        | Code::StoreDamaged
        | Code::BackupDamaged
        | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_an_error_status() {
        for (code, _) in Code::ALL {
            let status = status_of(*code);
            assert!(status.is_client_error() || status.is_server_error(), "{code:?}");
        }
    }

    #[test]
    fn the_body_carries_the_status_that_is_sent() {
        let problem = Problem::new(Code::StateConflict, "a", "b").on("c");
        let failure = Failure::from(problem.clone());
        assert_eq!(failure.status, StatusCode::CONFLICT);
        let response = failure.into_response();
        assert_eq!(response.status(), StatusCode::CONFLICT);
        assert_eq!(response.headers()[header::CONTENT_TYPE], PROBLEM_JSON);
        let body = serde_json::to_value(ProblemBody::new(&problem, 409)).unwrap();
        assert_eq!(body["code"], "state_conflict");
        assert_eq!(body["status"], 409);
    }
}
