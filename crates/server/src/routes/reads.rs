use axum::Json;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use qd_api::{DiffReply, FilePatch, ScreenReply, ScrollbackReply};
use qd_core::{Code, Problem};
use qd_daemon::{LogQuery, ScreenQuery, ScrollbackQuery};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::callers::Target;
use crate::failure::Failure;
use crate::precondition::SAFE_MOST;
use crate::request::Query;

/// The number of the first byte of raw output.
const SEQ: HeaderName = HeaderName::from_static("qd-seq");

/// Lines of history that one request may ask for.
const LINES_MOST: usize = 10_000;

/// What of the screen is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ScreenParams {
    /// Lines with escape sequences for colour.
    #[param(default = false, required = false)]
    ansi: bool,
    /// Lines from before the screen, too.
    #[param(default = false, required = false)]
    history: bool,
}

/// What of the history is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ScrollbackParams {
    /// The first line, counted from the oldest that is kept.
    #[param(default = 0, minimum = 0, maximum = 9007199254740991_u64, required = false)]
    from: u64,
    /// At most so many.
    #[param(default = 1000, minimum = 1, maximum = 10000, required = false)]
    lines: usize,
    /// With escape sequences for colour.
    #[param(default = false, required = false)]
    ansi: bool,
}

/// What of the raw output is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LogParams {
    /// The number of the first byte; absent for where the ring begins.
    #[param(minimum = 0, maximum = 9007199254740991_u64)]
    from: Option<u64>,
}

/// Which file of a diff is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileParams {
    /// Its path, as the diff gives it.
    path: String,
    /// Its path before, when the diff gives one.
    old_path: Option<String>,
    /// All of it, also when it would be cut.
    #[serde(default)]
    #[param(default = false, required = false)]
    whole: bool,
}

impl Default for ScrollbackParams {
    fn default() -> Self {
        Self { from: 0, lines: 1000, ansi: false }
    }
}

/// Show what is on the screen now.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/screen", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        ScreenParams),
    responses((status = 200, description = "The screen", body = ScreenReply)))]
pub(crate) async fn get_screen(
    target: Target,
    Query(query): Query<ScreenParams>,
) -> Result<Json<ScreenReply>, Failure> {
    let query = ScreenQuery { ansi: query.ansi, history: query.history };
    Ok(Json(target.daemon().screen(&target.id, query).await?))
}

/// Show lines from before the screen.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/scrollback", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        ScrollbackParams),
    responses((status = 200, description = "Lines, oldest first", body = ScrollbackReply)))]
pub(crate) async fn get_scrollback(
    target: Target,
    Query(query): Query<ScrollbackParams>,
) -> Result<Json<ScrollbackReply>, Failure> {
    if !(1..=LINES_MOST).contains(&query.lines) {
        return Err(out_of_bounds("lines", "1 to 10,000").into());
    }
    let from = bounded("from", query.from)?;
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let query = ScrollbackQuery { from, lines: query.lines, ansi: query.ansi };
    Ok(Json(target.daemon().scrollback(&target.id, query).await?))
}

/// Read raw output, from where the ring begins or from a number that it still holds.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/logs", tag = "terminal",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        LogParams),
    responses((status = 200, description = "The bytes of the program", body = Vec<u8>,
        content_type = "application/octet-stream",
        headers(("Qd-Seq" = u64, description = "The number of the first byte")))))]
pub(crate) async fn get_logs(
    target: Target,
    Query(query): Query<LogParams>,
) -> Result<Response, Failure> {
    let from = query.from.map(|from| bounded("from", from)).transpose()?;
    let (first, bytes) = target.daemon().log(&target.id, LogQuery { from }).await?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(SEQ, HeaderValue::from(first));
    Ok(response)
}

/// Show what a session changed against its base, untracked files included.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/diff", tag = "diff",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`")),
    responses((status = 200, description = "The files", body = DiffReply)))]
pub(crate) async fn get_diff(target: Target) -> Result<Json<DiffReply>, Failure> {
    Ok(Json(target.daemon().diff(&target.id).await?))
}

/// Show the patch of one file of a diff.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/diff/file", tag = "diff",
    params(("id" = String, Path, description = "An id, a unique prefix of one, or `title:TEXT`"),
        FileParams),
    responses((status = 200, description = "The patch", body = FilePatch)))]
pub(crate) async fn get_file_patch(
    target: Target,
    Query(query): Query<FileParams>,
) -> Result<Json<FilePatch>, Failure> {
    let old_path = query.old_path.as_deref();
    let patch = target.daemon().file_patch(&target.id, &query.path, old_path, query.whole).await?;
    Ok(Json(patch))
}

fn bounded(field: &str, number: u64) -> Result<u64, Problem> {
    if number <= SAFE_MOST { Ok(number) } else { Err(out_of_bounds(field, "less than 2^53")) }
}

fn out_of_bounds(field: &str, bounds: &str) -> Problem {
    Problem::new(
        Code::BadRequest,
        format!("The query's \u{201c}{field}\u{201d} is out of bounds."),
        format!("Give {bounds}."),
    )
    .on(field)
}
