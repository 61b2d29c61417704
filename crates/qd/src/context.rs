use std::path::PathBuf;

use qd_client::Client;

/// What every command needs to know.
#[derive(Clone, Debug)]
pub struct Context {
    /// The daemon's home, as a whole path.
    pub home: PathBuf,
    /// Whether a program reads our output.
    pub json: bool,
}

impl Context {
    /// The daemon of the home; whether it runs is not asked.
    pub fn client(&self) -> Client {
        Client::of_home(&self.home)
    }
}
