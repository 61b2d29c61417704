use axum::Json;
use axum::http::StatusCode;
use qd_api::{DeviceList, LoginCode, LoginReply, LoginRequest};

use crate::callers::{Guest, Owner};
use crate::failure::Failure;
use crate::request::{JsonBody, PathId};

/// Trade a login code for a token.
///
/// The code is the part after `#` of a login link. It is good for ten minutes, once. The token
/// is shown once; keep it in the storage of the page's origin.
#[utoipa::path(post, path = "/api/v1/login", tag = "access",
    request_body = LoginRequest,
    responses((status = 200, description = "Logged in", body = LoginReply)))]
pub(crate) async fn login(
    guest: Guest,
    JsonBody(request): JsonBody<LoginRequest>,
) -> Result<Json<LoginReply>, Failure> {
    Ok(Json(guest.login(request).await?))
}

/// Make a code for a login link.
#[utoipa::path(post, path = "/api/v1/login-codes", tag = "access",
    responses((status = 201, description = "A code, good for ten minutes, once", body = LoginCode)))]
pub(crate) async fn create_login_code(
    owner: Owner,
) -> Result<(StatusCode, Json<LoginCode>), Failure> {
    let code = owner.daemon().login_code().await?;
    Ok((StatusCode::CREATED, Json(LoginCode { code })))
}

/// List the devices that may come in.
#[utoipa::path(get, path = "/api/v1/devices", tag = "access",
    responses((status = 200, description = "Devices that are not revoked", body = DeviceList)))]
pub(crate) async fn list_devices(owner: Owner) -> Result<Json<DeviceList>, Failure> {
    let devices = owner.daemon().devices(owner.principal()).await?;
    Ok(Json(DeviceList { devices }))
}

/// Take a device's token away.
///
/// Its terminals and event streams are closed.
#[utoipa::path(delete, path = "/api/v1/devices/{id}", tag = "access",
    params(("id" = String, Path, description = "The device's id")),
    responses((status = 204, description = "Revoked")))]
pub(crate) async fn revoke_device(owner: Owner, PathId(id): PathId) -> Result<StatusCode, Failure> {
    owner.daemon().revoke(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
