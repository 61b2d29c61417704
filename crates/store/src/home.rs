//! The home directory: private modes, and the file systems WAL does not like.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::StoreError;

/// The name of the database file in the home.
pub(crate) const DATABASE: &str = "quarterdeck.db";
/// The name of the directory of copies made before migrations.
pub(crate) const BACKUPS: &str = "backups";

const PRIVATE_DIR: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
const OTHERS: u32 = 0o077;
const STICKY: u32 = 0o1000;

/// Something that works but that the owner should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// WAL needs shared memory between processes, which a network file system
    /// does not give reliably: the database may be damaged.
    NetworkFilesystem {
        /// The home.
        path: PathBuf,
        /// The kind of file system.
        kind: &'static str,
    },
    /// The home was there before us with other things in it, and others may look in.
    OpenHome {
        /// The home.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// Makes the home with mode 0700. One that exists is narrowed to 0700 if it is
/// empty or ours (our database is in it); another directory is left as it is,
/// with a warning: `/tmp` must not become private because somebody named it.
pub(crate) fn prepare_dir(dir: &Path) -> Result<Option<Warning>, StoreError> {
    let refuse = |error: io::Error| StoreError::io(dir, &error);
    match fs::metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(dir).map_err(refuse)?;
            set_mode(dir, PRIVATE_DIR)?;
            return Ok(None);
        }
        Err(error) => return Err(refuse(error)),
        Ok(meta) if !meta.is_dir() => return Err(refuse(io::ErrorKind::NotADirectory.into())),
        Ok(_) => {}
    }
    let mode = fs::metadata(dir).map_err(refuse)?.permissions().mode() & 0o7777;
    if mode & OTHERS == 0 {
        return Ok(None);
    }
    let empty = fs::read_dir(dir).map_err(refuse)?.next().is_none();
    if mode & STICKY == 0 && (empty || dir.join(DATABASE).exists()) {
        set_mode(dir, PRIVATE_DIR)?;
        return Ok(None);
    }
    Ok(Some(Warning::OpenHome { path: dir.to_path_buf(), mode }))
}

/// Asks the system whether the home and the files in it may be written. SQLite
/// would only say that it cannot open something.
pub(crate) fn require_writable(dir: &Path, database: &Path) -> Result<(), StoreError> {
    let ask = |path: &Path, access: Access| {
        rustix::fs::access(path, access).map_err(|errno| StoreError::io(path, &errno.into()))
    };
    ask(dir, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK)?;
    ask(database, Access::READ_OK | Access::WRITE_OK)
}

/// Creates a file that must not exist, mode 0600 whatever the umask. `false` if it existed.
pub(crate) fn create_private(path: &Path) -> Result<bool, StoreError> {
    match OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path) {
        Ok(file) => {
            file.set_permissions(Permissions::from_mode(PRIVATE_FILE))
                .map_err(|error| StoreError::io(path, &error))?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(StoreError::io(path, &error)),
    }
}

/// Opens a private file for reading and writing, and makes it if need be.
pub(crate) fn open_private(path: &Path) -> Result<File, StoreError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(PRIVATE_FILE)
        .open(path)
        .map_err(|error| StoreError::io(path, &error))
}

/// Takes away what others may do with the database and its side files.
/// SQLite gives new side files the mode of the database.
pub(crate) fn narrow_files(database: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        let path = PathBuf::from(name);
        match fs::metadata(&path) {
            Ok(meta) if meta.permissions().mode() & OTHERS != 0 => set_mode(&path, PRIVATE_FILE)?,
            _ => {}
        }
    }
    Ok(())
}

/// Says whether the directory lies on a network file system.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn network_filesystem(dir: &Path) -> Option<Warning> {
    let stat = rustix::fs::statfs(dir).ok()?;
    // The field is signed, unsigned, or narrower, depending on the architecture;
    // the magic numbers are 32 bits (linux/magic.h).
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    let magic = stat.f_type as u32;
    let kind = network_kind(magic)?;
    Some(Warning::NetworkFilesystem { path: dir.to_path_buf(), kind })
}

/// Only Linux tells the kind of file system by a stable number.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn network_filesystem(_dir: &Path) -> Option<Warning> {
    None
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn network_kind(magic: u32) -> Option<&'static str> {
    match magic {
        0x6969 => Some("nfs"),
        0x517b => Some("smb"),
        0xff53_4d42 => Some("cifs"),
        0xfe53_4d42 => Some("smb2"),
        0x0102_1997 => Some("9p"),
        0x5346_414f => Some("afs"),
        0x7375_7245 => Some("coda"),
        0x00c3_6400 => Some("ceph"),
        _ => None,
    }
}

fn set_mode(path: &Path, mode: u32) -> Result<(), StoreError> {
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(|error| StoreError::io(path, &error))
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        assert_eq!(network_kind(0x6969), Some("nfs"));
        assert_eq!(network_kind(0xff53_4d42), Some("cifs"));
        assert_eq!(network_kind(0xef53), None, "ext4");
        assert_eq!(network_kind(0x0102_1994), None, "tmpfs");
    }
}
