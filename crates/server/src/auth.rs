use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{HeaderMap, header};
use qd_api::TOKEN_PROTOCOL_PREFIX;
use qd_core::Problem;
use qd_daemon::Principal;

/// How a request came in, put beside it by the listener that took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// By TCP: a token says who it is.
    Tcp,
    /// By the Unix socket: the process says who it is, and a token is not looked at.
    Unix(Principal),
    /// By the Unix socket, from a process of another user, or one of which it cannot be told
    /// whose it is.
    Refused(Problem),
}

/// Whether somebody has proven on a connection who they are. Put beside each of its requests.
#[derive(Clone, Debug)]
pub(crate) struct Proven(Arc<AtomicBool>);

impl Proven {
    pub(crate) fn new(proven: bool) -> Self {
        Self(Arc::new(AtomicBool::new(proven)))
    }

    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The token of an `Authorization: Bearer` header.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// The token among the sub-protocols that a WebSocket offers; browsers can set no other header.
pub(crate) fn protocol_token(headers: &HeaderMap) -> Option<&str> {
    protocols(headers).find_map(|name| name.strip_prefix(TOKEN_PROTOCOL_PREFIX))
}

/// The sub-protocols that a WebSocket offers.
pub(crate) fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, values: &[&str]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for value in values {
            map.append(&name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn reads_a_bearer_token() {
        let read =
            |value: &str| bearer(&headers(header::AUTHORIZATION, &[value])).map(ToOwned::to_owned);
        assert_eq!(read("Bearer abc"), Some("abc".into()));
        assert_eq!(read("bearer  abc "), Some("abc".into()));
        for bad in ["", "Bearer", "Bearer ", "Basic abc", "abc"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(bearer(&HeaderMap::new()), None);
    }

    #[test]
    fn reads_a_token_among_sub_protocols() {
        let read = |values: &[&str]| {
            protocol_token(&headers(header::SEC_WEBSOCKET_PROTOCOL, values)).map(ToOwned::to_owned)
        };
        assert_eq!(read(&["qd.terminal.v1, qd.bearer.abc"]), Some("abc".into()));
        assert_eq!(read(&["qd.bearer.abc,qd.terminal.v1"]), Some("abc".into()));
        assert_eq!(read(&["qd.terminal.v1", "qd.bearer.abc"]), Some("abc".into()));
        assert_eq!(read(&["qd.terminal.v1"]), None);
        assert_eq!(read(&["xqd.bearer.abc"]), None);
    }
}
