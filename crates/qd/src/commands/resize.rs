use clap::Args;
use qd_api::ResizeRequest;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::size::{self, Size};
use crate::{cli, output};

/// Set the size of a session's terminal
#[derive(Debug, Args)]
#[command(after_help = "Example: qd resize kabc 100x30")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Columns and rows
    #[arg(value_name = "COLSxROWS", value_parser = size::parse)]
    size: Size,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let Size { cols, rows } = arguments.size;
    context.client().resize(&arguments.id, &ResizeRequest { cols, rows }).await?;
    if context.json { output::json(&json!({"cols": cols, "rows": rows})) } else { Ok(()) }
}
