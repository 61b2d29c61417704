use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use qd_api::{Serving, TlsView};
use qd_core::Code;
use qd_daemon::Clock;
use qd_server::{Tls, TlsSource};

use super::stop;
use crate::context::Context;
use crate::failure::Failure;
use crate::serve::Options;
use crate::{commands, config, output, serve, start};

/// Run the daemon, in the foreground unless detached
#[derive(Debug, Args)]
#[command(
    after_help = "It listens on this machine only. To come in from elsewhere, take --tls with an \
    address of your network, or put a proxy or a tunnel in front and name it with --public-url.\n\n\
    --tls alone makes a certificate authority of its own, in HOME/tls. Other devices install \
    HOME/tls/ca.pem once; `qd pair` says how. It can vouch for this machine's name and private \
    addresses only.\n\nAfter an \
    upgrade, --replace hands the home from the old daemon to this program: viewers connect again \
    by themselves, programs notice nothing.\n\nExample: qd serve --detach\n\
    Example: qd serve --replace --detach\n\
    Example: qd serve --detach --tls --listen 0.0.0.0:4747"
)]
pub struct Arguments {
    #[command(flatten)]
    listening: Listening,
    /// Go on in the background, with the log in HOME/daemon.log
    #[arg(long)]
    detach: bool,
    /// Take over from the daemon that runs, of whatever version; no session ends
    #[arg(long)]
    replace: bool,
    /// This is the process in the background
    #[arg(long, hide = true, conflicts_with = "detach")]
    detached: bool,
}

/// Where a daemon is to be found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Listening {
    /// Where the page is served; port 0 picks a free one [default: 127.0.0.1:4747, or where the
    /// daemon that is replaced was]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// The address of a proxy or tunnel that leads here, such as https://qd.example.com
    /// [default: that of the daemon that is replaced, else none]
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Speak HTTPS, with a certificate of an authority in the home, or with one that is given
    /// [default: as the daemon that is replaced]
    #[arg(long)]
    pub tls: bool,
    /// The certificate to show, in PEM, with those that lead to its root after it; implies --tls
    #[arg(long, value_name = "FILE", requires = "tls_key", value_parser = whole)]
    pub tls_cert: Option<PathBuf>,
    /// The key of that certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_parser = whole)]
    pub tls_key: Option<PathBuf>,
}

impl Listening {
    /// The arguments that say so.
    pub fn arguments(&self) -> Vec<String> {
        let listen = self.listen.map(|listen| format!("--listen={listen}"));
        let public = self.public_url.as_ref().map(|url| format!("--public-url={url}"));
        let path = |name: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| format!("--{name}={}", path.display()))
        };
        let tls = self.tls.then(|| "--tls".to_owned());
        let (cert, key) = (path("tls-cert", &self.tls_cert), path("tls-key", &self.tls_key));
        [listen, public, tls, cert, key].into_iter().flatten().collect()
    }

    /// Where the certificate comes from, where there is one.
    pub fn tls_source(&self, home: &Path) -> Option<TlsSource> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                Some(TlsSource::Files { certificate: certificate.clone(), key: key.clone() })
            }
            _ => self.tls.then(|| TlsSource::Authority(home.to_path_buf())),
        }
    }

    /// What is not said is as it was with the daemon before.
    fn or(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        // Of who asks for an authority of our own, the files of before are not meant.
        let files = if self.tls || self.tls_cert.is_some() {
            (self.tls_cert, self.tls_key)
        } else {
            (before.tls_cert, before.tls_key)
        };
        Self {
            tls: self.tls || before.tls,
            tls_cert: files.0,
            tls_key: files.1,
            listen: self.listen.or(before.listen),
            public_url: self.public_url.or(before.public_url),
        }
    }
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    start::outside_sessions(&context.home)?;
    let mut listening = arguments.listening;
    if arguments.replace {
        can_be_shown(&listening, &context.home)?;
        let before = start::read_listening(&context.home);
        if commands::block_on(replace(context))? {
            listening = listening.or(before);
        }
    }
    if arguments.detach {
        let started = start::detached(context, &listening);
        return tell(&commands::block_on(started)?, context.json);
    }
    if arguments.detached {
        // Fails only for the leader of a process group, which a child of ours never is.
        rustix::process::setsid().map_err(std::io::Error::from)?;
    }
    start::make_home(&context.home)?;
    let options = Options {
        home: context.home.clone(),
        listen: listening.listen.unwrap_or(start::LISTEN),
        public_url: listening.public_url.clone(),
        tls: listening.tls_source(&context.home),
        config: config::values(&listening, &context.home),
    };
    let ended = serve::run(options, |serving, listen| {
        let listening = Listening { listen: Some(listen), ..listening.clone() };
        start::write_serving(&context.home, serving, &listening)?;
        tell(serving, context.json)?;
        if arguments.detached {
            // Whoever started us reads no more than that line.
            rustix::stdio::dup2_stdout(std::io::stderr()).map_err(std::io::Error::from)?;
        }
        Ok(())
    });
    if ended.is_ok() {
        start::remove_serving(&context.home);
    }
    ended
}

