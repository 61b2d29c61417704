//! Copying a folder so that nothing a person would miss is lost, and checking that.

use std::fs::{self, File, FileTimes, Metadata};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, Timespec, Timestamps, mkfifoat, utimensat};

use crate::error::{GitError, Result};

/// Copies files, folders, symbolic links and pipes with their modes and times. Returns the
/// sockets and devices, which are left out.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    let mut skipped = Vec::new();
    copy_entry(from, to, &mut skipped)?;
    Ok(skipped)
}

fn copy_entry(from: &Path, to: &Path, skipped: &mut Vec<PathBuf>) -> Result<()> {
    let fail = |e: io::Error| GitError::io("Copying", from, e);
    let meta = from.symlink_metadata().map_err(fail)?;
    let kind = meta.file_type();
    if kind.is_dir() {
        fs::create_dir(to).map_err(fail)?;
        for entry in fs::read_dir(from).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            copy_entry(&entry.path(), &to.join(entry.file_name()), skipped)?;
        }
    } else if kind.is_symlink() {
        symlink(fs::read_link(from).map_err(fail)?, to).map_err(fail)?;
    } else if kind.is_file() {
        let mut source = File::open(from).map_err(fail)?;
        let mut target = File::create_new(to).map_err(fail)?;
        io::copy(&mut source, &mut target).map_err(fail)?;
        let times = FileTimes::new().set_modified(meta.modified().map_err(fail)?);
        target.set_times(times).map_err(fail)?;
        fs::set_permissions(to, meta.permissions()).map_err(fail)?;
        return Ok(());
    } else if kind.is_fifo() {
        mkfifoat(CWD, to, Mode::from_raw_mode(0o600)).map_err(|e| fail(e.into()))?;
    } else {
        skipped.push(from.to_path_buf());
        return Ok(());
    }
    if !kind.is_symlink() {
        fs::set_permissions(to, meta.permissions()).map_err(fail)?;
    }
    set_times(to, &meta).map_err(fail)
}

fn set_times(path: &Path, meta: &Metadata) -> io::Result<()> {
    let times = Timestamps {
        last_access: Timespec { tv_sec: meta.atime(), tv_nsec: meta.atime_nsec() as _ },
        last_modification: Timespec { tv_sec: meta.mtime(), tv_nsec: meta.mtime_nsec() as _ },
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Checks that the copy is the same, byte for byte, and that the source did not change meanwhile.
pub(super) fn compare_trees(from: &Path, to: &Path) -> Result<()> {
    let changed = || GitError::ChangedMeanwhile { path: from.to_path_buf() };
    let fail = |e: io::Error| GitError::io("Comparing", from, e);
    let a = from.symlink_metadata().map_err(fail)?;
    let kind = a.file_type();
    if kind.is_socket() || kind.is_block_device() || kind.is_char_device() {
        return Ok(());
    }
    let b = to.symlink_metadata().map_err(|_| changed())?;
    if kind != b.file_type() {
        return Err(changed());
    }
    if !kind.is_symlink() && a.permissions().mode() != b.permissions().mode() {
        return Err(changed());
    }
    if kind.is_dir() {
        let mut names = names(from).map_err(fail)?;
        let copies = self::names(to).map_err(fail)?;
        names.retain(|name| copies.contains(name) || !is_special(&from.join(name)));
        if names != copies {
            return Err(changed());
        }
        for name in names {
            compare_trees(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    if (a.mtime(), a.mtime_nsec()) != (b.mtime(), b.mtime_nsec()) {
        return Err(changed());
    }
    let same = if kind.is_symlink() {
        fs::read_link(from).map_err(fail)? == fs::read_link(to).map_err(fail)?
    } else if kind.is_file() {
        a.len() == b.len() && same_bytes(from, to).map_err(fail)?
    } else {
        true
    };
    if same { Ok(()) } else { Err(changed()) }
}

fn is_special(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| {
        let kind = meta.file_type();
        kind.is_socket() || kind.is_block_device() || kind.is_char_device()
    })
}

fn names(dir: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    let mut names =
        fs::read_dir(dir)?.map(|e| e.map(|e| e.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

fn same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let (mut a, mut b) = (BufReader::new(File::open(a)?), BufReader::new(File::open(b)?));
    let (mut left, mut right) = ([0; 16 << 10], [0; 16 << 10]);
    loop {
        let n = a.read(&mut left)?;
        if n == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        if b.read_exact(&mut right[..n]).is_err() || left[..n] != right[..n] {
            return Ok(false);
        }
    }
}
