use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use qd_core::{Code, Problem};

use crate::failure::Failure;

/// A file of the page, as it was when this was built.
struct File {
    path: &'static str,
    etag: &'static str,
    bytes: &'static [u8],
}

static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Vite puts files here whose names carry a hash of what is in them.
const HASHED: &str = "assets/";

/// Answers what no route does: the page, or that there is nothing.
pub(crate) async fn page(request: Request) -> Response {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") {
        return nothing().into_response();
    }
    let headers = request.headers();
    let found = find(path).or_else(|| wants_html(headers).then(|| find("/index.html")).flatten());
    let Some(file) = found else { return nothing().into_response() };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = Failure::from(Problem::new(
            Code::MethodNotAllowed,
            "The page is only to be read.",
            "Send GET.",
        ))
        .into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    serve(file, headers)
}

fn serve(file: &File, asked: &HeaderMap) -> Response {
    let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let fresh = known.is_some_and(|tags| tags.split(',').any(|tag| tag.trim() == file.etag));
    let mut response = if fresh {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(file.bytes))
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_static(file.etag));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(file.path)));
    let cache = if file.path.starts_with(HASHED) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    let host = asked.get(header::HOST).and_then(|host| host.to_str().ok());
    if let Ok(policy) = HeaderValue::try_from(content_policy(host)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// What the page may load. `host` passed the Host check, so that it can be named: older browsers
/// do not take `'self'` for a WebSocket of the same host.
fn content_policy(host: Option<&str>) -> String {
    let sockets = host.map(|host| format!(" ws://{host} wss://{host}")).unwrap_or_default();
    // xterm.js sets styles of its own; no script is inline.
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'{sockets}; \
         manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

fn find(path: &str) -> Option<&'static File> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = if path.is_empty() { "index.html" } else { path };
    FILES.iter().find(|file| file.path == path)
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

fn nothing() -> Failure {
    Problem::new(
        Code::UnknownRoute,
        "Nothing is at that address.",
        "`/api/v1/openapi.json` lists what there is.",
    )
    .into()
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(method: Method, path: &str, headers: &[(header::HeaderName, &str)]) -> Request {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[tokio::test]
    async fn there_is_a_page_and_it_may_be_kept_while_it_is_fresh() {
        let host = (header::HOST, "127.0.0.1:4747");
        let response = page(ask(Method::GET, "/", std::slice::from_ref(&host))).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("connect-src 'self' ws://127.0.0.1:4747 wss://127.0.0.1:4747;"));
        assert!(policy.contains("script-src 'self';"), "{policy}");
        let tag = response.headers()[header::ETAG].to_str().unwrap().to_owned();
        let response = page(ask(Method::GET, "/", &[host, (header::IF_NONE_MATCH, &tag)])).await;
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    }

    #[tokio::test]
    async fn a_path_of_the_page_is_the_page_only_for_browsers_that_navigate() {
        let html = (header::ACCEPT, "text/html,*/*");
        let status = async |method: Method, path: &str, headers: &[_]| {
            page(ask(method, path, headers)).await.status()
        };
        assert_eq!(
            status(Method::GET, "/login", std::slice::from_ref(&html)).await,
            StatusCode::OK
        );
        assert_eq!(status(Method::GET, "/login", &[]).await, StatusCode::NOT_FOUND);
        assert_eq!(
            status(Method::GET, "/api/v2/x", std::slice::from_ref(&html)).await,
            StatusCode::NOT_FOUND
        );
        assert_eq!(status(Method::GET, "/../Cargo.toml", &[]).await, StatusCode::NOT_FOUND);
        assert_eq!(status(Method::POST, "/", &[html]).await, StatusCode::METHOD_NOT_ALLOWED);
    }

    #[test]
    fn no_file_of_the_page_needs_an_inline_script() {
        for file in FILES.iter().filter(|file| file.path.ends_with(".html")) {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for (at, _) in text.match_indices("<script") {
                let tag = text[at..].split('>').next().unwrap();
                assert!(tag.contains("src="), "{}: {tag}", file.path);
            }
            assert!(!text.contains(" style=\"javascript"), "{}", file.path);
        }
    }
}
