//! Which tmux this is.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::{Error, Result, process};

/// The first version that the pane taps and the options are known to work on.
const OLDEST: (u32, u32) = (3, 3);
/// How long `tmux -V` may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A version of tmux, as `3.3a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// As printed.
    pub text: String,
    /// Major and minor number. A letter after them only mends.
    pub number: (u32, u32),
}

impl Version {
    /// Reads what `tmux -V` and `#{version}` print: `3.3a`, `next-3.8`,
    /// `tmux 3.4`. `master` counts as newer than all.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix("tmux ").unwrap_or(text);
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        if text == "master" {
            return Some(Self { text: text.to_owned(), number: (u32::MAX, 0) });
        }
        // Only a prefix such as `next-` or `openbsd-` may come before.
        let prefix = &text[..text.len() - digits.len()];
        if !(prefix.is_empty() || prefix.ends_with('-')) || text.len() > 40 {
            return None;
        }
        let (major, rest) = digits.split_once('.')?;
        let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(Self { text: text.to_owned(), number: (major.parse().ok()?, minor.parse().ok()?) })
    }

    pub(crate) fn check(self) -> Result<Self> {
        if self.number < OLDEST {
            let needed = format!("{}.{}", OLDEST.0, OLDEST.1);
            return Err(Error::VersionTooOld { found: self.text, needed });
        }
        Ok(self)
    }
}

/// Whether a server of this version can be worked with.
pub(crate) fn check(version: &str) -> Result<Version> {
    let shown = || version.chars().take(80).collect();
    Version::parse(version).ok_or_else(|| Error::VersionUnreadable { output: shown() })?.check()
}

/// Asks `tmux -V`. Starts no server.
pub(crate) async fn installed(tmux: &Path, env: &[(OsString, OsString)]) -> Result<Version> {
    let missing = |source| Error::TmuxMissing { program: tmux.to_owned(), source };
    let mut command = process::clean(tmux, env);
    command.arg("-V").stdin(std::process::Stdio::null());
    let output = tokio::time::timeout(TIMEOUT, command.output())
        .await
        .map_err(|_| Error::TimedOut { what: "`tmux -V`", after: TIMEOUT })?
        .map_err(missing)?;
    let text = String::from_utf8_lossy(&output.stdout);
    check(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions() {
        let number = |t| Version::parse(t).map(|v| v.number);
        assert_eq!(number("tmux 3.3a\n"), Some((3, 3)));
        assert_eq!(number("3.10"), Some((3, 10)));
        assert_eq!(number("tmux next-3.8"), Some((3, 8)));
        assert_eq!(number("tmux openbsd-7.6"), Some((7, 6)));
        assert!(number("tmux master") > Some((3, 9)));
        for bad in ["", "tmux", "bash: 3.3: no", "tmux x.y"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn refuses_the_old() {
        assert!(Version::parse("tmux 3.2a").unwrap().check().is_err());
        assert!(Version::parse("tmux 2.9").unwrap().check().is_err());
        assert!(Version::parse("tmux 3.3").unwrap().check().is_ok());
    }
}
