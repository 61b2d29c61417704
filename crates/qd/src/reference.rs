use clap::CommandFactory as _;

use crate::cli::Cli;

/// The whole surface of the command line as Markdown, for `docs/cli.md`.
pub fn markdown() -> String {
    let mut command = Cli::command();
    command.build();
    let mut text = String::from(
        "# The command line\n\n\
         Written by `qd internal cli-reference`; a test keeps it fresh.\n",
    );
    section(&mut text, &mut command, "qd");
    let mut names: Vec<String> =
        command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    names.retain(|name| name != "help");
    for name in names {
        if let Some(subcommand) = command.find_subcommand_mut(&name)
            && !subcommand.is_hide_set()
        {
            section(&mut text, subcommand, &format!("qd {name}"));
        }
    }
    text
}

fn section(text: &mut String, command: &mut clap::Command, name: &str) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    text.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_it() {
        let text = markdown();
        for command in Cli::command().get_subcommands() {
            assert!(text.contains(&format!("\n## qd {}\n", command.get_name())));
        }
        assert!(!text.contains("--detached"), "a hidden option is shown");
    }

    #[test]
    fn every_help_has_an_example() {
        let mut cli = Cli::command();
        cli.build();
        for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("Example"), "{}", command.get_name());
            assert!(!after.contains("\\n"), "an escaped line end in {}", command.get_name());
        }
    }

    #[test]
    fn the_committed_reference_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
        if let Ok(committed) = std::fs::read_to_string(path) {
            assert!(
                committed == markdown(),
                "docs/cli.md is stale: write it anew with `qd internal cli-reference`"
            );
        }
    }
}
