use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use qd_api::{LossView, NewAdoption, NewFork, NewShell, SessionView};

use super::sessions::made;
use crate::callers::{OwnTarget, Owner};
use crate::failure::Failure;
use crate::request::JsonBody;

/// Show what is at stake when a session is put in the trash, or purged there.
///
/// Only reads; no lock of git is taken.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/loss", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 200, description = "What is at stake", body = LossView)))]
pub(crate) async fn get_loss(target: OwnTarget) -> Result<Json<LossView>, Failure> {
    Ok(Json(target.daemon().loss(&target.id).await?))
}

/// Adopt a tmux pane of the person's own: it becomes a session where it is.
///
/// Its tmux server is only read and its stream tapped: no option is set there, nothing is made,
/// ended or resized, and deleting the session lets go of the pane.
#[utoipa::path(post, path = "/api/v1/adopt", tag = "sessions",
    request_body = NewAdoption,
    responses((status = 201, description = "The session, being made", body = SessionView,
        headers(("ETag" = String, description = "Its version"),
            ("Location" = String, description = "Its address")))))]
pub(crate) async fn adopt_pane(
    owner: Owner,
    JsonBody(request): JsonBody<NewAdoption>,
) -> Result<Response, Failure> {
    let view = owner.daemon().adopt(request).await?;
    Ok(made(StatusCode::CREATED, &view))
}

/// Open a second terminal in the worktree of a session.
///
/// It is a session of its own, and goes to the trash with the other one.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/shell", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = NewShell,
    responses((status = 201, description = "The new session, being made", body = SessionView,
        headers(("ETag" = String, description = "Its version"),
            ("Location" = String, description = "Its address")))))]
pub(crate) async fn open_shell(
    target: OwnTarget,
    JsonBody(request): JsonBody<NewShell>,
) -> Result<Response, Failure> {
    let view = target.daemon().shell(&target.id, request).await?;
    Ok(made(StatusCode::CREATED, &view))
}

/// Fork a session: make one like it, on a new branch that begins where it is now, with a copy of
/// all that is not committed there.
///
/// The session itself is only read, and runs on.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/fork", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = NewFork,
    responses((status = 201, description = "The new session, being made", body = SessionView,
        headers(("ETag" = String, description = "Its version"),
            ("Location" = String, description = "Its address")))))]
pub(crate) async fn fork_session(
    target: OwnTarget,
    JsonBody(request): JsonBody<NewFork>,
) -> Result<Response, Failure> {
    let view = target.daemon().fork(&target.id, request).await?;
    Ok(made(StatusCode::CREATED, &view))
}
