//! `.worktreeinclude`: which ignored files of the main checkout a new worktree gets.
//!
//! The file has the syntax of `.gitignore` and is read from a commit, not from a working tree, so
//! that no agent can ask for files by editing it. A file is brought over only if it is untracked
//! and ignored in the main checkout, and ignored in the new worktree too: there, a secret that is
//! not ignored would go into the next commit.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::beneath::{self, CopyError};
use crate::checkout::split_paths;
use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::{Checkout, Oid, RepoPath};

const FILE: &str = ".worktreeinclude";
/// The largest `.worktreeinclude` that is read, in bytes.
const MAX_RULES: usize = 64 << 10;
/// The most files that are brought over.
const MAX_FILES: usize = 2_000;
/// The most bytes that are brought over, over all files.
const MAX_BYTES: u64 = 256 << 20;
/// The most bytes of names that are looked at.
const MAX_LISTING: usize = 8 << 20;

/// What `.worktreeinclude` says in one commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// None: there is no such file, or it is not used.
    text: Option<Vec<u8>>,
    /// Why it is not used.
    note: Option<String>,
}

/// What was brought over, and what not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludeReport {
    /// Files that the new worktree has now.
    pub copied: Vec<RepoPath>,
    /// Files that the rules name and that were left out.
    pub skipped: Vec<Skip>,
    /// A sentence for people when the rules themselves could not be used in full.
    pub note: Option<String>,
}

impl IncludeReport {
    /// One sentence for people when something that they asked for was left out.
    pub fn summary(&self) -> Option<String> {
        let missed = || self.skipped.iter().filter(|skip| skip.reason != SkipReason::AlreadyThere);
        let Some(first) = missed().next() else { return self.note.clone() };
        let count = missed().count();
        let files = if count == 1 { "1 file" } else { &format!("{count} files") };
        let left_out = format!(
            "{files} that {FILE} names were not brought over, such as {}: {}.",
            first.path,
            first.reason.sentence()
        );
        Some(self.note.iter().cloned().chain([left_out]).collect::<Vec<_>>().join(" "))
    }
}

/// A file that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// The file.
    pub path: RepoPath,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// It is untracked but not ignored: new work, not configuration.
    NotIgnored,
    /// It would not be ignored in the new worktree.
    NotIgnoredThere,
    /// The new worktree tracks a file of that name, or has one already.
    AlreadyThere,
    /// It is a symbolic link, or behind one.
    SymbolicLink,
    /// It is no regular file.
    NotAFile,
    /// Over the limit of count or bytes.
    OverLimit,
    /// It could not be read or written.
    Unreadable,
}

impl SkipReason {
    fn sentence(self) -> &'static str {
        match self {
            Self::NotIgnored => "it is not ignored here",
            Self::NotIgnoredThere => "it would not be ignored there",
            Self::AlreadyThere => "it is there already",
            Self::SymbolicLink => "it is a symbolic link, or behind one",
            Self::NotAFile => "it is no regular file",
            Self::OverLimit => "there are too many files, or they are too large",
            Self::Unreadable => "it could not be read or written",
        }
    }
}

impl Repo {
    /// Brings the files of `source` that the rules name into `dest`.
    ///
    /// # Errors
    /// When git cannot be asked. Files that cannot be copied are in the report.
    pub async fn copy_included(
        &self,
        rules: Rules,
        source: &Checkout,
        dest: &Checkout,
    ) -> Result<IncludeReport> {
        let mut report = IncludeReport { note: rules.note, ..IncludeReport::default() };
        let Some(text) = rules.text else { return Ok(report) };
        let scratch = beneath::scratch_file(&self.git.config().scratch, &text)?;

        let wanted = self.matches(source, "--others", scratch.path()).await?;
        if wanted.cut {
            report.note = Some(format!("{FILE} matches too many files; not all were looked at."));
        }
        let here = self.ignored_among(source, &wanted.paths).await?;
        let there = self.ignored_among(dest, &wanted.paths).await?;
        let tracked: HashSet<_> =
            self.matches(dest, "--cached", scratch.path()).await?.paths.into_iter().collect();

        let mut todo = Vec::new();
        for path in wanted.paths {
            let reason = if path.as_bytes().ends_with(b"/") {
                SkipReason::NotAFile
            } else if !here.contains(&path) {
                SkipReason::NotIgnored
            } else if tracked.contains(&path) {
                SkipReason::AlreadyThere
            } else if !there.contains(&path) {
                SkipReason::NotIgnoredThere
            } else if todo.len() >= MAX_FILES {
                SkipReason::OverLimit
            } else {
                todo.push(path);
                continue;
            };
            report.skipped.push(Skip { path, reason });
        }
        let (from, to) = (source.top().to_path_buf(), dest.top().to_path_buf());
        let copying = tokio::task::spawn_blocking(move || copy_all(&from, &to, todo));
        let (copied, skipped) = copying
            .await
            .map_err(|_| GitError::unexpected("worktree add", "copying did not finish"))??;
        report.copied = copied;
        report.skipped.extend(skipped);
        report.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(report)
    }

