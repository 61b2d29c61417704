//! One entry beneath a folder: what it is, taking it away, making it like another.

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, mkdirat, openat, readlinkat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::{CopyError, copy_open, open_dir, split};
use crate::RepoPath;

/// What an entry is. Symbolic links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Link,
    Folder,
    Other,
}

/// What is at `path` beneath `root`.
pub(crate) fn kind(root: &OwnedFd, path: &RepoPath) -> Result<EntryKind, CopyError> {
    let (parents, name) = split(path)?;
    let dir = walk(root, &parents, false)?;
    kind_in(dir.as_ref().unwrap_or(root), name)
}

/// Takes what is at `path` away, unless it is a folder with something in it; and the folders above
/// it that are empty then.
pub(crate) fn remove(root: &OwnedFd, path: &RepoPath) -> Result<(), CopyError> {
    let (mut parents, mut name) = split(path)?;
    let mut is_above = false;
    loop {
        let dir = match walk(root, &parents, false) {
            Ok(dir) => dir,
            Err(CopyError::Missing) => return Ok(()),
            Err(error) => return Err(error),
        };
        let dir = dir.as_ref().unwrap_or(root);
        let flags = match kind_in(dir, name) {
            Ok(EntryKind::Folder) => AtFlags::REMOVEDIR,
            Ok(_) if is_above => return Ok(()),
            Ok(_) => AtFlags::empty(),
            Err(CopyError::Missing) => AtFlags::empty(),
            Err(error) => return Err(error),
        };
        match unlinkat(dir, name, flags) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) => return Ok(()),
            Err(errno) => return Err(errno.into()),
        }
        let Some(above) = parents.pop() else { return Ok(()) };
        name = above;
        is_above = true;
    }
}

/// Makes `path` beneath `to` like that beneath `from`: a file with its bytes and mode, or a
/// symbolic link. What is there of the same name is replaced.
pub(crate) fn copy_entry(from: &OwnedFd, to: &OwnedFd, path: &RepoPath) -> Result<(), CopyError> {
    let (parents, name) = split(path)?;
    let source = walk(from, &parents, false)?;
    let source = source.as_ref().unwrap_or(from);
    match kind_in(source, name)? {
        EntryKind::Folder => return Err(CopyError::Folder),
        EntryKind::Other => return Err(CopyError::NotAFile),
        EntryKind::Link => {
            let target = readlinkat(source, name, Vec::new())?;
            let dir = walk(to, &parents, true)?;
            let dir = dir.as_ref().unwrap_or(to);
            clear(dir, name)?;
            symlinkat(target.as_c_str(), dir, name)?;
        }
        EntryKind::File => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = match openat(source, name, flags, Mode::empty()) {
                Err(Errno::NOENT) => return Err(CopyError::Missing),
                other => File::from(other?),
            };
            let dir = walk(to, &parents, true)?;
            let dir = dir.as_ref().unwrap_or(to);
            clear(dir, name)?;
            copy_open(file, dir, name, None)?;
        }
    }
    Ok(())
}

fn clear(dir: &OwnedFd, name: &[u8]) -> Result<(), CopyError> {
    match unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn kind_in(dir: &OwnedFd, name: &[u8]) -> Result<EntryKind, CopyError> {
    let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Err(CopyError::Missing),
        other => other?,
    };
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        FileType::Directory => EntryKind::Folder,
        _ => EntryKind::Other,
    })
}

/// The folder of an entry; none for the root itself. One that is not there, or is something else,
/// is missing, unless it is to be made.
fn walk(root: &OwnedFd, parents: &[&[u8]], make: bool) -> Result<Option<OwnedFd>, CopyError> {
    let mut dir: Option<OwnedFd> = None;
    for parent in parents {
        let above = dir.as_ref().unwrap_or(root);
        if make {
            match mkdirat(above, *parent, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        dir = Some(match open_dir(above, parent) {
            Err(CopyError::SymbolicLink) if !make => return Err(CopyError::Missing),
            other => other?,
        });
    }
    Ok(dir)
}
