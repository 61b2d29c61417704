use std::io::Write as _;
use std::process::Stdio;

use crate::failure::Failure;
use crate::process::command;
use crate::{output, words};

/// Shows a text: by the person's pager at a terminal, else on stdout.
pub fn show(text: &str) -> Result<(), Failure> {
    let argv =
        if output::at_terminal() { argv(std::env::var("PAGER").ok().as_deref()) } else { None };
    let Some((program, rest)) = argv.as_deref().and_then(<[String]>::split_first) else {
        return output::raw(text.as_bytes());
    };
    let mut pager = command(program);
    pager.args(rest).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // As git does: leave when it fits on one screen, keep colours, do not clear.
        pager.env("LESS", "FRX");
    }
    // A pager that cannot be started is no reason to show nothing.
    let Ok(mut shown) = pager.spawn() else { return output::raw(text.as_bytes()) };
    if let Some(mut stdin) = shown.stdin.take() {
        // The person may leave before the end.
        let _ = stdin.write_all(text.as_bytes());
    }
    shown.wait()?;
    Ok(())
}

/// The pager as a program and its arguments; none when the person wants none.
fn argv(pager: Option<&str>) -> Option<Vec<String>> {
    match pager {
        None => Some(vec!["less".to_owned(), "-R".to_owned()]),
        Some(text) => {
            words::split(text).ok().map(|words| words.0).filter(|words| words != &["cat"])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_is_a_program_and_its_arguments() {
        assert_eq!(argv(None).unwrap(), ["less", "-R"]);
        assert_eq!(argv(Some("less -S 'a b'; rm x")).unwrap(), ["less", "-S", "a b;", "rm", "x"]);
        assert_eq!(argv(Some("cat")), None);
        assert_eq!(argv(Some("")), None);
    }
}
