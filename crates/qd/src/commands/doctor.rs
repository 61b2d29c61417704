use clap::Args;
use qd_api::{Check, DoctorReport};
use qd_core::Code;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::process::command;

/// Say what is missing or wrong, and the mend
#[derive(Debug, Args)]
#[command(after_help = "It ends with exit code 1 when something is wrong.\n\nExample: qd doctor")]
pub struct Arguments {}

/// Runs the command.
pub async fn run(_: Arguments, context: &Context) -> Result<(), Failure> {
    let report = match context.client().doctor().await {
        Ok(report) => report,
        Err(problem) if problem.code == Code::NoDaemon => alone(context),
        Err(problem) => return Err(problem.into()),
    };
    if context.json {
        output::json(&report)?;
    } else {
        output::raw(text(&report).as_bytes())?;
    }
    if report.ok { Ok(()) } else { Err(Failure::Told(Exit::Failed)) }
}

/// What can be seen without a daemon: why it may not start.
fn alone(context: &Context) -> DoctorReport {
    let mut checks = vec![
        program("git", "--version", "Install git 2.39 or later."),
        program("tmux", "-V", "Install tmux 3.3 or later."),
    ];
    checks.push(home(context));
    checks.push(Check {
        name: "daemon".to_owned(),
        state: "warning".to_owned(),
        found: "none runs for this home; what only it knows was not looked at".to_owned(),
        mend: Some("Start it with `qd serve --detach`.".to_owned()),
    });
    DoctorReport { ok: checks.iter().all(|check| check.state != "wrong"), checks }
}

fn program(name: &str, version: &str, mend: &str) -> Check {
    let told = command(name).arg(version).stdin(std::process::Stdio::null()).output();
    let (state, found, mend) = match told {
        Ok(told) if told.status.success() => {
            ("ok", String::from_utf8_lossy(&told.stdout).trim().to_owned(), None)
        }
        Ok(told) => ("wrong", format!("it ends with {}", told.status), Some(mend)),
        Err(error) => ("wrong", format!("it cannot be started: {error}"), Some(mend)),
    };
    Check { name: name.to_owned(), state: state.to_owned(), found, mend: mend.map(str::to_owned) }
}

fn home(context: &Context) -> Check {
    use rustix::fs::{Access, access};
    // The nearest folder that is there decides, when the home is not made yet.
    let there = context.home.ancestors().find(|path| path.exists());
    let writable =
        there.is_some_and(|path| path.is_dir() && access(path, Access::WRITE_OK).is_ok());
    let path = context.home.display();
    let (state, found, mend) = if writable {
        ("ok", format!("{path} can be written"), None)
    } else {
        let mend = "Mend its permissions, or name another home with `--home DIR`.";
        ("wrong", format!("{path} cannot be written"), Some(mend.to_owned()))
    };
    Check { name: "home".to_owned(), state: state.to_owned(), found, mend }
}

fn text(report: &DoctorReport) -> String {
    let mut text = String::new();
    for check in &report.checks {
        let line = format!("{:<8} {}: {}", check.state, check.name, check.found);
        text.push_str(&output::plain(&line));
        text.push('\n');
        if let Some(mend) = &check.mend {
            text.push_str(&format!("         {}\n", output::plain(mend)));
        }
    }
    text
}
