//! What every request passes, whatever its route: the Host and Origin checks on the way in, the
//! headers that harden a browser on the way out, and an answer even when a handler panics.

use std::panic::AssertUnwindSafe;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use qd_core::{Code, Problem};

use crate::allow::AllowLists;
use crate::app::App;
use crate::auth::Peer;
use crate::failure::Failure;

/// For what is not the page: should a browser ever show it, it can load and run nothing.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

const HARDENING: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
];

/// The outermost layer.
pub(crate) async fn gate(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = match check(app.allow(), &request) {
        Err(problem) => Failure::from(problem).into_response(),
        Ok(()) => match AssertUnwindSafe(next.run(request)).catch_unwind().await {
            Ok(response) => response,
            // The panic hook has logged what and where.
            Err(_) => Failure::internal().into_response(),
        },
    };
    let headers = response.headers_mut();
    for (name, value) in HARDENING {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // The page sets its own two; all else is an answer of the moment.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(NOTHING));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn check(allow: &AllowLists, request: &Request) -> Result<(), Problem> {
    let unix = matches!(request.extensions().get::<Peer>(), Some(Peer::Unix(_) | Peer::Refused(_)));
    if !unix {
        check_host(allow, request)?;
    }
    check_origin(allow, request.headers())
}

fn check_host(allow: &AllowLists, request: &Request) -> Result<(), Problem> {
    let refuse = |host: &str| {
        Problem::new(
            Code::HostRefused,
            format!("The host {host:?} is not one that this daemon is reached by."),
            "Use the address that `qd` prints; behind a proxy or tunnel, start the daemon with \
             --public-url and the address that the browser shows.",
        )
    };
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(one), None) => one.to_str().unwrap_or_default(),
        _ => "",
    };
    if !allow.host(host) {
        return Err(refuse(host));
    }
    // A request line with a whole URL names a host, too.
    match request.uri().authority() {
        Some(authority) if !allow.host(authority.as_str()) => Err(refuse(authority.as_str())),
        _ => Ok(()),
    }
}

fn check_origin(allow: &AllowLists, headers: &HeaderMap) -> Result<(), Problem> {
    for origin in headers.get_all(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        if !allow.origin(origin) {
            return Err(Problem::new(
                Code::OriginRefused,
                format!("A page of {origin:?} may not ask this daemon."),
                "Open the page at the address that `qd` prints; behind a proxy or tunnel, start \
                 the daemon with --public-url and the address that the browser shows.",
            ));
        }
    }
    Ok(())
}
