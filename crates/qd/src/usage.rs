use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use qd_core::Code;

use crate::exit::Exit;
use crate::{failure, output};

/// Whether `--json` stands among the arguments, before a `--`: asked when they cannot be parsed.
pub fn wants_json(args: &[OsString]) -> bool {
    args.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// Tells why the arguments cannot be parsed, or prints the help that they ask for.
pub fn tell(error: &clap::Error, json: bool) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let text = error.render();
        let text = if output::colours() { text.ansi().to_string() } else { text.to_string() };
        // Nobody is left to tell when this fails.
        let _ = output::raw(text.as_bytes());
        return Exit::Done.into();
    }
    let (message, hint) = words(&error.render().to_string());
    failure::tell(Code::BadRequest.as_str(), &message, &hint, json);
    Exit::Usage.into()
}

/// The sentence and the hint of an error as clap writes it: a first paragraph that begins with
/// `error:`, perhaps tips, and a usage line.
fn words(rendered: &str) -> (String, String) {
    let lines = || rendered.lines().map(str::trim);
    let first: Vec<&str> = lines().take_while(|line| !line.is_empty()).collect();
    let first = first.join(" ");
    let message = sentence(first.strip_prefix("error: ").unwrap_or(&first));
    let tip = lines().find_map(|line| line.strip_prefix("tip: "));
    let hint = match tip {
        Some(tip) => sentence(tip),
        None => format!("See `{} --help`.", command(rendered)),
    };
    (message, hint)
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

/// The command that the usage line is about, such as `qd new`.
fn command(rendered: &str) -> String {
    let usage = rendered.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or("qd");
    let named = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    usage.split(' ').take_while(named).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::Cli;

    fn told(args: &[&str]) -> (String, String) {
        let args = ["qd"].iter().chain(args);
        words(&Cli::try_parse_from(args).unwrap_err().render().to_string())
    }

    #[test]
    fn each_error_is_a_sentence_and_a_hint() {
        let cases: &[(&[&str], &str, &str)] = &[
            (&["send"], "were not provided: <ID> <TEXT>...", "See `qd send --help`."),
            (&["new", "--size", "big"], "such as 120x40.", "See `qd --help`."),
            (&["lss"], "Unrecognized subcommand 'lss'.", "'ls'"),
            (&["ls", "--filtre", "x"], "'--filtre'", "'--filter'"),
            (&["new", "--command", "a 'b"], "a single quote is not closed.", "See"),
        ];
        for (args, message, hint) in cases {
            let told = told(args);
            assert!(told.0.contains(message), "{args:?}: {told:?}");
            assert!(told.1.contains(hint), "{args:?}: {told:?}");
            assert!(!told.0.contains('\n') && told.0.ends_with('.'), "{told:?}");
        }
    }

    #[test]
    fn json_counts_only_before_two_dashes() {
        let args = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert!(wants_json(&args(&["qd", "lss", "--json"])));
        assert!(!wants_json(&args(&["qd", "lss", "--", "--json"])));
        assert!(!wants_json(&args(&["--json"])));
    }
}
