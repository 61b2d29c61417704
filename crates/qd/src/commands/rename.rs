use clap::Args;
use qd_api::Change;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output, words};

/// Give a session another title; nothing else changes
#[derive(Debug, Args)]
#[command(after_help = "The id, the branch and the folder stay as they are.\n\n\
    Example: qd rename kabc 'Fix the login'")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// The new title: 1 to 200 characters
    #[arg(value_name = "TITLE", allow_hyphen_values = true)]
    title: String,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let before = client.session(&arguments.id).await?;
    let change = Change { title: Some(arguments.title), ..Change::default() };
    let after = client.change(&before.id, &change, None).await?;
    if context.json {
        return output::json(&after);
    }
    let (from, to) = (output::quoted(&before.title), output::quoted(&after.title));
    let undo = words::quote(&output::plain(&before.title));
    output::line(&format!("{from} is {to} now. Undo with `qd rename {} {undo}`.", after.id))
}
