//! Opening files strictly beneath a folder.
//!
//! Every component is opened by itself, relative to the one above, and never through a symbolic
//! link. That holds whatever happens to the tree meanwhile, and works alike on all Unix systems,
//! which `openat2` does not.

mod entry;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fchmod, fstat, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use crate::RepoPath;
use crate::error::{GitError, Result};

pub(crate) use entry::{copy_entry, kind, remove};

/// Why a file was not opened or copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyError {
    SymbolicLink,
    NotAFile,
    TooLarge,
    Exists,
    /// It is not there.
    Missing,
    /// It is a folder.
    Folder,
    /// The disk is full.
    Full,
    Io,
}

impl From<Errno> for CopyError {
    fn from(errno: Errno) -> Self {
        match errno {
            // A symbolic link where O_NOFOLLOW wants none; ENOTDIR for one where a folder is wanted.
            Errno::LOOP | Errno::NOTDIR => Self::SymbolicLink,
            Errno::EXIST => Self::Exists,
            Errno::NOENT => Self::Missing,
            Errno::NOSPC | Errno::DQUOT => Self::Full,
            _ => Self::Io,
        }
    }
}

/// Opens the folder that everything else is beneath.
pub(crate) fn open_root(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).map_err(|e| GitError::io("Opening", path, e.into()))
}

/// Opens a regular file beneath `root` for reading, and says how large it is.
pub(crate) fn open_file(root: &OwnedFd, path: &RepoPath) -> Result<(File, u64, Mode), CopyError> {
    let (parents, name) = split(path)?;
    let mut dir = None;
    for parent in parents {
        dir = Some(open_dir(dir.as_ref().unwrap_or(root), parent)?);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(dir.as_ref().unwrap_or(root), name, flags, Mode::empty())?;
    let stat = fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(CopyError::NotAFile);
    }
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    Ok((File::from(file), size, Mode::from_raw_mode(stat.st_mode)))
}

/// Copies a regular file of at most `room` bytes to the same path beneath `to`, with its mode.
/// Never overwrites anything. Returns its size in bytes.
pub(crate) fn copy_file(
    from: &OwnedFd,
    to: &OwnedFd,
    path: &RepoPath,
    room: u64,
) -> Result<u64, CopyError> {
    let (source, size, _) = open_file(from, path)?;
    if size > room {
        return Err(CopyError::TooLarge);
    }
    let (parents, name) = split(path)?;
    let mut dir = None;
    for parent in parents {
        let above = dir.as_ref().unwrap_or(to);
        match mkdirat(above, parent, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(e.into()),
        }
        dir = Some(open_dir(above, parent)?);
    }
    copy_open(source, dir.as_ref().unwrap_or(to), name, Some(room))
}

/// Copies an open file to a new name in a folder, with its mode; none of it if it has more than
/// `room` bytes. Returns its size in bytes.
fn copy_open(
    source: File,
    dir: &OwnedFd,
    name: &[u8],
    room: Option<u64>,
) -> Result<u64, CopyError> {
    let mode = Mode::from_raw_mode(fstat(&source)?.st_mode);
    let room = room.unwrap_or(u64::MAX - 1);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut target = File::from(openat(dir, name, flags, Mode::from_raw_mode(0o600))?);
    // One byte more than fits tells a file that grew meanwhile.
    let copied = std::io::copy(&mut source.take(room + 1), &mut target);
    let kept = match copied {
        Ok(bytes) if bytes <= room => {
            let bits = mode & Mode::from_raw_mode(0o777);
            fchmod(&target, bits).map(|()| bytes).map_err(CopyError::from)
        }
        Ok(_) => Err(CopyError::TooLarge),
        Err(error) => Err(match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => CopyError::Full,
            _ => CopyError::Io,
        }),
    };
    if kept.is_err() {
        // Ours: it was made by the exclusive open above.
        let _ = unlinkat(dir, name, rustix::fs::AtFlags::empty());
    }
    kept
}

fn open_dir(above: &OwnedFd, name: &[u8]) -> Result<OwnedFd, CopyError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(above, name, flags, Mode::empty())?)
}

/// The folders of a path and its last name; refuses what could lead elsewhere.
fn split(path: &RepoPath) -> Result<(Vec<&[u8]>, &[u8]), CopyError> {
    let mut parts: Vec<&[u8]> = path.as_bytes().split(|&b| b == b'/').collect();
    let odd = |part: &&[u8]| {
        part.is_empty() || *part == b"." || *part == b".." || part.eq_ignore_ascii_case(b".git")
    };
    if parts.iter().any(odd) {
        return Err(CopyError::NotAFile);
    }
    let name = parts.pop().ok_or(CopyError::NotAFile)?;
    Ok((parts, name))
}

/// A short-lived private file that is removed when it is dropped.
pub(crate) fn scratch_file(dir: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile> {
    let made = || {
        std::fs::create_dir_all(dir)?;
        let mut file = tempfile::Builder::new().prefix("git-").tempfile_in(dir)?;
        file.write_all(bytes)?;
        file.flush()?;
        Ok(file)
    };
    made().map_err(|e| GitError::io("Writing a file in", dir, e))
}
