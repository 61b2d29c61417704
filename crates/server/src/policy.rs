use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use qd_core::{Code, Problem};
use qd_daemon::{Denied, Principal};

use crate::app::App;
use crate::auth::{Peer, Proven, bearer, protocol_token};
use crate::failure::Failure;

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Anybody who passes the Host and Origin checks, without a token.
    Public,
    /// Anybody with a token, the owner or a session.
    Caller,
    /// The owner only.
    Owner,
    /// The owner, and the session that the path names.
    OwnSession,
    /// The owner only, over a WebSocket. A request without a good token is upgraded all the same
    /// and closed with 4401, as browsers hide the status of an upgrade that failed.
    OwnerSocket,
}

/// Why a WebSocket is closed as soon as it is open.
#[derive(Clone, Debug)]
pub(crate) struct SocketDenied(pub(crate) Problem);

/// The token with which a long stream asks again whether it may go on.
#[derive(Clone, Debug)]
pub(crate) struct HeldToken(pub(crate) String);

/// Whether who came in with a token may stay. One that cannot be looked up just now stays.
pub(crate) async fn still_welcome(app: &App, held: Option<&HeldToken>) -> Result<(), Problem> {
    let Some(HeldToken(token)) = held else { return Ok(()) };
    match app.authenticate(Some(token)).await {
        Ok(_) | Err(Denied::Unavailable) => Ok(()),
        Err(denied) => Err(unauthenticated(denied)),
    }
}

/// Lets a request through to its handler if the policy admits who asks, and says who that is.
pub(crate) async fn enforce(
    State((app, policy)): State<(App, Policy)>,
    mut request: Request,
    next: Next,
) -> Response {
    if policy == Policy::Public {
        return next.run(request).await;
    }
    let token = bearer(request.headers())
        .or_else(|| {
            (policy == Policy::OwnerSocket).then(|| protocol_token(request.headers())).flatten()
        })
        .map(ToOwned::to_owned);
    let principal = match request.extensions().get::<Peer>() {
        Some(Peer::Unix(principal)) => Ok(principal.clone()),
        Some(Peer::Refused(problem)) => return Failure::from(problem.clone()).into_response(),
        Some(Peer::Tcp) | None => {
            let found = app.authenticate(token.as_deref()).await;
            if let (Ok(_), Some(token)) = (&found, token) {
                if let Some(proven) = request.extensions().get::<Proven>() {
                    proven.now();
                }
                request.extensions_mut().insert(HeldToken(token));
            }
            found
        }
    };
    match principal {
        Ok(principal) => {
            if let Err(problem) = admit(policy, &principal) {
                return Failure::from(problem).into_response();
            }
            request.extensions_mut().insert(principal);
        }
        Err(denied) if policy == Policy::OwnerSocket && asks_upgrade(request.headers()) => {
            request.extensions_mut().insert(SocketDenied(unauthenticated(denied)));
        }
        Err(denied) => return Failure::from(unauthenticated(denied)).into_response(),
    }
    next.run(request).await
}

/// What of a policy can be judged without the path. That a session reads only itself is judged
/// when the path's session is found, by the extractor `Target`.
fn admit(policy: Policy, principal: &Principal) -> Result<(), Problem> {
    match (policy, principal) {
        (_, Principal::Owner { .. })
        | (Policy::Public | Policy::Caller | Policy::OwnSession, Principal::Session(_)) => Ok(()),
        (Policy::Owner | Policy::OwnerSocket, Principal::Session(_)) => Err(not_allowed()),
    }
}

/// The refusal of a session that wants more than is its own.
pub(crate) fn not_allowed() -> Problem {
    Problem::new(
        Code::NotAllowed,
        "A session may read itself and post its own hooks, no more.",
        "Ask from a terminal outside the session.",
    )
}

/// The refusal of another user's process.
pub(crate) fn stranger() -> Problem {
    Problem::new(
        Code::NotAllowed,
        "The socket belongs to another user.",
        "Use a daemon of your own: set --home to a folder of yours.",
    )
}

pub(crate) fn unauthenticated(denied: Denied) -> Problem {
    match denied {
        Denied::Missing => Problem::new(
            Code::TokenMissing,
            "No token was sent.",
            "Run `qd` for a login link, or send the token as `Authorization: Bearer TOKEN`.",
        ),
        Denied::Wrong => Problem::new(
            Code::TokenWrong,
            "The token is not valid, or was revoked.",
            "Run `qd` for a new login link.",
        ),
        Denied::Unavailable => Problem::new(
            Code::Unavailable,
            "The token could not be looked up just now; it may well be good.",
            "Keep it, and try again in a moment. The daemon's log says more.",
        ),
    }
}

pub(crate) fn asks_upgrade(headers: &HeaderMap) -> bool {
    headers
        .get(header::UPGRADE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.eq_ignore_ascii_case("websocket"))
}
