use std::path::PathBuf;

use qd_api::{ConfigValue, Serving};
use qd_daemon::{Claim, Clock, Daemon, DaemonConfig, DaemonHandle};
use qd_server::{Bound, ListenSpec, ServeOptions, Tls, TlsSource};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;
use crate::output;

/// The version that the daemon says it has.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the daemon is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its home; it is there, with mode 0700.
    pub home: PathBuf,
    /// `ADDR:PORT` to listen on; port 0 picks one.
    pub listen: std::net::SocketAddr,
    /// The name of a proxy or tunnel that leads here.
    pub public_url: Option<String>,
    /// Where the certificate comes from, where TLS is spoken.
    pub tls: Option<TlsSource>,
    /// What is in force, to be told.
    pub config: Vec<ConfigValue>,
}

/// Runs the daemon until it is asked to stop. `ready` is called once, when it
/// serves, with the address that it listens on.
///
/// # Errors
/// When the home, the store or the address cannot be had.
pub fn run(
    options: Options,
    ready: impl FnOnce(&Serving, std::net::SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let filter = EnvFilter::try_from_env("QD_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours);
    // A log on a full disk must not end the daemon: to complain of it on stderr would panic.
    log.log_internal_errors(false).with_writer(std::io::stderr).init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(options, ready))
}

async fn serve(
    options: Options,
    ready: impl FnOnce(&Serving, std::net::SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Before anybody is told that it serves.
    options.public_url.as_deref().map_or(Ok(()), qd_server::check_public_url)?;
    let claim = Claim::take(&options.home)?;
    // Before a session is touched: with the port taken, nothing has been joined and let go for
    // nothing. Clients that come meanwhile wait in the backlog.
    let spec = ListenSpec {
        tcp: options.listen,
        socket: claim.home().socket(),
        tls: options.tls.is_some(),
    };
    let bound = qd_server::bind(&spec)?;
    // Before a session is touched, too: who cannot be shown to be himself does not serve.
    let load = |source| Tls::load(source, bound.addr().ip(), Clock::System);
    let tls = options.tls.clone().map(load).transpose()?;
    let config = DaemonConfig {
        home: options.home.clone(),
        program: std::env::current_exe()?,
        env: std::env::vars_os().collect(),
        clock: Clock::System,
        version: VERSION,
    };
    let (daemon, handle) = Daemon::start_in(claim, config).await?;
    let served = listen(options, tls, bound, (&daemon, &handle), ready).await;
    handle.stopping().cancel();
    daemon.stop().await;
    served
}

async fn listen(
    options: Options,
    tls: Option<Tls>,
    bound: Bound,
    (daemon, handle): (&Daemon, &DaemonHandle),
    ready: impl FnOnce(&Serving, std::net::SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let url = options
        .public_url
        .clone()
        .map_or_else(|| bound.url(), |url| url.trim_end_matches('/').to_owned());
    let serving = Serving {
        login_url: format!("{url}/login#{}", handle.login_code().await?),
        url,
        socket: bound.socket().to_string_lossy().into_owned(),
        pid: std::process::id(),
        home: daemon.home().root().to_string_lossy().into_owned(),
        version: VERSION.to_owned(),
        tls: tls.as_ref().map(|tls| tls.view().clone()),
    };
    // Requests wait in the listeners' queues until they are served, a moment from now.
    ready(&serving, bound.addr())?;
    let server = qd_server::serve(
        bound,
        handle.clone(),
        ServeOptions {
            public_urls: options.public_url.into_iter().collect(),
            tls,
            config: options.config,
            ..ServeOptions::default()
        },
    );
    let stop = handle.stopping();
    let asked = async {
        let (mut end, mut interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        // The terminal that it was started in may close; the daemon goes on.
        let mut hang_up = signal(SignalKind::hangup())?;
        loop {
            tokio::select! {
                _ = end.recv() => break,
                _ = interrupt.recv() => {
                    output::note("Stopping. Sessions go on; start it again to see them.");
                    break;
                }
                _ = hang_up.recv() => {}
            }
        }
        stop.cancel();
        std::io::Result::Ok(())
    };
    tokio::pin!(server, asked);
    tokio::select! {
        served = &mut server => return served.map_err(server_failure),
        signals = &mut asked => signals?,
    }
    server.await.map_err(server_failure)
}

fn server_failure(error: qd_server::ServeError) -> Failure {
    match error {
        qd_server::ServeError::Refused(problem) => problem.into(),
        other => std::io::Error::other(other.to_string()).into(),
    }
}
