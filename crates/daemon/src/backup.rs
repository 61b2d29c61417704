//! A home in one file, and back: a tar with the database of one moment, the owner's token, kept
//! screens, and worktrees, in the order of [`HEAD`], `home/…`, [`MANIFEST`], [`MANIFEST_SUM`].
//!
//! Nothing here needs a daemon, and nothing disturbs one. Blocks.

mod pack;
mod restore;
mod scan;
mod screen;
mod sums;
mod tree;

use std::path::PathBuf;

use qd_core::{Code, Problem};
use serde::{Deserialize, Serialize};

pub use pack::pack;
pub use restore::{Restored, restore};
pub use screen::kept_screen;
pub use sums::Part;

/// The form of the file. A change that older versions cannot read raises it.
pub const FORMAT: u32 = 1;
/// The first entry: who wrote the file, and of what.
const HEAD: &str = "backup.json";
/// The folder that stands for the home.
const HOME: &str = "home";
/// The last entry but one: the sums, and what is in the file.
const MANIFEST: &str = "manifest.json";
/// The last entry: the SHA-256 of the manifest, in hexadecimal.
const MANIFEST_SUM: &str = "manifest.json.sha256";
/// Bytes of the largest head or manifest that is read.
const LARGEST_NOTE: u64 = 64 << 20;

/// What a backup says first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Always `quarterdeck-backup`.
    pub kind: String,
    /// [`FORMAT`] of who wrote it.
    pub format: u32,
    /// The version of Quarterdeck that wrote it.
    pub version: String,
    /// When, in RFC 3339.
    pub made_at: String,
    /// The home that it is of.
    pub home: String,
    /// The schema version of the database in it.
    pub schema: u32,
}

/// What a backup says last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The first entry once more.
    pub head: Head,
    /// What is in it, with sums.
    pub parts: Vec<Part>,
    /// What a person should know of how it was made.
    pub notes: Vec<String>,
}

/// What goes into a backup.
#[derive(Clone, Debug)]
pub struct Options {
    /// The home.
    pub home: PathBuf,
    /// The worktrees of paused sessions and of those in the trash.
    pub parked: bool,
    /// The worktrees that sessions work in now, too.
    pub worktrees: bool,
    /// A folder with screens of sessions that run, as `ID/screen` and `ID/output`: a home has them
    /// only of those that do not run.
    pub screens: Option<PathBuf>,
    /// The version of this program.
    pub version: String,
    /// Now, in RFC 3339.
    pub made_at: String,
}

/// How far the work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries written or read.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Whether something belongs into a backup at all, and to which part of it.
fn part_of(path: &[u8]) -> Option<String> {
    let words: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(match words.as_slice() {
        [b"quarterdeck.db"] => "database".to_owned(),
        [b"token"] => "token".to_owned(),
        [b"sessions" | b"trash" | b"worktrees"] => "folders".to_owned(),
        [b"sessions", ..] => "screens".to_owned(),
        [b"trash", id, ..] => format!("trash/{}", text(id)),
        [b"worktrees", ..] => "worktrees".to_owned(),
        _ => return None,
    })
}

/// Whether links may be there: only worktrees have some.
fn in_worktree(path: &[u8]) -> bool {
    let mut words = path.split(|b| *b == b'/');
    match words.next() {
        Some(b"trash") => words.nth(1) == Some(b"worktree") && words.next().is_some(),
        Some(b"worktrees") => words.nth(2).is_some(),
        _ => false,
    }
}

fn damaged(what: impl std::fmt::Display) -> Problem {
    Problem::new(
        Code::BackupDamaged,
        format!("The backup cannot be used: {what}."),
        "Nothing was restored. Take another backup; if it came over a network, copy it again.",
    )
}

fn system(what: &str, error: &std::io::Error) -> Problem {
    if crate::problems::is_full(error) {
        return Problem::new(
            Code::DiskFull,
            format!("{what} failed: the disk is full."),
            "Free some room, or name another place. What was half written was taken away again.",
        );
    }
    let (code, hint) = if error.kind() == std::io::ErrorKind::PermissionDenied {
        (Code::HomeNotWritable, "Check who owns the folder, then try again.")
    } else {
        (Code::Internal, "Look at the disk, then try again.")
    };
    Problem::new(code, format!("{what} failed: {error}."), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_has_a_part() {
        for (path, part) in [
            ("quarterdeck.db", Some("database")),
            ("sessions/k/screen", Some("screens")),
            ("trash/k/worktree/a/b", Some("trash/k")),
            ("worktrees/repo/k/a", Some("worktrees")),
            ("lock", None),
            ("run/qd.sock", None),
            ("token/x", None),
            ("", None),
        ] {
            assert_eq!(part_of(path.as_bytes()).as_deref(), part, "{path}");
        }
    }

    #[test]
    fn links_are_in_worktrees_only() {
        for (path, is) in [
            ("trash/k/worktree/a", true),
            ("worktrees/repo/k/a", true),
            ("trash/k/worktree", false),
            ("trash/k", false),
            ("trash/k/record.json", false),
            ("worktrees/repo/k", false),
            ("worktrees/repo", false),
            ("sessions/k/screen", false),
            ("token", false),
        ] {
            assert_eq!(in_worktree(path.as_bytes()), is, "{path}");
        }
    }
}
