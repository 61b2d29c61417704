//! Where sockets live. A Unix socket's path holds some 107 bytes, and homes can
//! be longer: then the sockets go to a short directory named by a hash.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// The longest socket path that is used, in bytes. The kernel takes 107; some
/// platforms less.
pub const MAX_SOCKET_PATH: usize = 99;

/// The longest file name of a socket below the directory, with its slash.
const LONGEST_NAME: usize = 1 + 2 + crate::SessionKey::MAX_LEN;

/// Gives the directory for the sockets of a home, made if need be: `HOME/run`
/// when paths in it are short enough, else a hashed one below `xdg_runtime_dir`
/// (if that is private and short) or `/tmp/qd-UID`.
///
/// The same home gives the same directory, as long as `xdg_runtime_dir` stays.
///
/// # Errors
/// [`Error::UnsafeDirectory`] when a directory is a link, of somebody else, or
/// open to others: never used and never "mended", since somebody else may hold
/// it. [`Error::Io`] when it cannot be made.
pub fn runtime_dir(home: &Path, xdg_runtime_dir: Option<&Path>) -> Result<PathBuf> {
    let near = home.join("run");
    if fits(&near) {
        make_private(&near)?;
        return Ok(near);
    }
    let digest = Sha256::digest(home.as_os_str().as_bytes());
    let mut name = OsString::from("qd-");
    for byte in digest.iter().take(8) {
        name.push(format!("{byte:02x}"));
    }
    if let Some(base) = xdg_runtime_dir {
        let dir = base.join(&name);
        if base.is_absolute() && fits(&dir) && check_private(base).is_ok() {
            make_private(&dir)?;
            return Ok(dir);
        }
    }
    let base = PathBuf::from(format!("/tmp/qd-{}", rustix::process::geteuid().as_raw()));
    make_private(&base)?;
    let dir = base.join(&name);
    make_private(&dir)?;
    Ok(dir)
}

/// Whether this path can name a socket.
///
/// # Errors
/// [`Error::SocketPathTooLong`].
pub fn check_socket_path(path: &Path) -> Result<()> {
    if path.as_os_str().len() > MAX_SOCKET_PATH {
        return Err(Error::SocketPathTooLong { path: path.to_owned(), max: MAX_SOCKET_PATH });
    }
    Ok(())
}

fn fits(dir: &Path) -> bool {
    dir.as_os_str().len() + LONGEST_NAME <= MAX_SOCKET_PATH
}

/// Makes a directory with mode 0700, or checks the one that is there.
fn make_private(dir: &Path) -> Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(Error::io(format!("make {}", dir.display()))(e)),
    }
    check_private(dir)
}

fn check_private(dir: &Path) -> Result<()> {
    let unsafe_dir = |why: String| Error::UnsafeDirectory { path: dir.to_owned(), why };
    // Not `metadata`: that would follow a link that somebody planted.
    let meta = fs::symlink_metadata(dir).map_err(|e| unsafe_dir(e.to_string()))?;
    if !meta.is_dir() {
        return Err(unsafe_dir("it is no directory".into()));
    }
    let me = rustix::process::geteuid().as_raw();
    if meta.uid() != me {
        return Err(unsafe_dir(format!("it belongs to user {}, not {me}", meta.uid())));
    }
    if meta.mode() & 0o077 != 0 {
        return Err(unsafe_dir(format!("others may enter it (mode {:o})", meta.mode() & 0o777)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_short_home_keeps_its_sockets() {
        let home = tempfile::Builder::new().prefix("q").tempdir_in("/tmp").unwrap();
        assert_eq!(runtime_dir(home.path(), None).unwrap(), home.path().join("run"));
        // And again, now that it is there.
        assert_eq!(runtime_dir(home.path(), None).unwrap(), home.path().join("run"));
    }

    #[test]
    fn a_long_home_goes_to_a_short_one() {
        let base = tempfile::Builder::new().prefix("q").tempdir_in("/tmp").unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let home = base.path().join("x".repeat(120));
        let other = base.path().join("y".repeat(120));
        fs::create_dir(&home).unwrap();
        let dir = runtime_dir(&home, Some(base.path())).unwrap();
        assert!(dir.starts_with(base.path()) && fits(&dir), "{dir:?}");
        assert_eq!(dir, runtime_dir(&home, Some(base.path())).unwrap());
        assert_ne!(dir, runtime_dir(&other, Some(base.path())).unwrap());
    }

    #[test]
    fn a_planted_link_or_open_directory_is_refused() {
        let base = tempfile::Builder::new().prefix("q").tempdir_in("/tmp").unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let home = base.path().join("x".repeat(120));
        let dir = runtime_dir(&home, Some(base.path())).unwrap();
        fs::remove_dir(&dir).unwrap();
        std::os::unix::fs::symlink("/tmp", &dir).unwrap();
        assert!(matches!(
            runtime_dir(&home, Some(base.path())),
            Err(Error::UnsafeDirectory { .. })
        ));
        fs::remove_file(&dir).unwrap();
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(
            runtime_dir(&home, Some(base.path())),
            Err(Error::UnsafeDirectory { .. })
        ));
    }
}