/// Looks at a given certificate before anything is done: a daemon that works is not given up for
/// one that does not.
fn can_be_shown(listening: &Listening, home: &Path) -> Result<(), Failure> {
    if let Some(source @ TlsSource::Files { .. }) = listening.tls_source(home) {
        Tls::load(source, IpAddr::V4(Ipv4Addr::LOCALHOST), Clock::System)?;
    }
    Ok(())
}

/// Ends the daemon that runs, when there is one, and no session. Not before it is known that this
/// program can read the database: a daemon that works is not given up for one that does not.
async fn replace(context: &Context) -> Result<bool, Failure> {
    let client = context.client();
    match client.health().await {
        Ok(_) => {}
        Err(problem) if problem.code == Code::NoDaemon => return Ok(false),
        Err(problem) if problem.code == Code::DaemonStopping => {}
        Err(problem) => return Err(problem.into()),
    }
    qd_daemon::can_read(&context.home)?;
    match stop::end(&client, false).await {
        Ok(()) => Ok(true),
        // It went by itself meanwhile.
        Err(Failure::Problem(problem)) if problem.code == Code::NoDaemon => Ok(true),
        Err(failure) => Err(failure),
    }
}

/// Prints where a daemon serves.
pub fn tell(serving: &Serving, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(serving);
    }
    output::line(&format!("Serving {}\nLog in: {}", serving.url, serving.login_url))?;
    serving.tls.as_ref().map_or(Ok(()), |tls| output::line(&certificate(tls)))
}

/// What is to be known of the certificate: its fingerprint, and how other devices come to trust it.
pub fn certificate(tls: &TlsView) -> String {
    let mut text = format!("Certificate: SHA-256 {}, until {}", tls.sha256, tls.expires_at);
    if let (Some(file), Some(sha256)) = (&tls.ca_file, &tls.ca_sha256) {
        text.push_str(&format!(
            "\nAuthority: {}\n           SHA-256 {sha256}\n           Install it where you open \
             the page: `qd pair` says how on a phone.",
            output::plain(file)
        ));
    }
    text
}

fn whole(text: &str) -> Result<PathBuf, String> {
    let whole = std::path::absolute(text).map_err(|_| "a file is wanted".to_owned())?;
    // It is handed on as text, to a daemon in the background and into a unit.
    if whole.to_str().is_some() { Ok(whole) } else { Err("the path is not UTF-8".to_owned()) }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let text = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    text.parse().map_err(|_| "an address is ADDR:PORT, such as 127.0.0.1:4747".to_owned())
}

/// Before anything is done with it: with `--replace` a daemon that works would have ended already.
fn public_url(text: &str) -> Result<String, String> {
    qd_server::check_public_url(text).map(|()| text.to_owned()).map_err(|_| {
        "the address that the browser shows is wanted, such as https://qd.example.com, with no path"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_handed_on_and_what_is_not_is_as_before() {
        use clap::Parser as _;
        #[derive(Debug, clap::Parser)]
        struct Only {
            #[command(flatten)]
            listening: Listening,
        }
        let read = |args: &[String]| {
            let args = std::iter::once("x".to_owned()).chain(args.iter().cloned());
            Only::try_parse_from(args).map(|only| only.listening)
        };
        let given = Listening {
            listen: Some(SocketAddr::from(([0, 0, 0, 0], 1))),
            public_url: Some("https://x".into()),
            tls: false,
            tls_cert: Some("/c".into()),
            tls_key: Some("/k".into()),
        };
        assert_eq!(read(&given.arguments()).unwrap(), given);
        assert_eq!(Listening::default().or(Some(given.clone())), given);
        let own = Listening { tls: true, ..Listening::default() };
        let after = own.or(Some(given.clone()));
        assert_eq!(after.tls_source(Path::new("/h")), Some(TlsSource::Authority("/h".into())));
        assert_eq!(after.listen, given.listen);
        assert!(read(&["--tls-cert=/c".to_owned()]).is_err(), "a key is wanted");
    }

    #[test]
    fn addresses_have_a_port() {
        assert_eq!(address("localhost:0"), Ok(SocketAddr::from(([127, 0, 0, 1], 0))));
        assert!(address("[::1]:4747").is_ok());
        for bad in ["", "4747", "127.0.0.1", "example.com:80", "localhost:x"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
