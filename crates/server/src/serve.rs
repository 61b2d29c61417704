use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use qd_core::Problem;
use qd_daemon::DaemonHandle;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::allow::AllowLists;
use crate::app::{App, Authority};
use crate::auth::Peer;
use crate::bind::Bound;
use crate::table::router;

/// Connections at one time; more wait in the backlog.
const CONNECTIONS_MOST: usize = 512;

/// How long a client has for the head of a request, and may idle between two.
const HEAD_WITHIN: Duration = Duration::from_secs(60);

/// How long to wait after a connection could not be accepted, as when descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What a server may be told.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Addresses of proxies or tunnels that browsers reach this by.
    pub public_urls: Vec<String>,
    /// How long requests and sockets may take to end once the daemon stops.
    pub drain: Duration,
    /// The daemon's version.
    pub version: String,
}

/// Why a server did not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A public URL is not one.
    #[error(transparent)]
    PublicUrl(#[from] Problem),
    /// The listeners could not be handed to the runtime.
    #[error("the listeners cannot be served: {0}")]
    Listen(#[from] io::Error),
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            public_urls: vec![],
            drain: Duration::from_secs(5),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Serves both listeners until the daemon stops, then ends every connection: those that work
/// finish their request, sockets are closed with 1001, and what is left at the deadline is cut.
///
/// # Errors
/// [`ServeError`], before anything is served.
pub async fn serve(
    bound: Bound,
    daemon: DaemonHandle,
    options: ServeOptions,
) -> Result<(), ServeError> {
    let allow = AllowLists::new(Some(bound.addr()), &options.public_urls)?;
    let stopping = daemon.stopping();
    let app = App::new(Authority::Daemon(daemon.clone()), allow, stopping.clone(), options.version);
    let tcp = TcpListener::from_std(bound.tcp.try_clone()?)?;
    let unix = UnixListener::from_std(bound.unix.try_clone()?)?;
    let server = Server {
        router: router(&app),
        daemon,
        stopping: stopping.clone(),
        room: Arc::new(Semaphore::new(CONNECTIONS_MOST)),
    };
    let mut connections = JoinSet::new();
    server.accept(&tcp, &unix, &mut connections).await;
    // Nobody new: the listeners close, and with the last copy the socket's file goes.
    drop((tcp, unix, bound));
    app.work().close();
    let ended = async {
        while connections.join_next().await.is_some() {}
        app.work().wait().await;
    };
    if timeout(options.drain, ended).await.is_err() {
        tracing::warn!(open = connections.len(), "connections were cut at the deadline");
        connections.shutdown().await;
    }
    Ok(())
}

struct Server {
    router: Router,
    daemon: DaemonHandle,
    stopping: CancellationToken,
    room: Arc<Semaphore>,
}

impl Server {
    async fn accept(&self, tcp: &TcpListener, unix: &UnixListener, open: &mut JoinSet<()>) {
        loop {
            let permit = tokio::select! {
                () = self.stopping.cancelled() => return,
                permit = Arc::clone(&self.room).acquire_owned() => permit,
            };
            let Ok(permit) = permit else { return };
            let accepted = tokio::select! {
                () = self.stopping.cancelled() => return,
                accepted = tcp.accept() => accepted.map(|(stream, _)| self.on_tcp(stream, permit, open)),
                accepted = unix.accept() => accepted.map(|(stream, _)| self.on_unix(stream, permit, open)),
            };
            if let Err(error) = accepted {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
            while open.try_join_next().is_some() {}
        }
    }

    fn on_tcp(&self, stream: TcpStream, permit: OwnedSemaphorePermit, open: &mut JoinSet<()>) {
        // A keystroke must not wait for the answer to the one before.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no-delay could not be set");
        }
        let (router, stopping) = (self.router.clone(), self.stopping.clone());
        open.spawn(async move {
            converse(stream, Peer::Tcp, router, stopping).await;
            drop(permit);
        });
    }

    fn on_unix(&self, stream: UnixStream, permit: OwnedSemaphorePermit, open: &mut JoinSet<()>) {
        let (router, stopping) = (self.router.clone(), self.stopping.clone());
        let daemon = self.daemon.clone();
        open.spawn(async move {
            let peer = peer_of(&stream, &daemon).await;
            converse(stream, peer, router, stopping).await;
            drop(permit);
        });
    }
}

/// Who is at the other end of a Unix socket, asked once, as it is when the connection is new: a
/// process that is replaced later does not become somebody else.
async fn peer_of(stream: &UnixStream, daemon: &DaemonHandle) -> Peer {
    let Ok(cred) = stream.peer_cred() else { return Peer::Stranger };
    if cred.uid() != rustix::process::geteuid().as_raw() {
        return Peer::Stranger;
    }
    // A process that this one cannot see, as from another container, might be a session.
    match cred.pid().filter(|pid| *pid > 0) {
        Some(pid) => Peer::Unix(daemon.principal_of_process(pid).await),
        None => Peer::Stranger,
    }
}

async fn converse<S>(stream: S, peer: Peer, router: Router, stopping: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router.layer(Extension(peer)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}