    /// Reads the rules of a commit.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn include_rules(&self, commit: &Oid) -> Result<Rules> {
        let call = self.read("ls-tree").literal_paths().args([
            "ls-tree",
            "-z",
            "--full-tree",
            commit.as_str(),
            "--",
            FILE,
        ]);
        let output = self.git.run(call).await?.success(self.top())?;
        let entry = String::from_utf8_lossy(&output.stdout);
        let mut fields = entry.split([' ', '\t']);
        let (mode, _kind, oid) = (fields.next(), fields.next(), fields.next());
        let (Some("100644" | "100755"), Some(oid)) = (mode, oid.and_then(Oid::parse)) else {
            return Ok(Rules::default());
        };
        let call = self.read("cat-file").args(["cat-file", "blob", oid.as_str()]).limit(MAX_RULES);
        let output = self.git.run(call).await?.success(self.top())?;
        if output.cut {
            let note = format!("{FILE} is larger than {MAX_RULES} bytes and was not used.");
            return Ok(Rules { text: None, note: Some(note) });
        }
        Ok(Rules { text: Some(output.stdout), note: None })
    }

    /// Untracked (`--others`) or tracked (`--cached`) files that the rules match.
    async fn matches(
        &self,
        checkout: &Checkout,
        which: &str,
        rules: &std::path::Path,
    ) -> Result<Listing> {
        let call = checkout
            .read("ls-files")
            .args(["ls-files", "-z", which, "--ignored", "--exclude-from"])
            .arg(rules)
            .limit(MAX_LISTING);
        let mut output = self.git.run(call).await?.success(checkout.top())?;
        if output.cut {
            let whole = output.stdout.iter().rposition(|&b| b == 0).map_or(0, |end| end + 1);
            output.stdout.truncate(whole);
        }
        Ok(Listing { paths: split_paths(&output.stdout).collect(), cut: output.cut })
    }

    /// Those of `paths` that the checkout's own ignore rules ignore.
    async fn ignored_among(
        &self,
        checkout: &Checkout,
        paths: &[RepoPath],
    ) -> Result<HashSet<RepoPath>> {
        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(path.as_bytes());
            input.push(0);
        }
        if input.is_empty() {
            return Ok(HashSet::new());
        }
        let call = checkout
            .read("check-ignore")
            .args(["check-ignore", "-z", "--stdin"])
            .stdin(input)
            .limit(MAX_LISTING);
        let output = self.git.run(call).await?;
        // 1 means that none is ignored.
        if output.code == Some(1) {
            return Ok(HashSet::new());
        }
        Ok(split_paths(&output.success(checkout.top())?.stdout).collect())
    }
}

struct Listing {
    paths: Vec<RepoPath>,
    cut: bool,
}

fn copy_all(
    from: &std::path::Path,
    to: &std::path::Path,
    paths: Vec<RepoPath>,
) -> Result<(Vec<RepoPath>, Vec<Skip>)> {
    let (from, to) = (beneath::open_root(from)?, beneath::open_root(to)?);
    let (mut copied, mut skipped) = (Vec::new(), Vec::new());
    let mut room = MAX_BYTES;
    for path in paths {
        let reason = match beneath::copy_file(&from, &to, &path, room) {
            Ok(bytes) => {
                room -= bytes;
                copied.push(path);
                continue;
            }
            Err(CopyError::SymbolicLink) => SkipReason::SymbolicLink,
            Err(CopyError::NotAFile) => SkipReason::NotAFile,
            Err(CopyError::TooLarge) => SkipReason::OverLimit,
            Err(CopyError::Exists) => SkipReason::AlreadyThere,
            Err(CopyError::Io | CopyError::Missing | CopyError::Folder | CopyError::Full) => {
                SkipReason::Unreadable
            }
        };
        skipped.push(Skip { path, reason });
    }
    Ok((copied, skipped))
}
