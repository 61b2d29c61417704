use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output;

/// Print the completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Make the folder first if it is not there.\n\n\
    Example: source <(qd completions bash)\n\
    Example: qd completions bash > ~/.local/share/bash-completion/completions/qd")]
pub struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut Cli::command(), "qd", &mut script);
    output::raw(&script)
}
