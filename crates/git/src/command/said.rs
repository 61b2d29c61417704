//! Reading what git says on stderr. The language is fixed to C, so the words are stable.

use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::path::is_hidden;

const SHOWN: usize = 600;

/// Makes what git said fit to be shown: trimmed, shortened, nothing hidden in it.
pub(crate) fn shorten(stderr: &[u8]) -> String {
    let shown = clean(stderr, SHOWN);
    if shown.is_empty() { "it gave no reason".into() } else { shown }
}

/// At most about so many bytes, with nothing hidden in it.
pub(crate) fn clean(bytes: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown = String::new();
    for c in text.trim().chars() {
        if shown.len() >= most {
            shown.push('…');
            break;
        }
        match c {
            '\n' => shown.push('\n'),
            c if is_hidden(c) => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// The error that fits what git said while it worked at `path`.
pub(crate) fn classify(
    what: &'static str,
    code: Option<i32>,
    said: String,
    path: &Path,
) -> GitError {
    let path_buf = || path.to_path_buf();
    if said.contains("detected dubious ownership") || said.contains("unsafe repository") {
        return GitError::NotTrusted { path: path_buf() };
    }
    if said.contains("not a git repository") {
        return GitError::NotARepository { path: path_buf() };
    }
    if is_of_a_full_disk(&said, path) {
        return GitError::DiskFull { path: path_buf(), said };
    }
    if let Some((branch, at)) = checked_out(&said) {
        return GitError::BranchCheckedOut { branch, path: at };
    }
    if said.contains("missing but already registered worktree")
        || said.contains("missing but locked worktree")
    {
        return GitError::PathRegistered { path: path_buf() };
    }
    if said.contains(".lock': File exists") {
        let lock = between(&said, "Unable to create '", "': File exists").map(PathBuf::from);
        return GitError::Locked { lock, said };
    }
    if said.contains("Permission denied") || said.contains("Read-only file system") {
        return GitError::Permission { path: path_buf(), said };
    }
    GitError::Failed { what, code, said }
}

/// Whether a disk without room is the cause. A write that ends early has no error of the system, so
/// that git says only that it could not write: then the disk itself is asked.
fn is_of_a_full_disk(said: &str, path: &Path) -> bool {
    const WORDS: [&str; 4] =
        ["No space left on device", "Disk quota exceeded", "Out of diskspace", "disk is not full"];
    if WORDS.iter().any(|words| said.contains(words)) {
        return true;
    }
    let named = between(said, "'", "'").and_then(|named| Path::new(named).parent());
    said.contains("writ") && [Some(path), named].into_iter().flatten().any(has_no_room)
}

fn has_no_room(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| disk.f_blocks > 0 && disk.f_bavail == 0)
}

/// `'b' is already checked out at '/p'`, or since 2.42 `'b' is already used by worktree at '/p'`.
fn checked_out(said: &str) -> Option<(String, PathBuf)> {
    let middle = ["' is already checked out at '", "' is already used by worktree at '"]
        .into_iter()
        .find(|middle| said.contains(middle))?;
    let (before, after) = said.split_once(middle)?;
    let (_, branch) = before.rsplit_once('\'')?;
    let (path, _) = after.rsplit_once('\'')?;
    Some((branch.to_owned(), PathBuf::from(path)))
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &str) -> GitError {
        classify("worktree add", Some(128), said.to_owned(), Path::new("/p"))
    }

    #[test]
    fn the_words_of_several_versions_are_understood() {
        for said in [
            "fatal: 'qd/a' is already checked out at '/w/it's'",
            "Preparing worktree\nfatal: 'qd/a' is already used by worktree at '/w/it's'",
        ] {
            let error = read(said);
            assert_eq!(error.to_string(), "the branch qd/a is checked out at /w/it's");
        }
        for said in [
            "fatal: sha1 file '/x' write error. Out of diskspace",
            "error: unable to write file x: No space left on device",
            "fatal: cannot write x: Disk quota exceeded",
            "unable to write new_index file. Check that disk is not full and quota is",
        ] {
            assert_eq!(read(said).code(), "disk_full", "{said}");
        }
        assert_eq!(read("fatal: unable to write new index file").code(), "git_failed");
        let lock =
            read("fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git");
        assert_eq!(
            lock.hint().as_deref(),
            Some("Try again; if no git command runs any more, remove /r/.git/index.lock.")
        );
    }

    #[test]
    fn nothing_hidden_is_shown() {
        assert_eq!(shorten(b"fatal: a\x1b[31m\xe2\x80\xaeb\n"), "fatal: a\u{fffd}[31m\u{fffd}b");
        assert!(shorten(&vec![b'x'; 10_000]).len() < 700);
    }
}
