use std::io::{BufRead as _, IsTerminal as _, Write as _};

use clap::Args;
use qd_api::{LossView, SessionView};
use qd_core::{Action, Code};

use crate::act::{self, Sessions};
use crate::context::Context;
use crate::failure::Failure;
use crate::{loss, output};

/// End sessions in the trash for good; what was kept of them is deleted
#[derive(Debug, Args)]
#[command(after_help = "It asks first, at a terminal; elsewhere it needs --yes.\n\n\
    Example: qd purge kabc --yes")]
pub struct Arguments {
    #[command(flatten)]
    sessions: Sessions,
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
    if !arguments.yes {
        let mut trashed = vec![];
        for id in &arguments.sessions.ids {
            // Others are refused without a question.
            if let Ok(session) = context.client().session(id).await
                && session.state == "trashed"
            {
                let at_stake = context.client().loss(&session.id).await?;
                trashed.push((session, at_stake));
            }
        }
        if !trashed.is_empty() && !ask(&trashed)? {
            return Err(refused("Nothing was purged."));
        }
    }
    act::run(&arguments.sessions, Action::Purge, context).await
}

fn ask(sessions: &[(SessionView, LossView)]) -> Result<bool, Failure> {
    let mut err = std::io::stderr().lock();
    for (session, at_stake) in sessions {
        writeln!(err, "{} will be gone for good.", output::quoted(&session.title))?;
        for line in loss::before_purge(at_stake) {
            writeln!(err, "{line}")?;
        }
    }
    let (question, title) = match sessions {
        [(one, _)] => ("Type its title, or y, to go on: ", one.title.as_str()),
        _ => ("Type y to go on: ", "y"),
    };
    write!(err, "{question}")?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(agrees(&answer, title))
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
