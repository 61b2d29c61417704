use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use qd_core::{Code, Problem};
use tokio::net::UnixStream;
use tokio::task::JoinSet;

/// How long a connection to a socket of this machine may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// An answer whose body is not read yet. The connection lives as long as this does.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) response: Response<Incoming>,
    /// Drives the connection; aborted with the exchange.
    pub(crate) driver: JoinSet<()>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Broken {
    /// Nothing listens on the socket.
    Absent,
    /// The socket may not be opened.
    Refused(std::io::Error),
    /// The connection ended before the answer did.
    Lost(String),
    /// It took longer than it may.
    Slow,
}

impl Broken {
    /// The problem to tell, about a daemon on `socket`.
    pub(crate) fn into_problem(self, socket: &Path) -> Problem {
        let socket = socket.display();
        match self {
            Self::Absent => Problem::new(
                Code::NoDaemon,
                format!("No daemon answers on {socket}."),
                "Start it with `qd serve --detach`, or name its home with `--home DIR`.",
            ),
            Self::Refused(error) => Problem::new(
                Code::NoDaemon,
                format!("The daemon on {socket} cannot be reached: {error}."),
                "Look at who owns the home, and name another with `--home DIR`.",
            ),
            Self::Lost(why) => Problem::new(
                Code::NoDaemon,
                format!("The daemon on {socket} ended the connection without an answer: {why}."),
                "Try again. `daemon.log` in its home says what happened.",
            ),
            Self::Slow => Problem::new(
                Code::Timeout,
                format!("The daemon on {socket} did not answer in time."),
                "It may be at it still: look with `qd ls`, then try again.",
            ),
        }
    }
}

/// Opens a connection, sends the request, and waits for the head of the answer.
pub(crate) async fn exchange(
    socket: &Path,
    request: Request<Full<Bytes>>,
    limit: Duration,
) -> Result<Exchange, Broken> {
    let stream = connect(socket).await?;
    let lost = |error: hyper::Error| Broken::Lost(error.to_string());
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        // What ends a connection is told by the request and the body that it cuts off.
        let _ = connection.await;
    });
    let response = tokio::time::timeout(limit, sender.send_request(request))
        .await
        .map_err(|_| Broken::Slow)?
        .map_err(lost)?;
    Ok(Exchange { response, driver })
}

/// Opens a connection.
pub(crate) async fn connect(socket: &Path) -> Result<UnixStream, Broken> {
    use std::io::ErrorKind;
    let opened = tokio::time::timeout(CONNECT_LIMIT, UnixStream::connect(socket)).await;
    opened.map_err(|_| Broken::Slow)?.map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::NotADirectory => {
            Broken::Absent
        }
        // A full backlog: somebody listens, and has not come round to us.
        ErrorKind::WouldBlock | ErrorKind::ConnectionReset => Broken::Lost(error.to_string()),
        _ => Broken::Refused(error),
    })
}
