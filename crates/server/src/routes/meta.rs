use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use qd_api::{AgentInfo, Branches, ConfigView, DoctorReport, Health, Paths, RepoInfo, StopRequest};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::callers::Owner;
use crate::failure::Failure;
use crate::request::{JsonBody, Query};

/// Which repository is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BranchParams {
    /// A folder in the repository.
    path: String,
}

/// What was typed of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PathParams {
    /// The beginning of an absolute path, or of one with `~/` for the person's home.
    prefix: String,
}

/// Say that the daemon is well.
#[utoipa::path(get, path = "/healthz", tag = "daemon",
    responses((status = 200, description = "It is well", body = Health)))]
pub(crate) async fn get_health(State(app): State<App>) -> Json<Health> {
    Json(Health { status: "ok".to_owned(), version: app.about().version.clone() })
}

/// Describe this API.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "daemon",
    responses((status = 200, description = "This document", body = serde_json::Value)))]
pub(crate) async fn get_openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(crate::document::openapi())
}

/// List the agents that can be started.
#[utoipa::path(get, path = "/api/v1/agents", tag = "choices",
    responses((status = 200, description = "The agents", body = Vec<AgentInfo>)))]
pub(crate) async fn list_agents(owner: Owner) -> Json<Vec<AgentInfo>> {
    Json(owner.daemon().agents().await)
}

/// List the repositories that sessions worked in, most recent first.
#[utoipa::path(get, path = "/api/v1/repos", tag = "choices",
    responses((status = 200, description = "The repositories", body = Vec<RepoInfo>)))]
pub(crate) async fn list_repos(owner: Owner) -> Json<Vec<RepoInfo>> {
    Json(owner.daemon().repos())
}

/// List the branches of a repository.
#[utoipa::path(get, path = "/api/v1/repos/branches", tag = "choices",
    params(BranchParams),
    responses((status = 200, description = "The branches", body = Branches)))]
pub(crate) async fn list_branches(
    owner: Owner,
    Query(query): Query<BranchParams>,
) -> Result<Json<Branches>, Failure> {
    Ok(Json(owner.daemon().branches(&query.path).await?))
}

/// List folders that begin with a prefix.
#[utoipa::path(get, path = "/api/v1/paths", tag = "choices",
    params(PathParams),
    responses((status = 200, description = "Folders", body = Paths)))]
pub(crate) async fn list_paths(
    owner: Owner,
    Query(query): Query<PathParams>,
) -> Result<Json<Paths>, Failure> {
    Ok(Json(owner.daemon().paths(&query.prefix).await?))
}

/// Say what is missing or wrong, and the mend.
#[utoipa::path(get, path = "/api/v1/doctor", tag = "daemon",
    responses((status = 200, description = "What was found", body = DoctorReport)))]
pub(crate) async fn run_doctor(owner: Owner) -> Json<DoctorReport> {
    Json(owner.daemon().doctor().await)
}

/// Say what is in force, and where each value came from.
#[utoipa::path(get, path = "/api/v1/config", tag = "daemon",
    responses((status = 200, description = "Every setting; no secret is among them", body = ConfigView)))]
pub(crate) async fn get_config(_owner: Owner, State(app): State<App>) -> Json<ConfigView> {
    Json(ConfigView { values: app.about().config.clone() })
}

/// Ask the daemon to stop; the sessions run on unless they are to end, too.
#[utoipa::path(post, path = "/api/v1/stop", tag = "daemon",
    request_body = StopRequest,
    responses((status = 204, description = "It stops")))]
pub(crate) async fn stop_daemon(
    owner: Owner,
    JsonBody(request): JsonBody<StopRequest>,
) -> Result<StatusCode, Failure> {
    owner.daemon().stop(request.sessions).await?;
    Ok(StatusCode::NO_CONTENT)
}
