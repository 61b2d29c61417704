use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::callers::Target;
use crate::failure::Failure;

/// How many files are not in a patch.
const LEFT_OUT: HeaderName = HeaderName::from_static("qd-left-out");

/// Read all that a session changed as one patch that `git apply` takes at its base.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/patch", tag = "diff",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 200, description = "Unified diffs, binary files and untracked ones \
        included", body = Vec<u8>, content_type = "application/octet-stream",
        headers(("Qd-Left-Out" = u64,
            description = "How many untracked files are too large to be in it")))))]
pub(crate) async fn get_patch(target: Target) -> Result<Response, Failure> {
    let (bytes, left_out) = target.daemon().patch(&target.id).await?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(LEFT_OUT, HeaderValue::from(left_out));
    Ok(response)
}
