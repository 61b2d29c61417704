use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, IF_MATCH};
use hyper::{Method, Request, StatusCode};
use qd_api::ProblemBody;
use qd_core::{Code, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::connection::{Broken, Exchange, connect, exchange};

/// How long an ordinary answer may take.
pub(crate) const USUAL: Duration = Duration::from_secs(30);
/// How long an answer may take that reads a whole worktree or asks other programs.
pub(crate) const PATIENT: Duration = Duration::from_secs(180);
/// Bytes of the largest answer that is read.
const LARGEST: usize = 256 << 20;
/// How long to wait before each new try after a connection broke.
const RETRIES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];

/// The address of a daemon. It holds no connection.
#[derive(Clone, Debug)]
pub struct Client {
    socket: PathBuf,
}

/// A request before it is sent, so that it can be sent again.
pub(crate) struct Call {
    pub(crate) method: Method,
    /// The path under `/api/v1`, encoded, with its query; `/healthz` is above that.
    pub(crate) path: String,
    pub(crate) body: Option<Bytes>,
    pub(crate) limit: Duration,
    /// The version of the session that the caller saw, where it must not have changed since.
    pub(crate) seen: Option<u64>,
}

/// A whole answer that is not an error.
pub(crate) struct Answer {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Client {
    /// The daemon of a home.
    #[must_use]
    pub fn of_home(home: &Path) -> Self {
        Self::at(crate::socket_of(home))
    }

    /// The daemon that listens on a socket.
    #[must_use]
    pub fn at(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// The socket that the daemon listens on.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The process that listens on the socket, as the kernel tells it.
    ///
    /// # Errors
    /// `no_daemon` when nothing listens.
    pub async fn daemon_pid(&self) -> Result<Option<i32>, Problem> {
        let stream = connect(&self.socket).await.map_err(|e| e.into_problem(&self.socket))?;
        Ok(stream.peer_cred().ok().and_then(|peer| peer.pid()))
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: String) -> Result<T, Problem> {
        read(
            &self
                .call(Call { method: Method::GET, path, body: None, limit: USUAL, seen: None })
                .await?,
        )
    }

    pub(crate) async fn get_patiently<T: DeserializeOwned>(
        &self,
        path: String,
    ) -> Result<T, Problem> {
        read(
            &self
                .call(Call { method: Method::GET, path, body: None, limit: PATIENT, seen: None })
                .await?,
        )
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: String,
        body: &impl Serialize,
    ) -> Result<T, Problem> {
        read(&self.post_plain(path, body).await?)
    }

    pub(crate) async fn post_plain(
        &self,
        path: String,
        body: &impl Serialize,
    ) -> Result<Answer, Problem> {
        let body = Some(write(body)?);
        self.call(Call { method: Method::POST, path, body, limit: USUAL, seen: None }).await
    }

    /// Sends a call, again if the connection broke, and reads the whole answer.
    pub(crate) async fn call(&self, call: Call) -> Result<Answer, Problem> {
        let key = if call.method == Method::POST { Some(random_key()?) } else { None };
        let mut pauses = RETRIES.iter();
        loop {
            match self.once(&call, key.as_deref()).await {
                Ok(answer) => return answer,
                Err(broken @ Broken::Lost(_)) => match pauses.next() {
                    Some(pause) => tokio::time::sleep(*pause).await,
                    None => return Err(broken.into_problem(&self.socket)),
                },
                Err(broken) => return Err(broken.into_problem(&self.socket)),
            }
        }
    }

    async fn once(
        &self,
        call: &Call,
        key: Option<&str>,
    ) -> Result<Result<Answer, Problem>, Broken> {
        let request = request(call, key)?;
        let Exchange { response, driver: _driver } =
            exchange(&self.socket, request, call.limit).await?;
        let (head, body) = response.into_parts();
        let body = tokio::time::timeout(call.limit, Limited::new(body, LARGEST).collect())
            .await
            .map_err(|_| Broken::Slow)?
            .map_err(|error| Broken::Lost(error.to_string()))?
            .to_bytes();
        if head.status.is_success() {
            Ok(Ok(Answer { headers: head.headers, body }))
        } else {
            Ok(Err(problem(head.status, &body)))
        }
    }
}

/// Makes the HTTP request of a call.
pub(crate) fn request(call: &Call, key: Option<&str>) -> Result<Request<Full<Bytes>>, Broken> {
    let prefix = if call.path == "/healthz" { "" } else { "/api/v1" };
    let mut request = Request::builder()
        .method(&call.method)
        .uri(format!("{prefix}{}", call.path))
        // On a Unix socket there is no host; HTTP/1.1 asks for the header all the same.
        .header(HOST, "localhost")
        .header(ACCEPT, "*/*");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    if let Some(seen) = call.seen {
        request = request.header(IF_MATCH, format!("\"{seen}\""));
    }
    if call.body.is_some() {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    let body = Full::new(call.body.clone().unwrap_or_default());
    request.body(body).map_err(|error| Broken::Lost(error.to_string()))
}

/// The problem that an answer with an error status tells of.
pub(crate) fn problem(status: StatusCode, body: &[u8]) -> Problem {
    match serde_json::from_slice::<ProblemBody>(body) {
        Ok(body) => body.into_problem(),
        Err(_) => Problem::new(
            Code::Internal,
            format!("The daemon answered {status} without saying why."),
            "Look into `daemon.log` in its home, and compare `qd version` with the daemon's.",
        ),
    }
}

/// Reads the JSON of an answer.
pub(crate) fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, Problem> {
    serde_json::from_slice(&answer.body).map_err(|error| {
        Problem::new(
            Code::Internal,
            format!("The daemon's answer cannot be read: {error}."),
            "It may be of another version: restart it with `qd stop`, then `qd`.",
        )
    })
}

fn write(body: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(body).map(Bytes::from).map_err(|error| {
        Problem::new(
            Code::Internal,
            format!("The request cannot be written: {error}."),
            "Tell us how you came here.",
        )
    })
}

/// A key that no other invocation has: 128 random bits.
fn random_key() -> Result<String, Problem> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::new(
            Code::Internal,
            format!("The system gives no random numbers: {error}."),
            "Try again.",
        )
    })?;
    Ok(bytes.iter().fold(String::with_capacity(32), |mut text, byte| {
        use std::fmt::Write as _;
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_no_problem_is_a_fault() {
        let told = problem(StatusCode::BAD_GATEWAY, b"<html>");
        assert_eq!(told.code, Code::Internal);
        assert!(told.message.contains("502"), "{}", told.message);
    }

    #[test]
    fn keys_differ() {
        assert_ne!(random_key().unwrap(), random_key().unwrap());
    }
}
