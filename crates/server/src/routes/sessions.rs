use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use qd_api::{Change, NewSession, Operation, SessionView};
use qd_core::Action;

use crate::callers::{OwnTarget, Owner, Target};
use crate::failure::Failure;
use crate::precondition::{etag, if_match};
use crate::request::{JsonBody, PathAction, PathId};

/// List the sessions outside the trash, in the order of their making.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "sessions",
    responses((status = 200, description = "The sessions", body = Vec<SessionView>)))]
pub(crate) async fn list_sessions(owner: Owner) -> Response {
    listed(&owner.daemon().list())
}

/// List the sessions in the trash.
#[utoipa::path(get, path = "/api/v1/trash", tag = "sessions",
    responses((status = 200, description = "The sessions in the trash", body = Vec<SessionView>)))]
pub(crate) async fn list_trash(owner: Owner) -> Response {
    listed(&owner.daemon().trash_list())
}

/// Make a session.
///
/// Answers as soon as the session is on record; the worktree and the program follow, and the
/// event stream reports each step.
#[utoipa::path(post, path = "/api/v1/sessions", tag = "sessions",
    request_body = NewSession,
    responses((status = 201, description = "The session, being made", body = SessionView,
        headers(("ETag" = String, description = "Its version"),
            ("Location" = String, description = "Its address")))))]
pub(crate) async fn create_session(
    owner: Owner,
    JsonBody(request): JsonBody<NewSession>,
) -> Result<Response, Failure> {
    let view = owner.daemon().create(request).await?;
    Ok(made(StatusCode::CREATED, &view))
}

/// Show a session, in the trash or not.
#[utoipa::path(get, path = "/api/v1/sessions/{id}", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 200, description = "The session", body = SessionView,
        headers(("ETag" = String, description = "Its version")))))]
pub(crate) async fn get_session(target: Target) -> Response {
    tagged(StatusCode::OK, &target.view)
}

/// Change the words of a session: its title, tags, notes, pin.
#[utoipa::path(patch, path = "/api/v1/sessions/{id}", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        ("If-Match" = Option<String>, Header, description = "The version that you saw",
            pattern = r#"^(\*|[0-9]{1,15}|"[0-9]{1,15}")$"#)),
    request_body = Change,
    responses((status = 200, description = "The session as it is now", body = SessionView,
        headers(("ETag" = String, description = "Its version")))))]
pub(crate) async fn change_session(
    target: OwnTarget,
    headers: HeaderMap,
    JsonBody(change): JsonBody<Change>,
) -> Result<Response, Failure> {
    let expect = if_match(&headers)?;
    let view = target.daemon().change(&target.id, change, expect).await?;
    Ok(tagged(StatusCode::OK, &view))
}

/// Put a session in the trash.
///
/// Its program ends; its files are kept until it is purged.
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        ("If-Match" = Option<String>, Header, description = "The version that you saw",
            pattern = r#"^(\*|[0-9]{1,15}|"[0-9]{1,15}")$"#)),
    responses((status = 202, description = "On its way to the trash", body = Operation)))]
pub(crate) async fn trash_session(
    target: OwnTarget,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<Operation>), Failure> {
    let expect = if_match(&headers)?;
    Ok(accepted(target.daemon().act(&target.id, Action::Trash, expect).await?))
}

/// Have something done to a session: `restore` it from the trash or `purge` it there, `pause` and
/// `resume` it, `hibernate` and `wake` it, or `restart` it.
///
/// The same action asked for again while it is under way is done once. Pausing ends the program and
/// puts the worktree away; hibernating ends the program and leaves the worktree where it is.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/{action}", tag = "sessions",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        ("action" = String, Path, description = "What is to be done",
            pattern = "^(restore|purge|pause|resume|hibernate|wake|restart)$"),
        ("If-Match" = Option<String>, Header, description = "The version that you saw",
            pattern = r#"^(\*|[0-9]{1,15}|"[0-9]{1,15}")$"#)),
    responses((status = 202, description = "It has begun, or is done", body = Operation)))]
pub(crate) async fn act_on_session(
    target: OwnTarget,
    PathAction(action): PathAction,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<Operation>), Failure> {
    let expect = if_match(&headers)?;
    Ok(accepted(target.daemon().act(&target.id, action, expect).await?))
}

/// Show an operation that is under way, or was last.
#[utoipa::path(get, path = "/api/v1/operations/{id}", tag = "sessions",
    params(("id" = String, Path, description = "The operation's id")),
    responses((status = 200, description = "The operation", body = Operation)))]
pub(crate) async fn get_operation(
    owner: Owner,
    PathId(id): PathId,
) -> Result<Json<Operation>, Failure> {
    Ok(Json(owner.daemon().operation(&id).await?))
}

fn listed(views: &[std::sync::Arc<SessionView>]) -> Response {
    let views: Vec<&SessionView> = views.iter().map(AsRef::as_ref).collect();
    Json(views).into_response()
}

/// A session that was made just now.
pub(super) fn made(status: StatusCode, view: &SessionView) -> Response {
    let mut response = tagged(status, view);
    if let Ok(place) = HeaderValue::try_from(format!("/api/v1/sessions/{}", view.id)) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}

fn tagged(status: StatusCode, view: &SessionView) -> Response {
    let mut response = (status, Json(view)).into_response();
    if let Some(tag) = etag(view.version) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

pub(super) fn accepted(operation: Operation) -> (StatusCode, Json<Operation>) {
    (StatusCode::ACCEPTED, Json(operation))
}
