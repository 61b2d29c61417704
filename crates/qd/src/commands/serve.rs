use std::net::SocketAddr;

use clap::Args;
use qd_api::Serving;

use crate::context::Context;
use crate::failure::Failure;
use crate::serve::Options;
use crate::{commands, output, serve, start};

/// Run the daemon, in the foreground unless detached
#[derive(Debug, Args)]
#[command(
    after_help = "It listens on this machine only. To come in from elsewhere, put a proxy or \
    a tunnel in front and name it with --public-url.\n\nExample: qd serve --detach"
)]
pub struct Arguments {
    /// Where the page is served; port 0 picks a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = start::LISTEN, value_parser = address)]
    listen: SocketAddr,
    /// The address of a proxy or tunnel that leads here, such as https://qd.example.com
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Go on in the background, with the log in HOME/daemon.log
    #[arg(long)]
    detach: bool,
    /// This is the process in the background
    #[arg(long, hide = true, conflicts_with = "detach")]
    detached: bool,
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    if arguments.detach {
        let listen = arguments.listen.to_string();
        let started = start::detached(context, &listen, arguments.public_url.as_deref());
        return tell(&commands::block_on(started)?, context.json);
    }
    start::outside_sessions(&context.home)?;
    if arguments.detached {
        // Fails only for the leader of a process group, which a child of ours never is.
        rustix::process::setsid().map_err(std::io::Error::from)?;
    }
    start::make_home(&context.home)?;
    let options = Options {
        home: context.home.clone(),
        listen: arguments.listen,
        public_url: arguments.public_url,
    };
    let ended = serve::run(options, |serving| {
        start::write_serving(&context.home, serving)?;
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
