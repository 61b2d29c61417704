use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output};

/// Print what is on a session's screen now
#[derive(Debug, Args)]
#[command(after_help = "Example: qd screen kabc --history")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// With escape sequences for colours
    #[arg(long)]
    ansi: bool,
    /// With the lines from before the screen, too
    #[arg(long)]
    history: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let screen = context.client().screen(&arguments.id, arguments.ansi, arguments.history).await?;
    if context.json {
        return output::json(&screen);
    }
    let mut text = String::new();
    // The empty rows below the last text say nothing.
    let used = screen.lines.iter().rposition(|line| !output::plain(line).trim().is_empty());
    for line in screen.lines.iter().take(used.map_or(0, |last| last + 1)) {
        if arguments.ansi {
            text.push_str(line);
            text.push_str("\u{1b}[0m\n");
        } else {
            text.push_str(&output::plain(line));
            text.push('\n');
        }
    }
    output::raw(text.as_bytes())
}
