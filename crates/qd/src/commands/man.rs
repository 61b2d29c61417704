use std::path::PathBuf;

use clap::{Args, CommandFactory as _};

use qd_core::Code;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output;

/// Print the manual page, or write all pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "Example: qd man | man -l -\nExample: qd man ~/.local/share/man/man1")]
pub struct Arguments {
    /// The folder to write qd.1, qd-new.1 and so on into
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, json: bool) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let Some(dir) = &arguments.dir else { return output::raw(&page(command)?) };
    if command.find_subcommand(dir).is_some() && !dir.exists() {
        let name = dir.display();
        return Err(Failure::new(
            Code::BadRequest,
            format!(
                "`{name}` is a command, and what is asked for is a folder to write pages into."
            ),
            format!("See `qd {name} --help`, or `qd man ./{name}` for a folder of that name."),
        ));
    }
    std::fs::create_dir_all(dir)?;
    let mut written = vec![];
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    for command in std::iter::once(command).chain(subcommands) {
        if command.get_name() == "help" {
            continue;
        }
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let path = dir.join(format!("{name}.1"));
        std::fs::write(&path, page(command)?)?;
        written.push(path.display().to_string());
    }
    if json {
        return output::json(&written);
    }
    output::note(&format!("{} pages are in {}.", written.len(), dir.display()));
    Ok(())
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut text = vec![];
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(text)
}
