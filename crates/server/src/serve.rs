use std::io;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use qd_api::ConfigValue;
use qd_core::Problem;
use qd_daemon::DaemonHandle;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::allow::AllowLists;
use crate::app::{About, App, Authority};
use crate::auth::{Peer, Proven};
use crate::bind::Bound;
use crate::policy::stranger;
use crate::table::router;
use crate::tls::{Arriving, Renewal, Tls, TlsDoor};

/// How long a client has for the head of a request, and may idle between two; and the longest
/// that a connection stays of which nobody has proven who they are.
const HEAD_WITHIN: Duration = Duration::from_secs(60);

/// How long such a connection may idle.
const UNPROVEN_IDLE: Duration = Duration::from_secs(15);

/// How long such a connection stays when all are taken.
const UNPROVEN_CROWDED: Duration = Duration::from_secs(1);

/// How often room is made while all connections are taken.
const CROWDED_AGAIN: Duration = Duration::from_millis(250);

/// How long to wait after a connection could not be accepted, as when descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What a server may be told.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Addresses of proxies or tunnels that browsers reach this by.
    pub public_urls: Vec<String>,
    /// The certificate of the TCP listener, where that speaks TLS.
    pub tls: Option<Tls>,
    /// Connections at one time, of each of the two listeners; more wait in its backlog.
    pub connections: usize,
    /// How long requests and sockets may take to end once the daemon stops.
    pub drain: Duration,
    /// The daemon's version.
    pub version: String,
    /// What is in force, to be told.
    pub config: Vec<ConfigValue>,
}

/// Why a server did not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A public URL is not one, or TLS cannot be offered.
    #[error(transparent)]
    Refused(#[from] Problem),
    /// The listeners could not be handed to the runtime.
    #[error("the listeners cannot be served: {0}")]
    Listen(#[from] io::Error),
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            public_urls: vec![],
            tls: None,
            connections: 512,
            drain: Duration::from_secs(5),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config: vec![],
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
    let names = options.tls.as_ref().map(Tls::names);
    let allow = AllowLists::new(Some(bound.addr()), names, &options.public_urls)?;
    let about = About {
        version: options.version,
        addresses: addresses(&bound, options.tls.as_ref(), &options.public_urls),
        tls: options.tls.as_ref().map(|tls| tls.view().clone()),
        ca_pem: options.tls.as_ref().and_then(Tls::ca_pem),
        config: options.config,
    };
    let secure = options.tls.map(Renewal::new).transpose()?;
    let stopping = daemon.stopping();
    let app = App::new(Authority::Daemon(daemon.clone()), allow, stopping.clone(), about);
    let tcp = TcpListener::from_std(bound.tcp.try_clone()?)?;
    let unix = UnixListener::from_std(bound.unix.try_clone()?)?;
    let server = Server { router: router(&app), daemon, stopping };
    let (mut by_tcp, mut by_unix) = (JoinSet::new(), JoinSet::new());
    // Neither can take the other's room: whoever fills the port does not keep `qd` out.
    let (port, socket) = (Room::new(options.connections), Room::new(options.connections));
    let at_port = async {
        match secure {
            None => server.accept(&tcp, &port, &mut by_tcp).await,
            Some((renewal, acceptor)) => {
                let door = TlsDoor::new(tcp, acceptor);
                tokio::join!(
                    server.accept(&door, &port, &mut by_tcp),
                    renewal.run(server.stopping.clone()),
                );
            }
        }
    };
    tokio::join!(at_port, server.accept(&unix, &socket, &mut by_unix));
    // Nobody new: the listeners close, and with the last copy the socket's file goes.
    drop((unix, bound));
    app.work().close();
    let ended = async {
        while by_tcp.join_next().await.is_some() {}
        while by_unix.join_next().await.is_some() {}
        app.work().wait().await;
    };
    if timeout(options.drain, ended).await.is_err() {
        let open = by_tcp.len() + by_unix.len();
        tracing::warn!(open, "connections were cut at the deadline");
        by_tcp.shutdown().await;
        by_unix.shutdown().await;
    }
    Ok(())
}

/// Where other devices reach the page: what was named, then what the certificate is for.
fn addresses(bound: &Bound, tls: Option<&Tls>, public_urls: &[String]) -> Vec<String> {
    let named = public_urls.iter().map(|url| url.trim_end_matches('/').to_owned());
    let port = bound.addr().port();
    let own = tls.map(Tls::public_names).unwrap_or_default();
    let own = own.into_iter().map(|name| match name.parse::<Ipv6Addr>() {
        Ok(ip) => format!("https://[{ip}]:{port}"),
        Err(_) => format!("https://{name}:{port}"),
    });
    named.chain(own).collect()
}

struct Server {
    router: Router,
    daemon: DaemonHandle,
    stopping: CancellationToken,
}

/// The room of one listener for connections.
#[derive(Clone)]
struct Room {
    free: Arc<Semaphore>,
    /// Told again and again while there is none.
    crowded: Arc<Notify>,
}

impl Room {
    fn new(connections: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(connections)), crowded: Arc::new(Notify::new()) }
    }

    /// A place for one more. While there is none, those who have not proven who they are make room.
    async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        let mut entered = std::pin::pin!(Arc::clone(&self.free).acquire_owned());
        loop {
            match timeout(CROWDED_AGAIN, entered.as_mut()).await {
                Ok(permit) => return permit.ok(),
                Err(_) => self.crowded.notify_waiters(),
            }
        }
    }
}

