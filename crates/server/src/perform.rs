use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use qd_core::{Code, Problem};
use qd_daemon::{Principal, Turn};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::app::App;
use crate::failure::Failure;
use crate::precondition::idempotency_key;

/// Bytes in the largest body that is read: 1 MiB.
pub(crate) const BODY_MOST: usize = 1 << 20;

/// How long a body may take to come.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// Bytes in the largest answer that is kept for an idempotency key.
const ANSWER_MOST: usize = 1 << 20;

/// Headers that are part of an answer.
const KEPT: [HeaderName; 3] = [header::CONTENT_TYPE, header::ETAG, header::LOCATION];

/// Marks an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Whether answers may be kept for an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// For a day.
    Kept,
    /// Never, as they carry a secret that is only to be seen once.
    Secret,
}

/// An answer, as it is kept for an idempotency key.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

/// Runs a request that changes something in a task of its own, at most once for each idempotency
/// key. The request itself only waits: a client that hangs up has asked all the same.
pub(crate) async fn perform(
    State((app, keeping)): State<(App, Keeping)>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let key = if parts.method == Method::POST {
        match idempotency_key(&parts.headers) {
            Ok(key) => key.filter(|_| keeping == Keeping::Kept),
            Err(problem) => return Failure::from(problem).into_response(),
        }
    } else {
        None
    };
    let bytes = match read(&parts.headers, body, BODY_WITHIN).await {
        Ok(bytes) => bytes,
        // Of the client, not of something behind us.
        Err(problem) if problem.code == Code::Timeout => {
            return Failure::with_status(problem, StatusCode::REQUEST_TIMEOUT).into_response();
        }
        Err(problem) => return Failure::from(problem).into_response(),
    };
    let print = fingerprint(&parts, &bytes);
    let request = Request::from_parts(parts, Body::from(bytes));
    let work = app.work().spawn({
        let app = app.clone();
        async move {
            match key {
                Some(key) => once(&app, &key, &print, request, next).await,
                None => next.run(request).await,
            }
        }
    });
    match work.await {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(%error, "a request's work did not end well");
            Failure::internal().into_response()
        }
    }
}

async fn once(app: &App, key: &str, print: &str, request: Request, next: Next) -> Response {
    let Some(daemon) = app.daemon() else { return Failure::internal().into_response() };
    let ticket = match daemon.idempotency(key, print).await {
        Ok(Turn::First(ticket)) => ticket,
        Ok(Turn::Answered(value)) => return replay(value),
        Err(problem) => return Failure::from(problem).into_response(),
    };
    let response = next.run(request).await;
    // A fault of ours is not an answer to keep: the ticket is dropped, and the next has the turn.
    if response.status().is_server_error() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, ANSWER_MOST).await else {
        return Failure::internal().into_response();
    };
    match serde_json::to_value(Answer::record(parts.status, &parts.headers, &bytes)) {
        Ok(value) => ticket.answer(value),
        Err(error) => tracing::error!(%error, "an answer could not be kept"),
    }
    Response::from_parts(parts, Body::from(bytes))
}

impl Answer {
    fn record(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let headers = KEPT
            .iter()
            .filter_map(|name| {
                Some((name.to_string(), headers.get(name)?.to_str().ok()?.to_owned()))
            })
            .collect();
        Self { status: status.as_u16(), headers, body: String::from_utf8_lossy(body).into_owned() }
    }

    fn into_response(self) -> Option<Response> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).ok()?;
        for (name, value) in self.headers {
            let name = HeaderName::try_from(name).ok()?;
            response.headers_mut().insert(name, HeaderValue::try_from(value).ok()?);
        }
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        Some(response)
    }
}

fn replay(value: serde_json::Value) -> Response {
    let answer = serde_json::from_value::<Answer>(value).ok();
    answer.and_then(Answer::into_response).unwrap_or_else(|| {
        tracing::error!("a kept answer cannot be read");
        Failure::internal().into_response()
    })
}

async fn read(headers: &HeaderMap, body: Body, within: Duration) -> Result<Bytes, Problem> {
    let too_large = || {
        Problem::new(
            Code::BodyTooLarge,
            "The body is larger than 1 MiB; nothing was done.",
            "Send less at a time.",
        )
    };
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    if declared.is_some_and(|length| length > BODY_MOST as u64) {
        return Err(too_large());
    }
    let Ok(read) = timeout(within, Limited::new(body, BODY_MOST).collect()).await else {
        return Err(Problem::new(
            Code::Timeout,
            format!("The body did not come within {} seconds; nothing was done.", within.as_secs()),
            "Send the request again, in one piece.",
        ));
    };
    match read {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(error) => Err(Problem::new(
            Code::BadRequest,
            format!("The body could not be read: {error}. Nothing was done."),
            "Send the request again.",
        )),
    }
}

/// What makes two requests the same: who asks, what, of which version.
fn fingerprint(parts: &axum::http::request::Parts, body: &[u8]) -> String {
    let who = parts.extensions.get::<Principal>().map(Principal::device_key).unwrap_or_default();
    let seen = parts.headers.get(header::IF_MATCH).map(HeaderValue::as_bytes).unwrap_or_default();
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    let mut hash = Sha256::new();
    for part in [who.as_bytes(), parts.method.as_str().as_bytes(), target.as_bytes(), seen, body] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_answer_comes_back_as_it_was() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
        headers.insert(header::ETAG, "\"3\"".parse().unwrap());
        headers.insert(header::DATE, "now".parse().unwrap());
        let answer = Answer::record(StatusCode::CREATED, &headers, br#"{"b":1,"a":2}"#);
        let kept = serde_json::to_value(&answer).unwrap();
        let response = replay(kept);
        assert_eq!(response.status(), StatusCode::CREATED);
        assert_eq!(response.headers()[header::ETAG], "\"3\"");
        assert_eq!(response.headers()[REPLAYED], "true");
        assert!(!response.headers().contains_key(header::DATE));
        assert_eq!(answer.body, r#"{"b":1,"a":2}"#);
    }

    #[tokio::test]
    async fn a_body_that_trickles_is_not_waited_for() {
        let never = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
        let never = Body::from_stream(never);
        let problem = read(&HeaderMap::new(), never, Duration::ZERO).await.unwrap_err();
        assert_eq!(problem.code, Code::Timeout);
        assert_eq!(read(&HeaderMap::new(), Body::from("x"), BODY_WITHIN).await.unwrap(), "x");
    }

    #[test]
    fn another_body_or_path_is_another_request() {
        let print = |path: &str, body: &str| {
            let request = Request::builder().method("POST").uri(path).body(()).unwrap();
            fingerprint(&request.into_parts().0, body.as_bytes())
        };
        assert_eq!(print("/a", "x"), print("/a", "x"));
        assert_ne!(print("/a", "x"), print("/a", "y"));
        assert_ne!(print("/a", "x"), print("/b", "x"));
        assert_ne!(print("/a", "bx"), print("/ab", "x"));
    }
}
