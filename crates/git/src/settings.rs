//! What the configuration says of remotes and branches, read at once.

use std::collections::BTreeSet;
use std::path::Path;

use crate::command::{Call, Kind};
use crate::error::Result;
use crate::repo::Git;

/// The values of a few names, as they are in one folder.
#[derive(Debug, Default)]
pub(crate) struct Settings(Vec<(String, String)>);

impl Git {
    /// Reads what is wanted to find a repository's default remote and branch. Empty outside one.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub(crate) async fn settings(&self, path: &Path) -> Result<Settings> {
        const NAMES: &str = r"^(init\.defaultbranch|checkout\.defaultremote|remote\..*)$";
        let call =
            Call::new(Kind::Read, "config", path).args(["config", "-z", "--get-regexp", NAMES]);
        let output = self.run(call).await?;
        // 1 means that there is none.
        if output.code == Some(1) {
            return Ok(Settings::default());
        }
        let text = String::from_utf8_lossy(&output.success(path)?.stdout).into_owned();
        let pairs = text.split_terminator('\0').map(|pair| {
            // A name alone stands for true.
            let (name, value) = pair.split_once('\n').unwrap_or((pair, "true"));
            (name.to_owned(), value.to_owned())
        });
        Ok(Settings(pairs.collect()))
    }
}

impl Settings {
    /// The last value of a name in small letters, if it is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The names of all remotes, in the order in which git lists them.
    pub(crate) fn remotes(&self) -> Vec<String> {
        let names: BTreeSet<_> = self
            .0
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("remote.")?.rsplit_once('.'))
            .map(|(remote, _)| remote.to_owned())
            .collect();
        names.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_those_with_a_value_of_their_own() {
        let settings = Settings(
            [
                ("remote.up.stream.url", "a"),
                ("remote.origin.url", "b"),
                ("remote.origin.fetch", "c"),
                ("remote.pushdefault", "origin"),
                ("init.defaultbranch", "trunk"),
                ("init.defaultbranch", "main"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        );
        assert_eq!(settings.remotes(), ["origin", "up.stream"]);
        assert_eq!(settings.get("init.defaultbranch"), Some("main"));
        assert_eq!(settings.get("checkout.defaultremote"), None);
    }
}
