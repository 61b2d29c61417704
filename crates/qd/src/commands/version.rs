use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::output;

/// Print the version
#[derive(Debug, Args)]
#[command(after_help = "Example: qd version --json")]
pub struct Arguments {}

/// Runs the command.
pub fn run(json: bool) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if json {
        output::json(&json!({ "version": version }))
    } else {
        output::line(&format!("qd {version}"))
    }
}
