//! The terminal WebSocket.
//!
//! # How it ends
//!
//! | close code | when |
//! |---|---|
//! | 1001 | the daemon stops; come back |
//! | 1008 | a frame was malformed, unknown or out of turn, or the first was not `attach`; the error frame before says which |
//! | 1009 | a message was larger than 1 MiB |
//! | 4401 | no token, a wrong one, or its device was revoked |
//! | 4404 | no such session, or it was purged |
//! | 4408 | no `attach` within 10 seconds, or nothing could be sent, or nothing was heard, for too long |
//! | 4409 | reserved: taken over |
//! | 4500 | our fault |
//!
//! A wrong Host or Origin, and a caller that may not type, get HTTP 403 and no WebSocket.

mod frame;
mod socket;

use axum::Extension;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use qd_api::TERMINAL_PROTOCOL;
use qd_core::{Code, Problem};

use crate::app::App;
use crate::auth::protocols;
use crate::callers::Owner;
use crate::failure::Failure;
use crate::policy::{HeldToken, SocketDenied};
use crate::request::PathId;
use frame::Close;
use socket::{Seat, drive, refuse};

/// Bytes in the largest message that a viewer may send: 1 MiB.
const MESSAGE_MOST: usize = 1 << 20;

/// Bytes of a message that are read before the connection is cut. One between the two limits is
/// read to its end, so that its sender gets the close code and not a reset.
const READ_MOST: usize = 4 << 20;

/// Open a session's terminal, as a WebSocket.
///
/// Sub-protocol `qd.terminal.v1`; the token goes beside it as `qd.bearer.TOKEN`. Text frames are
/// JSON, a ClientFrame or a ServerFrame; the first is `attach`. Binary frames to the server are
/// input; from the server, eight bytes of sequence number, big end first, then output.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/terminal", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 101, description = "The WebSocket is open"),
        (status = 426, description = "Not a WebSocket request", body = qd_api::ProblemBody,
            content_type = "application/problem+json")))]
pub(crate) async fn open_terminal(
    State(app): State<App>,
    PathId(id): PathId,
    denied: Option<Extension<SocketDenied>>,
    seat: Seated,
    token: Option<Extension<HeldToken>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return not_an_upgrade(&rejection),
    };
    if !protocols(&headers).any(|name| name == TERMINAL_PROTOCOL) {
        let hint = format!("Offer {TERMINAL_PROTOCOL}.");
        return Failure::from(Problem::new(
            Code::BadRequest,
            "The WebSocket does not offer a sub-protocol that is spoken here.",
            hint,
        ))
        .into_response();
    }
    let upgrade = upgrade
        .protocols([TERMINAL_PROTOCOL])
        .max_message_size(READ_MOST)
        .max_frame_size(READ_MOST);
    // The daemon's end waits for this socket as for any work of ours.
    let held = app.work().token();
    let stopping = app.stopping().clone();
    match (denied, seat.0) {
        (None, Some(owner)) => upgrade.on_upgrade(move |socket| async move {
            let token = token.map(|token| token.0);
            drive(socket, Seat { app, owner, id, token }, stopping).await;
            drop(held);
        }),
        (denied, _) => {
            let problem = denied.map_or_else(
                || Problem::new(Code::Internal, "The daemon made a mistake.", "Try again."),
                |denied| denied.0.0,
            );
            upgrade.on_upgrade(move |socket| async move {
                refuse(socket, &problem, Close::of(problem.code)).await;
                drop(held);
            })
        }
    }
}

/// The owner, if the policy let one through; without one there is a reason to close.
pub(crate) struct Seated(Option<Owner>);

impl FromRequestParts<App> for Seated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        if parts.extensions.get::<SocketDenied>().is_some() {
            return Ok(Self(None));
        }
        Owner::from_request_parts(parts, app).await.map(|owner| Self(Some(owner)))
    }
}

fn not_an_upgrade(rejection: &WebSocketUpgradeRejection) -> Response {
    let problem = Problem::new(
        Code::BadRequest,
        format!("This address is a WebSocket: {}", rejection.body_text()),
        format!("Open it as a WebSocket with the sub-protocol {TERMINAL_PROTOCOL}."),
    );
    let mut response = Failure::with_status(problem, StatusCode::UPGRADE_REQUIRED).into_response();
    response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    response
}
