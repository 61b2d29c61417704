use axum::Json;
use axum::http::StatusCode;
use qd_api::{
    MergeView, NewCommit, NewMerge, NewPush, NewRebuild, Operation, RebuildView, ShipView,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::sessions::accepted;
use crate::callers::OwnTarget;
use crate::failure::Failure;
use crate::request::{JsonBody, Query};

/// How fresh the base is to be.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ShipParams {
    /// Ask the remote first, for a few seconds at most.
    #[param(default = false, required = false)]
    fetch: bool,
}

/// Show what a session would deliver onto its base: the commits with whose each is, how far the
/// base moved, what is not committed, and where the branch goes.
///
/// With `fetch` the base's branch is fetched first; a remote that does not answer is no error.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/ship", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        ShipParams),
    responses((status = 200, description = "What would be delivered", body = ShipView)))]
pub(crate) async fn get_ship(
    target: OwnTarget,
    Query(query): Query<ShipParams>,
) -> Result<Json<ShipView>, Failure> {
    Ok(Json(target.daemon().ship_view(&target.id, query.fetch).await?))
}

/// Show what a rebuild of the branch would do: only the session's own commits, on the base as it
/// was last seen.
///
/// Nothing is changed: commits are made aside and thrown away.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/ship/rebuild", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 200, description = "What stays, what goes, what conflicts",
        body = RebuildView)))]
pub(crate) async fn preview_rebuild(target: OwnTarget) -> Result<Json<RebuildView>, Failure> {
    Ok(Json(target.daemon().rebuild_preview(&target.id).await?))
}

/// How to merge.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MergeParams {
    /// `merge`, `squash` or `rebase`.
    #[param(default = "merge", required = false)]
    way: String,
}

impl Default for MergeParams {
    fn default() -> Self {
        Self { way: "merge".to_owned() }
    }
}

/// Show what a merge into the base as it was last seen would do.
///
/// Nothing is changed: it is made aside and thrown away.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/ship/merge", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        MergeParams),
    responses((status = 200, description = "What gets there, what conflicts", body = MergeView)))]
pub(crate) async fn preview_merge(
    target: OwnTarget,
    Query(query): Query<MergeParams>,
) -> Result<Json<MergeView>, Failure> {
    Ok(Json(target.daemon().merge_preview(&target.id, &query.way).await?))
}

/// Bring a session's work into its base: on the remote by a push with a lease, or into the local
/// branch, together with the files of the worktree that has it checked out.
///
/// Refused when branch or base are not what was shown, and when commits would go along that are not
/// the session's, unless they are to.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/ship/merge", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = NewMerge,
    responses((status = 202, description = "It has begun", body = Operation)))]
pub(crate) async fn ship_merge(
    target: OwnTarget,
    JsonBody(request): JsonBody<NewMerge>,
) -> Result<(StatusCode, Json<Operation>), Failure> {
    Ok(accepted(target.daemon().ship_merge(&target.id, request).await?))
}

/// Commit a session's work.
///
/// The person's hooks run and their signature is made. The operation's progress and end are in the
/// session's `shipping`.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/ship/commit", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = NewCommit,
    responses((status = 202, description = "It has begun", body = Operation)))]
pub(crate) async fn ship_commit(
    target: OwnTarget,
    JsonBody(request): JsonBody<NewCommit>,
) -> Result<(StatusCode, Json<Operation>), Failure> {
    Ok(accepted(target.daemon().ship_commit(&target.id, request).await?))
}

/// Push a session's branch under its own name, with a lease.
///
/// Refused when it holds commits that are not the session's, unless they are to go along, and when
/// the remote's branch has commits that were never here.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/ship/push", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = NewPush,
    responses((status = 202, description = "It has begun", body = Operation)))]
pub(crate) async fn ship_push(
    target: OwnTarget,
    JsonBody(request): JsonBody<NewPush>,
) -> Result<(StatusCode, Json<Operation>), Failure> {
    Ok(accepted(target.daemon().ship_push(&target.id, request).await?))
}

/// Make a session's branch anew: the base as it was last seen, and on it only its own commits.
///
/// What is not committed stays; the branch as it was is kept for an undo.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/ship/rebuild", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = NewRebuild,
    responses((status = 202, description = "It has begun", body = Operation)))]
pub(crate) async fn ship_rebuild(
    target: OwnTarget,
    JsonBody(request): JsonBody<NewRebuild>,
) -> Result<(StatusCode, Json<Operation>), Failure> {
    Ok(accepted(target.daemon().ship_rebuild(&target.id, request).await?))
}

/// Take the last rebuild back.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/ship/undo", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 202, description = "It has begun", body = Operation)))]
pub(crate) async fn ship_undo(target: OwnTarget) -> Result<(StatusCode, Json<Operation>), Failure> {
    Ok(accepted(target.daemon().ship_undo(&target.id).await?))
}

/// Stop what is being shipped: git and its hooks are ended.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/ship/stop", tag = "ship",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 204, description = "It was told to end")))]
pub(crate) async fn ship_stop(target: OwnTarget) -> Result<StatusCode, Failure> {
    target.daemon().ship_stop(&target.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
