use std::ffi::OsString;
use std::path::{Path, PathBuf};

use qd_core::Code;

use crate::failure::Failure;

/// The daemon's home: what `--home` says, else `QD_HOME`, else the data directory's `quarterdeck`.
pub fn find(option: Option<&Path>) -> Result<PathBuf, Failure> {
    let named = option.map(Path::to_path_buf);
    let found = named.or_else(|| choose(|name| std::env::var_os(name))).ok_or_else(|| {
        Failure::new(
            Code::FieldInvalid,
            "No home is named, and HOME is not set.",
            "Name one with `--home DIR` or QD_HOME.",
        )
    })?;
    std::path::absolute(&found).map_err(|error| {
        Failure::new(
            Code::FieldInvalid,
            format!("The home {} cannot be found: {error}.", found.display()),
            "Name it with its whole path.",
        )
    })
}

/// The home when none is named on the command line, and whether `QD_HOME` names it.
pub fn usual() -> Option<(PathBuf, bool)> {
    let by_name = std::env::var_os("QD_HOME").is_some_and(|value| !value.is_empty());
    let usual = choose(|name| std::env::var_os(name))?;
    Some((std::path::absolute(usual).ok()?, by_name))
}

fn choose(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("QD_HOME")
        // A relative path there is to be ignored, says the XDG base directory specification.
        .or_else(|| Some(set("XDG_DATA_HOME").filter(|dir| dir.is_absolute())?.join("quarterdeck")))
        .or_else(|| Some(set("HOME")?.join(".local/share/quarterdeck")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(set: &[(&str, &str)]) -> Option<PathBuf> {
        choose(|name| Some(set.iter().find(|(n, _)| *n == name)?.1.into()))
    }

    #[test]
    fn the_nearest_word_wins() {
        let all = [("QD_HOME", "/q"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(with(&all), Some("/q".into()));
        assert_eq!(with(&all[1..]), Some("/x/quarterdeck".into()));
        assert_eq!(with(&all[2..]), Some("/h/.local/share/quarterdeck".into()));
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn empty_and_relative_words_do_not_count() {
        let set = [("QD_HOME", ""), ("XDG_DATA_HOME", "x"), ("HOME", "/h")];
        assert_eq!(with(&set), Some("/h/.local/share/quarterdeck".into()));
    }
}
