use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::commands;

/// Mission control for terminal coding agents: each in its own terminal and git worktree.
///
/// Without a command: starts the daemon if none runs, and prints the link to the page.
#[derive(Debug, Parser)]
#[command(name = "qd", version, term_width = 100, propagate_version = false)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused or \
    conflict, 5 time-out, 6 no daemon.\n\
    ID is a session's id, a unique prefix of it, or title:TEXT.\n\n\
    Example: qd new --agent claude --prompt 'fix the login'")]
pub struct Cli {
    /// The daemon's home [default: $QD_HOME, else ~/.local/share/quarterdeck]
    #[arg(long, value_name = "DIR", global = true, value_hint = clap::ValueHint::DirPath)]
    pub home: Option<PathBuf>,
    /// Print JSON for programs: one value, or one a line for streams
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Serve(commands::serve::Arguments),
    Stop(commands::stop::Arguments),
    New(Box<commands::new::Arguments>),
    Run(commands::run::Arguments),
    Adopt(commands::adopt::Arguments),
    Ls(commands::ls::Arguments),
    Show(commands::show::Arguments),
    Screen(commands::screen::Arguments),
    Send(commands::send::Arguments),
    Keys(commands::keys::Arguments),
    Wait(commands::wait::Arguments),
    Attach(commands::attach::Arguments),
    Logs(commands::logs::Arguments),
    Resize(commands::resize::Arguments),
    Rename(commands::rename::Arguments),
    Edit(commands::edit::Arguments),
    Pause(commands::pause::Arguments),
    Resume(commands::resume::Arguments),
    Hibernate(commands::hibernate::Arguments),
    Wake(commands::wake::Arguments),
    Restart(commands::restart::Arguments),
    Rm(commands::rm::Arguments),
    Trash(commands::trash::Arguments),
    Restore(commands::restore::Arguments),
    Purge(commands::purge::Arguments),
    Shell(commands::shell::Arguments),
    Fork(commands::fork::Arguments),
    Diff(commands::diff::Arguments),
    Ship(commands::ship::Arguments),
    Events(commands::events::Arguments),
    Pair(commands::pair::Arguments),
    Devices(commands::devices::Arguments),
    Service(commands::service::Arguments),
    Rules(commands::rules::Arguments),
    Export(commands::export::Arguments),
    Backup(commands::backup::Arguments),
    RestoreBackup(commands::restore_backup::Arguments),
    Config(commands::config::Arguments),
    Doctor(commands::doctor::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
    Version(commands::version::Arguments),
}

/// Reads an ID argument: the daemon resolves it.
///
/// # Errors
/// One sentence, when there is nothing in it.
pub fn id(text: &str) -> Result<String, String> {
    if text.is_empty() || text == "title:" {
        Err("an ID is a session's id, a unique prefix of it, or title:TEXT".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// Reads a number of seconds, such as `30` or `0.5`.
///
/// # Errors
/// One sentence, when it is no such number.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "a time-out is a number of seconds, such as 30".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_holds_together() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn json_and_home_stand_anywhere() {
        for args in [
            ["qd", "--json", "--home", "/h", "show", "k"],
            ["qd", "show", "k", "--json", "--home", "/h"],
            ["qd", "--home", "/h", "show", "--json", "k"],
        ] {
            let cli = Cli::try_parse_from(args).unwrap();
            assert!(cli.json, "{args:?}");
            assert_eq!(cli.home, Some("/h".into()), "{args:?}");
        }
    }

    #[test]
    fn two_dashes_end_the_options() {
        let cli = Cli::try_parse_from(["qd", "send", "k", "--", "--json", "--enter"]).unwrap();
        assert!(!cli.json);
        let Some(Command::Send(send)) = cli.command else { panic!("not send") };
        assert_eq!(send.text, ["--json", "--enter"]);
        assert!(!send.enter);
    }

    #[test]
    fn seconds_are_finite_and_not_below_zero() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        for bad in ["", "-1", "nan", "inf", "1e400", "5s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
