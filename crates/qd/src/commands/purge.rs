use std::io::{BufRead as _, IsTerminal as _, Write as _};

use clap::Args;
use qd_api::{LossView, SessionView};
use qd_core::{Action, Code};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, loss, operation, output};

/// End a session in the trash for good; what was kept of it is deleted
#[derive(Debug, Args)]
#[command(after_help = "It asks first, at a terminal; elsewhere it needs --yes.\n\n\
    Example: qd purge kabc --yes")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    // Refused before anything is asked of the daemon.
    if !arguments.yes && !std::io::stdin().is_terminal() {
        return Err(refused("Purging cannot be undone, and there is no terminal to ask at."));
    }
    let client = context.client();
    let session = client.session(&arguments.id).await?;
    if session.state == "trashed"
        && !arguments.yes
        && !ask(&session, &client.loss(&session.id).await?)?
    {
        return Err(refused("It was not purged."));
    }
    let mut events = client.events(None).await?;
    let begun = client.act(&session.id, Action::Purge).await?;
    operation::finish(&client, &mut events, begun).await?;
    if context.json {
        return output::json(&json!({"id": session.id, "purged": true}));
    }
    output::line(&format!("{} is purged.", output::quoted(&session.title)))
}

fn ask(session: &SessionView, loss: &LossView) -> Result<bool, Failure> {
    let mut err = std::io::stderr().lock();
    let title = output::quoted(&session.title);
    writeln!(err, "{title} will be gone for good.")?;
    for line in loss::before_purge(loss) {
        writeln!(err, "{line}")?;
    }
    write!(err, "Type its title, or y, to go on: ")?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(agrees(&answer, &session.title))
}

fn agrees(answer: &str, title: &str) -> bool {
    let answer = answer.trim();
    answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes") || answer == title.trim()
}

fn refused(message: &str) -> Failure {
    let hint = "Nothing was changed. Say `--yes` to purge without a question.";
    Failure::new(Code::NotAllowed, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_or_the_title_agrees() {
        for answer in ["y\n", "Y", "yes\n", "Fix login\n"] {
            assert!(agrees(answer, "Fix login"), "{answer}");
        }
        for answer in ["", "\n", "n\n", "fix login", "ye"] {
            assert!(!agrees(answer, "Fix login"), "{answer}");
        }
    }
}
