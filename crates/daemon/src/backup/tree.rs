//! What a folder holds, for a backup.

use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::sums::{Entry, Kind};

/// Goes through a tree, folders before what is in them, names in byte order. What vanishes
/// meanwhile is left out; sockets, pipes and devices are told to `odd`.
pub(super) fn walk<E: From<io::Error>>(
    root: &Path,
    name: &[u8],
    odd: &mut impl FnMut(&Path),
    take: &mut impl FnMut(&Path, Entry) -> Result<(), E>,
) -> Result<(), E> {
    let mut open: Vec<(PathBuf, Vec<u8>)> = vec![(root.to_path_buf(), name.to_vec())];
    while let Some((path, name)) = open.pop() {
        let Some(about) = there(path.symlink_metadata())? else { continue };
        let Some(entry) = entry(&path, &name, &about)? else {
            odd(&path);
            continue;
        };
        let folder = entry.kind == Kind::Folder;
        take(&path, entry)?;
        if !folder {
            continue;
        }
        let Some(listing) = there(std::fs::read_dir(&path))? else { continue };
        let mut inside = Vec::new();
        for found in listing {
            let file = found?.file_name();
            let name = [name.as_slice(), b"/", file.as_bytes()].concat();
            inside.push((path.join(&file), name));
        }
        // Taken from the end.
        inside.sort_by(|a, b| b.1.cmp(&a.1));
        open.append(&mut inside);
    }
    Ok(())
}

/// What is known of one file; none for what is neither file, folder nor link.
pub(super) fn entry(path: &Path, name: &[u8], about: &Metadata) -> io::Result<Option<Entry>> {
    let kind = if about.is_dir() {
        Kind::Folder
    } else if about.is_file() {
        Kind::File { size: about.len() }
    } else if about.is_symlink() {
        Kind::Link { target: std::fs::read_link(path)?.as_os_str().as_bytes().to_vec() }
    } else {
        return Ok(None);
    };
    Ok(Some(Entry {
        path: name.to_vec(),
        kind,
        mode: about.mode() & 0o777,
        mtime: u64::try_from(about.mtime()).unwrap_or(0),
    }))
}

fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
