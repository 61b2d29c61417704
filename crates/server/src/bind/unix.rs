use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use qd_core::{Code, Problem};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

/// Clients that may wait to be accepted.
const BACKLOG: i32 = 128;

/// Binds a Unix socket that only its owner can reach.
pub(super) fn bind(path: &Path) -> Result<UnixListener, Problem> {
    if let Some(folder) = path.parent() {
        let made = DirBuilder::new().mode(0o700).recursive(true).create(folder);
        made.map_err(|error| not_made(path, &error))?;
    }
    clear(path)?;
    listen(path).map_err(|error| not_made(path, &error))
}

/// Takes away the socket of a daemon that is gone. The caller holds the lock of the home, so
/// that no other daemon of this home is about to bind it.
fn clear(path: &Path) -> Result<(), Problem> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found.map_err(|error| not_made(path, &error))?,
    };
    if !found.file_type().is_socket() {
        let taken = io::Error::new(ErrorKind::AlreadyExists, "something else is there");
        return Err(not_made(path, &taken));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| not_made(path, &error))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(not_made(path, &error)),
        Ok(_) => Err(Problem::new(
            Code::HomeInUse,
            format!("A daemon answers on {}; nothing was started.", path.display()),
            "Use it, or end it with `qd stop`.",
        )),
    }
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    let socket = rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    // Between the two nobody can connect, so that at no moment the socket is open to others.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(UnixListener::from(socket))
}

pub(super) fn not_made(path: &Path, error: &io::Error) -> Problem {
    Problem::new(
        Code::HomeNotWritable,
        format!("The socket {} cannot be made: {error}.", path.display()),
        "Check the folder, or use another home with --home.",
    )
}
