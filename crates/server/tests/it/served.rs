//! A daemon of a test's own, served on a port of its own, and the means to ask it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use qd_daemon::{Clock, Daemon, DaemonConfig, DaemonHandle};
use qd_server::{ListenSpec, ServeError, ServeOptions, Tls, TlsSource, bind, serve};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A daemon that is served. Ended by [`Served::end`]; dropped, what it left behind is ended too.
pub struct Served {
    pub addr: SocketAddr,
    pub token: String,
    pub socket: PathBuf,
    pub handle: DaemonHandle,
    /// A folder to work in.
    pub folder: PathBuf,
    daemon: Option<Daemon>,
    server: JoinSet<Result<(), ServeError>>,
    _terminals: Terminals,
    _dir: TempDir,
}

/// The tmux server that sessions of the test began.
struct Terminals(PathBuf);

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: hyper::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

impl Drop for Terminals {
    #[expect(clippy::disallowed_methods, reason = "the one place where a test runs a program")]
    fn drop(&mut self) {
        let mut end = std::process::Command::new("tmux");
        let _ = end.arg("-S").arg(&self.0).arg("kill-server").output();
    }
}

impl Served {
    pub async fn start() -> Self {
        Self::with(ServeOptions::default()).await
    }

    pub async fn with(options: ServeOptions) -> Self {
        Self::begin(options, false).await
    }

    /// One that speaks TLS at its port, with an authority of its own.
    pub async fn secure() -> Self {
        Self::begin(ServeOptions::default(), true).await
    }

    async fn begin(options: ServeOptions, secure: bool) -> Self {
        // Sockets have short paths.
        let dir = tempfile::Builder::new().prefix("qds").tempdir_in("/tmp").unwrap();
        let folder = dir.path().join("work");
        std::fs::create_dir(&folder).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let env = vec![
            ("PATH".into(), path),
            ("HOME".into(), dir.path().into()),
            ("SHELL".into(), "/bin/sh".into()),
        ];
        // Programs have the `qd` binary as their parent, which this crate does not build. In its
        // place stands one that keeps tmux going and starts nothing: the sessions of these tests
        // fail to start, and are sessions all the same.
        let program = dir.path().join("qd");
        let script = "#!/bin/sh\n[ \"$2\" = hold ] && exec sleep 600\nexit 1\n";
        crate::script::program(&program, script);
        let config = DaemonConfig {
            home: dir.path().join("home"),
            program,
            env,
            clock: Clock::System,
            version: "test",
        };
        let (daemon, handle) = Daemon::start(config).await.unwrap();
        let socket = daemon.home().socket();
        let tmux = std::fs::read_to_string(daemon.home().root().join("tmux.path")).unwrap();
        let tmux = PathBuf::from(tmux.trim());
        let spec =
            ListenSpec { tcp: "127.0.0.1:0".parse().unwrap(), socket: socket.clone(), tls: secure };
        let bound = bind(&spec).unwrap();
        let addr = bound.addr();
        let source = TlsSource::Authority(daemon.home().root().to_owned());
        let tls = secure.then(|| Tls::load(source, addr.ip(), Clock::System).unwrap());
        let options = ServeOptions { version: "test".into(), tls, ..options };
        let mut server = JoinSet::new();
        server.spawn(serve(bound, handle.clone(), options));
        Self {
            addr,
            token: daemon.token().to_owned(),
            socket,
            handle,
            folder,
            _terminals: Terminals(tmux),
            daemon: Some(daemon),
            server,
            _dir: dir,
        }
    }

    /// Stops the daemon and waits until the server has let everybody go.
    pub async fn end(mut self) {
        self.handle.stop(true).await.unwrap();
        let ended = timeout(PATIENCE, self.server.join_next()).await.expect("the server ends");
        ended.expect("it was started").expect("it does not panic").unwrap();
        if let Some(daemon) = self.daemon.take() {
            daemon.stop().await;
        }
    }

    /// A request with the owner's token.
    pub fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request<Full<Bytes>> {
        let mut request = self.plain(method, path, body);
        let value = format!("Bearer {}", self.token).parse().unwrap();
        request.headers_mut().insert("authorization", value);
        request
    }

    /// A request without a token.
    pub fn plain(&self, method: &str, path: &str, body: Option<&Value>) -> Request<Full<Bytes>> {
        let mut request =
            Request::builder().method(method).uri(path).header("host", self.addr.to_string());
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map(ToString::to_string).unwrap_or_default();
        request.body(Full::new(Bytes::from(body))).unwrap()
    }

    pub async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        read(self.send(self.request(method, path, body)).await).await
    }

    pub async fn send(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        exchange(TcpStream::connect(self.addr).await.unwrap(), request).await
    }

    pub async fn send_by_socket(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        exchange(UnixStream::connect(&self.socket).await.unwrap(), request).await
    }

    /// What makes a session in the test's folder.
    pub fn new_session(&self, title: &str) -> Value {
        let repo = self.folder.to_str().unwrap();
        json!({ "repo": repo, "in_place": true, "shared": true, "command": ["true"], "title": title })
    }

    /// Makes a session and gives its id.
    pub async fn session(&self, title: &str) -> String {
        let made = self.ask("POST", "/api/v1/sessions", Some(&self.new_session(title))).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["id"].as_str().unwrap().to_owned()
    }
}

pub async fn read(response: Response<Incoming>) -> Answer {
    let (parts, body) = response.into_parts();
    let bytes = timeout(PATIENCE, body.collect()).await.unwrap().unwrap().to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Answer { status: parts.status, headers: parts.headers, body }
}

#[expect(clippy::disallowed_methods, reason = "a connection ends with the runtime of its test")]
pub async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Response<Incoming>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    timeout(PATIENCE, sender.send_request(request)).await.expect("an answer in time").unwrap()
}

/// Asks until the answer fits.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, ask: impl Fn() -> F) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Whether a path is a socket that somebody listens on.
pub async fn listens(path: &Path) -> bool {
    UnixStream::connect(path).await.is_ok()
}
