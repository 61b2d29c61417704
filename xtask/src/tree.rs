use std::path::Path;

use anyhow::Result;

use crate::process;

/// One text file of the tree.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path from the top, with `/`.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// The text files that git tracks or would track.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// In the order of their paths.
    pub files: Vec<File>,
}

impl Tree {
    /// Reads the tree at `root`. Files that are not UTF-8 are left out.
    pub fn read(root: &Path) -> Result<Self> {
        // Whose the folder is does not matter for a list of names.
        let anybody = ["-c", "safe.directory=*"];
        let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let args = [&anybody[..], &list].concat();
        let list = process::output(root, "git", &args)?;
        let mut files = vec![];
        for path in list.split('\0').filter(|path| !path.is_empty()) {
            let Ok(text) = std::fs::read_to_string(root.join(path)) else { continue };
            files.push(File { path: path.to_owned(), text });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(Self { files })
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Whether there is a file of that path, or a folder with files.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            let rest = file.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The files whose names end so.
    pub fn ending<'a>(&'a self, ends: &'a [&str]) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(|file| ends.iter().any(|end| file.path.ends_with(end)))
    }

    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Self { files: files.iter().map(file).collect() }
    }
}

/// The lines of a Rust file that are not its tests at the end.
pub fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_when_a_file_in_it_is() {
        let tree = Tree::of(&[("a/b/c.rs", "")]);
        assert!(tree.has("a/b") && tree.has("a/b/") && tree.has("a/b/c.rs"));
        assert!(!tree.has("a/bc") && !tree.has("a/b/c"));
    }

    #[test]
    fn tests_at_the_end_are_not_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(code_lines(text).collect::<Vec<_>>(), [(1, "fn a() {}")]);
    }
}
