use std::net::SocketAddr;

use clap::Args;
use qd_api::Serving;
use qd_core::Code;

use super::stop;
use crate::context::Context;
use crate::failure::Failure;
use crate::serve::Options;
use crate::{commands, output, serve, start};

/// Run the daemon, in the foreground unless detached
#[derive(Debug, Args)]
#[command(
    after_help = "It listens on this machine only. To come in from elsewhere, put a proxy or \
    a tunnel in front and name it with --public-url.\n\nAfter an \
    upgrade, --replace hands the home from the old daemon to this program: viewers connect again \
    by themselves, programs notice nothing.\n\nExample: qd serve --detach\n\
    Example: qd serve --replace --detach"
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
}

impl Listening {
    /// The arguments that say so.
    pub fn arguments(&self) -> Vec<String> {
        let listen = self.listen.map(|listen| format!("--listen={listen}"));
        let public = self.public_url.as_ref().map(|url| format!("--public-url={url}"));
        listen.into_iter().chain(public).collect()
    }

    /// What is not said is as it was with the daemon before.
    fn or(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        Self {
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
    output::line(&format!("Serving {}\nLog in: {}", serving.url, serving.login_url))
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
    fn addresses_have_a_port() {
        assert_eq!(address("localhost:0"), Ok(SocketAddr::from(([127, 0, 0, 1], 0))));
        assert!(address("[::1]:4747").is_ok());
        for bad in ["", "4747", "127.0.0.1", "example.com:80", "localhost:x"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
