use std::path::PathBuf;

use qd_api::Serving;
use qd_core::Code;

use crate::failure::Failure;

/// What the daemon is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its home; it is there, with mode 0700.
    pub home: PathBuf,
    /// `ADDR:PORT` to listen on; port 0 picks one.
    pub listen: std::net::SocketAddr,
    /// The name of a proxy or tunnel that leads here.
    pub public_url: Option<String>,
}

/// Runs the daemon until it is asked to stop. `ready` is called once, when it serves.
// WIRE: the runtime, the actors and the server. Whatever is printed goes through `ready`.
pub fn run(
    options: Options,
    ready: impl FnOnce(&Serving) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let _ = (options, ready);
    Err(Failure::new(Code::Internal, NOT_WIRED, "Use a later version."))
}

/// What the placeholder says; the end-to-end tests know it and do not run then.
const NOT_WIRED: &str = "The daemon is not built in yet.";
