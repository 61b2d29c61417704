//! Every route is walked: who may not use it cannot.

use axum::body::Body;
use axum::http::{HeaderName, Request, StatusCode, header};
use axum::response::Response;
use axum::{Extension, Router};
use http_body_util::BodyExt;
use qd_core::SessionId;
use qd_daemon::Principal;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::*;
use crate::allow::AllowLists;
use crate::app::{About, Authority};
use crate::auth::Peer;

const HOST: &str = "127.0.0.1:4747";
const OWNER: &str = "owner-token";
const SESSION: &str = "session-token";

fn app() -> App {
    let allow = AllowLists::new(Some(HOST.parse().unwrap()), None, &[]).unwrap();
    let owner = Principal::Owner { device: None, name: "test".into() };
    let session = Principal::Session(SessionId::from_random([1; SessionId::LEN]));
    let authority = Authority::Fixed(vec![(OWNER, owner), (SESSION, session)]);
    App::new(
        authority,
        allow,
        CancellationToken::new(),
        About { version: "0".into(), ..About::default() },
    )
}

fn served() -> Router {
    router(&app()).layer(Extension(Peer::Tcp))
}

fn request(method: &str, path: &str, headers: &[(HeaderName, &str)]) -> Request<Body> {
    let path = path.replace("{id}", "abcdefghjkmn");
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    request.body(Body::empty()).unwrap()
}

async fn answer(router: &Router, request: Request<Body>) -> Response {
    router.clone().oneshot(request).await.unwrap()
}

async fn code(response: Response) -> (StatusCode, String) {
    let status = response.status();
    assert_eq!(response.headers()[header::CONTENT_TYPE], crate::failure::PROBLEM_JSON);
    assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["status"], status.as_u16(), "{body}");
    (status, body["code"].as_str().unwrap().to_owned())
}

fn bearer(token: &str) -> (HeaderName, String) {
    (header::AUTHORIZATION, format!("Bearer {token}"))
}

#[tokio::test]
async fn a_wrong_host_or_origin_is_refused_on_every_route_before_the_token() {
    let router = served();
    let mut walked = 0;
    for RoutePolicy { method, path, .. } in route_policies() {
        let hosts: [&[(HeaderName, &str)]; 4] = [
            &[],
            &[(header::HOST, "evil.example")],
            &[(header::HOST, "localhost:3000")],
            &[(header::HOST, HOST), (header::HOST, "evil.example")],
        ];
        for headers in hosts {
            let (status, code) = code(answer(&router, request(method, &path, headers)).await).await;
            assert_eq!((status.as_u16(), code.as_str()), (403, "host_refused"), "{method} {path}");
        }
        for origin in ["null", "http://evil.example", "http://localhost:3000"] {
            let (name, token) = bearer(OWNER);
            let headers = [(header::HOST, HOST), (header::ORIGIN, origin), (name, &token)];
            let (status, code) =
                code(answer(&router, request(method, &path, &headers)).await).await;
            let expected = (403, "origin_refused");
            assert_eq!((status.as_u16(), code.as_str()), expected, "{method} {path} {origin}");
        }
        walked += 1;
    }
    assert!(walked > 25, "{walked} routes only");
}

#[tokio::test]
async fn every_route_but_the_public_ones_wants_a_token() {
    let router = served();
    let mut public = vec![];
    for RoutePolicy { method, path, policy } in route_policies() {
        if policy == "public" {
            public.push(format!("{method} {path}"));
            continue;
        }
        let host = (header::HOST, HOST);
        let response = answer(&router, request(method, &path, std::slice::from_ref(&host))).await;
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], "Bearer");
        assert_eq!(code(response).await, (StatusCode::UNAUTHORIZED, "token_missing".into()));
        for wrong in ["Bearer nonsense", "bearer owner-tokenx"] {
            let headers = [host.clone(), (header::AUTHORIZATION, wrong)];
            let response = answer(&router, request(method, &path, &headers)).await;
            let expected = (StatusCode::UNAUTHORIZED, "token_wrong".to_owned());
            assert_eq!(code(response).await, expected, "{method} {path}");
        }
        // Neither a query nor a cookie is a token.
        let asked = format!("{path}?token={OWNER}&access_token={OWNER}");
        let cookie = format!("token={OWNER}; Authorization=Bearer {OWNER}");
        let headers = [host, (header::COOKIE, cookie.as_str())];
        let response = answer(&router, request(method, &asked, &headers)).await;
        assert_eq!(code(response).await.0, StatusCode::UNAUTHORIZED, "{method} {path}");
    }
    public.sort();
    assert_eq!(public, ["GET /api/v1/ca.pem", "GET /healthz", "POST /api/v1/login"]);
}

