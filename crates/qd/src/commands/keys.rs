use clap::Args;
use qd_api::Keys;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output};

/// Press keys in a session by name
#[derive(Debug, Args)]
#[command(after_help = "Names: Enter, Escape, Tab, S-Tab, Space, BSpace, Up, Down, Left, Right, \
    Home, End, PageUp, PageDown, F1 to F12, C-c (Control), M-x (Alt), or a character.\n\n\
    Example: qd keys kabc Escape C-c")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// The keys, in order
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let pressed = arguments.keys.len();
    context.client().keys(&arguments.id, &Keys { keys: arguments.keys }).await?;
    if context.json { output::json(&json!({ "pressed": pressed })) } else { Ok(()) }
}
