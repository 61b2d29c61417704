use axum::http::StatusCode;
use qd_api::{Input, Keys, ResizeRequest};
use qd_core::{Code, Problem, Size};

use crate::callers::OwnTarget;
use crate::failure::Failure;
use crate::request::JsonBody;

/// Type text or bytes into a session.
///
/// A command of the owner: who holds the lease of the terminal is not asked.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/send", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = Input,
    responses((status = 204, description = "Written to the program")))]
pub(crate) async fn send_input(
    target: OwnTarget,
    JsonBody(input): JsonBody<Input>,
) -> Result<StatusCode, Failure> {
    target.daemon().send(&target.id, input).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Press keys by name.
///
/// A command of the owner: who holds the lease of the terminal is not asked.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/keys", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = Keys,
    responses((status = 204, description = "Written to the program")))]
pub(crate) async fn press_keys(
    target: OwnTarget,
    JsonBody(request): JsonBody<Keys>,
) -> Result<StatusCode, Failure> {
    target.daemon().keys(&target.id, request.keys).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Set the size of a session's terminal.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/resize", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    request_body = ResizeRequest,
    responses((status = 204, description = "Resized")))]
pub(crate) async fn resize_session(
    target: OwnTarget,
    JsonBody(request): JsonBody<ResizeRequest>,
) -> Result<StatusCode, Failure> {
    let size = exact_size(request)?;
    target.daemon().resize(&target.id, size).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A size that a person typed is taken as it is or refused; it is not clamped behind their back.
fn exact_size(request: ResizeRequest) -> Result<Size, Problem> {
    let size = Size::clamped(request.cols, request.rows);
    let refuse = |field: &str, bounds: &str| {
        Problem::new(
            Code::FieldInvalid,
            format!("{field} is out of bounds; the size stays as it is."),
            format!("Give {bounds}."),
        )
        .on(field)
    };
    if u32::from(size.cols) != request.cols {
        return Err(refuse("cols", "2 to 1,000 columns"));
    }
    if u32::from(size.rows) != request.rows {
        return Err(refuse("rows", "1 to 500 rows"));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_out_of_bounds_names_its_field() {
        let field = |cols, rows| exact_size(ResizeRequest { cols, rows }).unwrap_err().field;
        assert_eq!(
            exact_size(ResizeRequest { cols: 2, rows: 500 }),
            Ok(Size { cols: 2, rows: 500 })
        );
        assert_eq!(field(1, 24), Some("cols".into()));
        assert_eq!(field(1001, 24), Some("cols".into()));
        assert_eq!(field(80, 0), Some("rows".into()));
        assert_eq!(field(80, 501), Some("rows".into()));
    }
}
