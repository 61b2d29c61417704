mod host;
mod launchd;
mod systemd;

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use qd_core::Code;
use serde_json::json;

use self::host::Manager;
use crate::commands::serve;
use crate::context::Context;
use crate::failure::Failure;
use crate::{output, start};

/// What tells a unit of ours from one that somebody wrote.
const MARK: &str = "Written by `qd service install`";
/// Variables of this moment that programs in sessions need. A service manager knows few.
const PASSED_ON: [&str; 6] = ["PATH", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "QD_LOG"];

/// Have the daemon started with the machine, by systemd or launchd
#[derive(Debug, Args)]
#[command(after_help = "The daemon may stop and start as often as it likes; sessions go on. \
    With systemd, `loginctl enable-linger` keeps it and them while you are logged out.\n\n\
    Example: qd service install --public-url https://qd.example.com\n\
    Example: qd service status")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the unit and start it; a daemon that runs is taken over, and no session ends
    #[command(after_help = "The PATH of now is written into the unit, so that agents are found. \
        Install again after it or the options have changed.\n\n\
        Example: qd service install --listen 127.0.0.1:4750")]
    Install {
        #[command(flatten)]
        options: serve::Listening,
        /// Only print the unit
        #[arg(long)]
        print: bool,
    },
    /// Stop the daemon and take the unit away; sessions go on
    #[command(after_help = "Example: qd service remove")]
    Remove,
    /// Say whether the unit is there, and whether it runs
    #[command(after_help = "Example: qd service status --json")]
    Status,
}

/// What a unit is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unit {
    /// The program and its arguments.
    argv: Vec<String>,
    /// Variables and values.
    env: Vec<(String, String)>,
    /// The daemon's home.
    home: String,
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let manager = Manager::here()?;
    match arguments.command {
        Command::Install { options, print: true } => print(&manager, &options, context),
        Command::Install { options, print: false } => {
            start::by_the_owner(&context.home)?;
            install(&manager, &options, context)
        }
        Command::Remove => {
            start::by_the_owner(&context.home)?;
            remove(&manager, context)
        }
        Command::Status => status(&manager, context),
    }
}

fn print(manager: &Manager, options: &serve::Listening, context: &Context) -> Result<(), Failure> {
    output::raw(manager.text(&unit(options, context)?)?.as_bytes())
}

fn install(
    manager: &Manager,
    options: &serve::Listening,
    context: &Context,
) -> Result<(), Failure> {
    let text = manager.text(&unit(options, context)?)?;
    let before = read_ours(&manager.path)?;
    let changed = before.as_deref() != Some(text.as_str());
    if changed {
        write(&manager.path, &text)?;
    }
    let started = manager.start()?;
    if context.json {
        return output::json(&json!({
            "unit": manager.path, "changed": changed, "started": started,
            "next": if started { vec![] } else { manager.by_hand() },
        }));
    }
    let path = output::plain(&manager.path.display().to_string());
    output::line(&format!("{path}: {}", if changed { "written" } else { "as it was" }))?;
    if started {
        return output::line("The daemon runs as a service. `qd` prints the link to the page.");
    }
    output::line(&format!("{} does not answer here. Where it does, type:", manager.name()))?;
    output::line(&manager.by_hand().join("\n"))
}

fn remove(manager: &Manager, context: &Context) -> Result<(), Failure> {
    let there = read_ours(&manager.path)?.is_some();
    if there {
        manager.stop()?;
        std::fs::remove_file(&manager.path).map_err(|error| not_writable(manager, &error))?;
        manager.forget();
    }
    if context.json {
        return output::json(&json!({"unit": manager.path, "removed": there}));
    }
    let path = output::plain(&manager.path.display().to_string());
    output::line(&if there {
        format!("{path}: removed. Sessions go on; `qd` starts a daemon again.")
    } else {
        format!("{path}: there is none.")
    })
}

fn status(manager: &Manager, context: &Context) -> Result<(), Failure> {
    let text = std::fs::read_to_string(&manager.path).ok();
    let ours = text.as_ref().map(|text| text.contains(MARK));
    let active = if ours == Some(true) { manager.active() } else { None };
    if context.json {
        return output::json(&json!({
            "manager": manager.name(), "unit": manager.path, "installed": ours == Some(true),
            "active": active,
        }));
    }
    let path = output::plain(&manager.path.display().to_string());
    output::line(&match (ours, active) {
        (None, _) => format!("{path}: not installed. `qd service install` does."),
        (Some(false), _) => format!("{path}: somebody else wrote it."),
        (_, Some(active)) => format!("{path}: installed, {}", output::plain(&active)),
        (_, None) => format!("{path}: installed; {} does not answer here.", manager.name()),
    })
}

fn unit(options: &serve::Listening, context: &Context) -> Result<Unit, Failure> {
    let text = |path: PathBuf| {
        path.into_os_string().into_string().map_err(|path| {
            Failure::new(
                Code::FieldInvalid,
                format!("{} is not UTF-8, which a unit has to be.", path.display()),
                "Move it to another place, or write the unit by hand.",
            )
        })
    };
    let home = text(context.home.clone())?;
    let mut argv = vec![text(std::env::current_exe()?)?, "--home".to_owned(), home.clone()];
    argv.push("serve".to_owned());
    // One that was started by hand before is taken over, and so is that of an older version.
    argv.push("--replace".to_owned());
    argv.extend(options.arguments());
    let env = PASSED_ON.iter().filter_map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
        Some(((*name).to_owned(), value))
    });
    Ok(Unit { argv, env: env.collect(), home })
}

/// The unit that is there; none when there is none.
fn read_ours(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) if text.contains(MARK) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Ok(_) | Err(_) => Err(Failure::new(
            Code::PathTaken,
            format!(
                "{} was not written by `qd service install`; it stays as it is.",
                path.display()
            ),
            "Move it away, then try again.",
        )),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let written = || -> std::io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut half = tempfile::Builder::new().prefix(".qd-").tempfile_in(folder)?;
        std::io::Write::write_all(&mut half, text.as_bytes())?;
        // As other units; nothing in it is a secret.
        half.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        half.persist(path).map(drop).map_err(|error| error.error)
    };
    written().map_err(|error| {
        Failure::new(
            Code::PathMissing,
            format!("{} cannot be written: {error}.", path.display()),
            "Check who owns the folder, or use `--print` and put it in place by hand.",
        )
    })
}

fn not_writable(manager: &Manager, error: &std::io::Error) -> Failure {
    Failure::new(
        Code::PathMissing,
        format!("{} cannot be removed: {error}.", manager.path.display()),
        "Check who owns the folder, then try again.",
    )
}