/// One of the two listeners.
trait Listener: Sync {
    type Stream: Accepted;

    fn next(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> io::Result<TcpStream> {
        Ok(self.accept().await?.0)
    }
}

impl Listener for UnixListener {
    type Stream = UnixStream;

    async fn next(&self) -> io::Result<UnixStream> {
        Ok(self.accept().await?.0)
    }
}

impl Listener for TlsDoor {
    type Stream = Arriving;

    async fn next(&self) -> io::Result<Arriving> {
        TlsDoor::next(self).await
    }
}

/// A connection that was accepted.
trait Accepted: Send + 'static {
    /// What is spoken over.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Who is at the other end, asked once, when the connection is new: a process that is
    /// replaced later does not become somebody else.
    fn peer(&self, daemon: &DaemonHandle) -> Peer;

    /// The connection once it can be spoken over; none when that did not come about.
    fn opened(self) -> impl Future<Output = Option<Self::Stream>> + Send;
}

impl Accepted for Arriving {
    type Stream = TlsStream<TcpStream>;

    fn peer(&self, daemon: &DaemonHandle) -> Peer {
        self.tcp().peer(daemon)
    }

    async fn opened(self) -> Option<Self::Stream> {
        self.shaken().await
    }
}

impl Accepted for TcpStream {
    type Stream = Self;

    async fn opened(self) -> Option<Self> {
        Some(self)
    }

    fn peer(&self, _: &DaemonHandle) -> Peer {
        // A keystroke must not wait for the answer to the one before.
        if let Err(error) = self.set_nodelay(true) {
            tracing::debug!(%error, "no-delay could not be set");
        }
        Peer::Tcp
    }
}

impl Accepted for UnixStream {
    type Stream = Self;

    async fn opened(self) -> Option<Self> {
        Some(self)
    }

    fn peer(&self, daemon: &DaemonHandle) -> Peer {
        let cred = self.peer_cred().ok();
        let ours = cred.filter(|cred| cred.uid() == rustix::process::geteuid().as_raw());
        // A process that this one cannot see, as from another container, might be a session.
        match ours.and_then(|cred| cred.pid()).filter(|pid| *pid > 0) {
            Some(pid) => daemon.principal_of_process(pid).map_or_else(Peer::Refused, Peer::Unix),
            None => Peer::Refused(stranger()),
        }
    }
}

impl Server {
    /// Accepts from one listener until the daemon stops.
    async fn accept<L: Listener>(&self, door: &L, room: &Room, open: &mut JoinSet<()>) {
        loop {
            let permit = tokio::select! {
                () = self.stopping.cancelled() => return,
                permit = room.enter() => permit,
            };
            let Some(permit) = permit else { return };
            let accepted = tokio::select! {
                () = self.stopping.cancelled() => return,
                accepted = door.next() => accepted,
            };
            match accepted {
                Ok(stream) => {
                    let peer = stream.peer(&self.daemon);
                    let talk = self.converse(stream, peer, Arc::clone(&room.crowded));
                    open.spawn(async move {
                        talk.await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
            while open.try_join_next().is_some() {}
        }
    }

    fn converse<S: Accepted>(
        &self,
        stream: S,
        peer: Peer,
        crowded: Arc<Notify>,
    ) -> impl Future<Output = ()> + Send + use<S> {
        let proven = Proven::new(matches!(&peer, Peer::Unix(principal) if principal.is_owner()));
        let router = self.router.clone().layer(Extension(peer)).layer(Extension(proven.clone()));
        let stopping = self.stopping.clone();
        async move {
            let overdue = Instant::now() + UNPROVEN_IDLE;
            let mut leave = std::pin::pin!(unwelcome(&proven, &crowded));
            let opened = tokio::select! {
                opened = stream.opened() => opened,
                () = leave.as_mut() => return,
                () = stopping.cancelled() => return,
            };
            let Some(stream) = opened else { return };
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_WITHIN)
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
                .with_upgrades();
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = leave.as_mut() => return,
                () = ended_or_overdue(&stopping, overdue, &proven) => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection => ended,
                        () = leave => return,
                    }
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke");
            }
        }
    }
}

/// Waits until the daemon stops, or nobody has proven on a connection in time who they are: then
/// it may finish what it does, and no more.
async fn ended_or_overdue(stopping: &CancellationToken, overdue: Instant, proven: &Proven) {
    tokio::select! {
        () = stopping.cancelled() => return,
        () = sleep_until(overdue) => {}
    }
    if proven.is() {
        stopping.cancelled().await;
    }
}

/// Waits until a connection on which nobody has proven who they are has to go at once: its time
/// is over, or others wait for its place.
async fn unwelcome(proven: &Proven, crowded: &Notify) {
    let (patience, end) = (Instant::now() + UNPROVEN_CROWDED, Instant::now() + HEAD_WITHIN);
    loop {
        tokio::select! {
            () = crowded.notified() => {}
            () = sleep_until(end) => {}
        }
        if proven.is() {
            return std::future::pending().await;
        }
        if Instant::now() >= patience {
            return;
        }
    }
}
