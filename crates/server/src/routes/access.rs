use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use qd_api::{DeviceList, LoginCode, LoginReply, LoginRequest, Pairing};

use crate::app::App;
use crate::callers::{Guest, Owner};
use crate::failure::Failure;
use crate::pair;
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

/// Make a login link for another device, with its QR code.
///
/// There is one link for each address by which other devices reach the page; all of them have the
/// same code. A daemon that only this machine reaches says how to change that.
#[utoipa::path(post, path = "/api/v1/pairings", tag = "access",
    responses((status = 201, description = "Links, good for ten minutes, once", body = Pairing)))]
pub(crate) async fn create_pairing(
    owner: Owner,
    State(app): State<App>,
) -> Result<(StatusCode, Json<Pairing>), Failure> {
    let about = app.about();
    if about.addresses.is_empty() {
        return Err(pair::only_loopback().into());
    }
    let code = owner.daemon().login_code().await?;
    let links = pair::links(&about.addresses, &code)?;
    Ok((StatusCode::CREATED, Json(Pairing { links, tls: about.tls.clone() })))
}

/// Read the certificate of the daemon's own authority, to install it on another device.
#[utoipa::path(get, path = "/api/v1/ca.pem", tag = "access",
    responses((status = 200, description = "The certificate", body = String,
        content_type = "application/x-x509-ca-cert")))]
pub(crate) async fn get_authority(State(app): State<App>) -> Result<Response, Failure> {
    let Some(pem) = app.about().ca_pem.clone() else { return Err(pair::no_authority().into()) };
    // Phones offer to install what comes with this type.
    Ok(([(header::CONTENT_TYPE, "application/x-x509-ca-cert")], pem).into_response())
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
