mod folder;
mod told;
mod trial;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use qd_core::Code;
use qd_policy::{Ready, Scope, builtin, parse_rules};

use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// See what the rules say of a command, and which rules there are
#[derive(Debug, Args)]
#[command(
    after_help = "Rules say when not to bother you; they are no fence. docs/rules.md has more. \
    No daemon is needed.\n\n\
    Example: qd rules test 'git push --force origin main'\n\
    Example: qd rules test < commands.txt\n\
    Example: qd rules show qd.leak"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Test(Box<trial::Arguments>),
    /// List the rules, in the order in which they go
    #[command(visible_alias = "ls", after_help = "Example: qd rules list --rules mine.toml")]
    List {
        #[command(flatten)]
        files: Files,
    },
    /// Show a rule
    #[command(after_help = "Example: qd rules show qd.leak")]
    Show {
        /// The rule's id, as `qd rules list` has it
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        files: Files,
    },
    /// Print rules that are made of the permission lists of Claude Code's settings
    #[command(after_help = "Example: qd rules import .claude/settings.json > mine.toml")]
    Import {
        /// A settings file with `permissions`
        #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        file: PathBuf,
    },
}

/// Rules beside the built-in ones.
#[derive(Debug, Args)]
pub struct Files {
    /// A file of rules of yours, beside the built-in ones; may be given several times
    #[arg(long = "rules", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    rules: Vec<PathBuf>,
}

impl Files {
    /// The built-in rules and those of the files.
    pub fn read(&self) -> Result<Vec<Ready>, Failure> {
        let mut rules = builtin();
        for file in &self.rules {
            let text = read(file)?;
            rules.extend(parse_rules(&text, Scope::Person, true).map_err(|faults| {
                let said: Vec<String> = faults.iter().take(5).map(ToString::to_string).collect();
                Failure::new(
                    Code::FieldInvalid,
                    format!("{} is no file of rules: {}.", file.display(), said.join("; ")),
                    "Mend it; docs/rules.md says how rules are written. No rule was used.",
                )
            })?);
        }
        Ok(rules)
    }
}

/// Runs the command.
pub fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    match arguments.command {
        Command::Test(arguments) => trial::run(&arguments, context),
        Command::List { files } => {
            let rules = qd_policy::Rules::new(files.read()?);
            if context.json {
                return output::json(&rules.all().iter().map(told::rule).collect::<Vec<_>>());
            }
            output::raw(told::table(rules.all()).as_bytes())
        }
        Command::Show { id, files } => {
            let rules = files.read()?;
            let found = rules.iter().find(|ready| ready.rule.id == id).ok_or_else(|| {
                Failure::new(
                    Code::RuleUnknown,
                    format!("There is no rule {}.", output::one_line(&id)),
                    "`qd rules list` has them all.",
                )
            })?;
            if context.json {
                return output::json(&told::rule(found));
            }
            output::raw(told::shown(found).as_bytes())
        }
        Command::Import { file } => import(&file, context),
    }
}

fn read(file: &std::path::Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| {
        Failure::new(
            Code::PathMissing,
            format!("{} cannot be read: {error}.", file.display()),
            "Look at the name and at who may read it.",
        )
    })
}

fn import(file: &std::path::Path, context: &Context) -> Result<(), Failure> {
    let invalid = |error: String| {
        Failure::new(
            Code::FieldInvalid,
            format!("{} is no settings file: {error}.", file.display()),
            "Name a settings.json of Claude Code. Nothing was changed.",
        )
    };
    let imported =
        qd_policy::import(&read(file)?, "claude").map_err(|error| invalid(error.to_string()))?;
    for (entry, why) in &imported.left {
        output::note(&format!("Left out: {}: {why}.", output::one_line(entry)));
    }
    if context.json {
        return output::json(&imported.rules.iter().map(told::rule).collect::<Vec<_>>());
    }
    if imported.rules.is_empty() {
        output::note("There are no permissions in it.");
        return Ok(());
    }
    let text = qd_policy::to_toml(&imported.rules).map_err(|error| invalid(error.to_string()))?;
    output::raw(text.as_bytes())
}
