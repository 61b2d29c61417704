use std::io::Write as _;
use std::process::{Child, Stdio};

use crate::failure::Failure;
use crate::process::command;
use crate::{output, words};

/// Where a long text goes, piece by piece as it is made.
pub struct Shown {
    pager: Option<Child>,
}

impl Shown {
    /// The person's pager at a terminal, else stdout.
    pub fn open() -> Self {
        let argv =
            if output::at_terminal() { argv(std::env::var("PAGER").ok().as_deref()) } else { None };
        let pager =
            argv.as_deref().and_then(<[String]>::split_first).and_then(|(program, rest)| {
                let mut pager = command(program);
                pager.args(rest).stdin(Stdio::piped());
                if std::env::var_os("LESS").is_none() {
                    // As git does: leave when it fits on one screen, keep colours, do not clear.
                    pager.env("LESS", "FRX");
                }
                // A pager that cannot be started is no reason to show nothing.
                pager.spawn().ok()
            });
        Self { pager }
    }

    /// Shows the next piece. Says whether more is wanted: the person may leave before the end.
    ///
    /// # Errors
    /// When stdout takes nothing.
    pub fn add(&mut self, text: &str) -> Result<bool, Failure> {
        match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(stdin) => Ok(stdin.write_all(text.as_bytes()).is_ok()),
            None => output::raw(text.as_bytes()).map(|()| true),
        }
    }

    /// Waits until the person has read it.
    ///
    /// # Errors
    /// As the system says.
    pub fn close(mut self) -> Result<(), Failure> {
        if let Some(mut pager) = self.pager.take() {
            drop(pager.stdin.take());
            pager.wait()?;
        }
        Ok(())
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        // What went wrong is said once the pager has left the terminal.
        if let Some(mut pager) = self.pager.take() {
            drop(pager.stdin.take());
            let _ = pager.wait();
        }
    }
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