#[tokio::test]
async fn a_session_is_refused_what_is_the_owners() {
    let router = served();
    let mut open = vec![];
    for RoutePolicy { method, path, policy } in route_policies() {
        match policy {
            "owner" => {
                let (name, token) = bearer(SESSION);
                let headers = [(header::HOST, HOST), (name, token.as_str())];
                let response = answer(&router, request(method, &path, &headers)).await;
                let expected = (StatusCode::FORBIDDEN, "not_allowed".to_owned());
                assert_eq!(code(response).await, expected, "{method} {path}");
            }
            "public" => {}
            _ => open.push(format!("{method} {path}")),
        }
    }
    open.sort();
    assert_eq!(
        open,
        [
            "GET /api/v1/openapi.json",
            "GET /api/v1/sessions/{id}",
            "GET /api/v1/sessions/{id}/diff",
            "GET /api/v1/sessions/{id}/diff/file",
            "GET /api/v1/sessions/{id}/logs",
            "GET /api/v1/sessions/{id}/patch",
            "GET /api/v1/sessions/{id}/screen",
            "GET /api/v1/sessions/{id}/scrollback",
        ]
    );
}

#[tokio::test]
async fn a_process_beneath_a_session_is_refused_by_the_socket_too_whatever_token_it_has() {
    let session = Principal::Session(SessionId::from_random([1; SessionId::LEN]));
    for peer in [Peer::Unix(session), Peer::Refused(crate::policy::stranger())] {
        let router = router(&app()).layer(Extension(peer.clone()));
        for RoutePolicy { method, path, policy } in route_policies() {
            if policy != "owner" {
                continue;
            }
            let (name, token) = bearer(OWNER);
            let response = answer(&router, request(method, &path, &[(name, &token)])).await;
            let expected = (StatusCode::FORBIDDEN, "not_allowed".to_owned());
            assert_eq!(code(response).await, expected, "{method} {path} {peer:?}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_that_says_so() {
    let router = served();
    let host = (header::HOST, HOST);
    let (name, token) = bearer(OWNER);
    let headers = [host, (name, token.as_str())];
    for path in ["/api", "/api/v1/nothing", "/api/v2/sessions", "/api/v1/sessions/", "/nothing"] {
        let response = answer(&router, request("GET", path, &headers)).await;
        assert_eq!(code(response).await, (StatusCode::NOT_FOUND, "unknown_route".into()), "{path}");
    }
    for (method, path, allow) in [
        ("PUT", "/api/v1/sessions", "GET,HEAD,POST"),
        ("OPTIONS", "/api/v1/sessions/{id}", "GET,HEAD,PATCH,DELETE"),
        ("POST", "/healthz", "GET,HEAD"),
        ("TRACE", "/api/v1/stop", "POST"),
    ] {
        let response = answer(&router, request(method, path, &headers)).await;
        let mut found: Vec<&str> =
            response.headers()[header::ALLOW].to_str().unwrap().split(',').collect();
        let mut expected: Vec<&str> = allow.split(',').collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{method} {path}");
        let expected = (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed".to_owned());
        assert_eq!(code(response).await, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn a_body_is_looked_at_only_after_the_token() {
    let router = served();
    let large = "x".repeat((1 << 20) + 1);
    let post = |token: Option<&str>, kind: &str, body: &str| {
        let mut request = Request::builder()
            .method("POST")
            .uri("/api/v1/sessions")
            .header(header::HOST, HOST)
            .header(header::CONTENT_TYPE, kind);
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        request.body(Body::from(body.to_owned())).unwrap()
    };
    let (status, _) = code(answer(&router, post(None, "application/json", &large)).await).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let response = answer(&router, post(Some(OWNER), "application/json", &large)).await;
    assert_eq!(code(response).await, (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large".into()));
}

#[tokio::test]
async fn the_page_and_healthz_need_no_token() {
    let router = served();
    let host = [(header::HOST, HOST)];
    for path in ["/", "/healthz"] {
        let response = answer(&router, request("GET", path, &host)).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(response.headers()[name], value, "{path}");
        }
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
    }
}

#[tokio::test]
async fn a_panic_is_a_problem() {
    async fn fall() -> &'static str {
        panic!("planted")
    }
    let app = app();
    let router = Router::new()
        .route("/", axum::routing::get(fall))
        .layer(from_fn_with_state(app.clone(), gate))
        .with_state(app);
    let response = answer(&router, request("GET", "/", &[(header::HOST, HOST)])).await;
    assert_eq!(code(response).await, (StatusCode::INTERNAL_SERVER_ERROR, "internal".into()));
}
