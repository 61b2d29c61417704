mod holder;
mod unix;

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use qd_core::{Code, Problem};

/// Where a daemon listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenSpec {
    /// The TCP address; port 0 picks one.
    pub tcp: SocketAddr,
    /// The path of the Unix socket. Its folder is made, for the owner alone, if it is not there.
    pub socket: PathBuf,
    /// Whether what is spoken at the TCP address is TLS; else it is to be one of loopback.
    pub tls: bool,
}

/// Listeners that are bound and not served yet. Dropped, they take the socket's file with them.
#[derive(Debug)]
pub struct Bound {
    pub(crate) tcp: TcpListener,
    pub(crate) unix: UnixListener,
    addr: SocketAddr,
    tls: bool,
    file: SocketFile,
}

/// The file of a Unix socket. It is taken away with its listener, unless another took its place.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl ListenSpec {
    /// Where the page is when nobody says otherwise.
    pub const DEFAULT_TCP: &'static str = "127.0.0.1:4747";

    /// Reads an `ADDR:PORT`; `localhost` is 127.0.0.1.
    ///
    /// # Errors
    /// `listen_refused` when it is not of the form, or is not a loopback address.
    pub fn parse_tcp(text: &str) -> Result<SocketAddr, Problem> {
        let numeric = match text.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => text.to_owned(),
        };
        let addr = numeric.parse::<SocketAddr>().map_err(|_| {
            Problem::new(
                Code::ListenRefused,
                format!("\u{201c}{text}\u{201d} is not an address to listen on."),
                format!("Give ADDR:PORT, such as {} or 127.0.0.1:0.", Self::DEFAULT_TCP),
            )
            .on("listen")
        })?;
        loopback_only(addr)?;
        Ok(addr)
    }
}

impl Bound {
    /// The address of the page on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        if self.addr.ip().is_unspecified() {
            return format!("{scheme}://localhost:{}", self.addr.port());
        }
        format!("{scheme}://{}", self.addr)
    }

    /// The TCP address, with the port that was picked.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The path of the Unix socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.file.path
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|now| (now.dev(), now.ino()) == self.identity);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "the socket's file stays");
        }
    }
}

/// Binds both listeners. Nothing is accepted until [`crate::serve`]; clients that come before
/// wait in the backlog.
///
/// # Errors
/// `listen_refused` for an address off loopback without TLS, or one that this machine does not
/// have; `port_taken`; `home_in_use` when a daemon answers on the socket;
/// `home_not_writable` when the socket cannot be made.
pub fn bind(spec: &ListenSpec) -> Result<Bound, Problem> {
    if !spec.tls {
        loopback_only(spec.tcp)?;
    }
    let unix = unix::bind(&spec.socket)?;
    let identity = fs::symlink_metadata(&spec.socket)
        .map(|made| (made.dev(), made.ino()))
        .map_err(|error| unix::not_made(&spec.socket, &error))?;
    let file = SocketFile { path: spec.socket.clone(), identity };
    let tcp = TcpListener::bind(spec.tcp).map_err(|error| tcp_refused(spec.tcp, &error))?;
    let prepare = || -> std::io::Result<SocketAddr> {
        tcp.set_nonblocking(true)?;
        unix.set_nonblocking(true)?;
        tcp.local_addr()
    };
    let addr = prepare().map_err(|error| tcp_refused(spec.tcp, &error))?;
    Ok(Bound { tcp, unix, addr, tls: spec.tls, file })
}

fn loopback_only(addr: SocketAddr) -> Result<(), Problem> {
    if addr.ip().is_loopback() {
        return Ok(());
    }
    Err(Problem::new(
        Code::ListenRefused,
        format!("{addr} is not a loopback address, and there is no TLS to protect it."),
        "Add --tls; or listen on 127.0.0.1 and reach it by `ssh -L`, a tunnel or a proxy with \
         TLS, and name that with --public-url.",
    )
    .on("listen"))
}

fn tcp_refused(addr: SocketAddr, error: &std::io::Error) -> Problem {
    if error.kind() == std::io::ErrorKind::AddrInUse {
        let who = match holder::of_port(addr.port()) {
            Some(holder) => format!("{} (process {})", holder.name, holder.pid),
            None => "another program".to_owned(),
        };
        return Problem::new(
            Code::PortTaken,
            format!("Port {} is taken by {who}; nothing was started.", addr.port()),
            "Stop that program, or pick a free port with `--listen 127.0.0.1:0`.",
        )
        .on("listen");
    }
    let hint = if error.kind() == std::io::ErrorKind::PermissionDenied {
        "Ports below 1024 belong to root: take a higher one, or `--listen 127.0.0.1:0`."
    } else {
        "Give an address of this machine, such as `--listen 127.0.0.1:0`."
    };
    Problem::new(Code::ListenRefused, format!("{addr} cannot be listened on: {error}."), hint)
        .on("listen")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn spec(folder: &Path, tcp: &str) -> ListenSpec {
        ListenSpec { tcp: tcp.parse().unwrap(), socket: folder.join("run/qd.sock"), tls: false }
    }

    #[test]
    fn binds_both_and_takes_the_socket_away() {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), "127.0.0.1:0");
        let bound = bind(&spec).unwrap();
        assert_ne!(bound.addr().port(), 0);
        assert_eq!(bound.url(), format!("http://127.0.0.1:{}", bound.addr().port()));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&spec.socket), 0o600);
        assert_eq!(mode(&folder.path().join("run")), 0o700);
        drop(bound);
        assert!(!spec.socket.exists());
    }

    #[test]
    fn a_taken_port_names_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = other.local_addr().unwrap().port();
        let spec = spec(folder.path(), &format!("127.0.0.1:{port}"));
        let problem = bind(&spec).unwrap_err();
        assert_eq!(problem.code, Code::PortTaken);
        let me = format!("process {}", std::process::id());
        assert!(problem.message.contains(&me), "{}", problem.message);
        assert!(problem.hint.contains("--listen 127.0.0.1:0"));
        assert!(!spec.socket.exists(), "a bind that fails leaves nothing");
    }

    #[test]
    fn off_loopback_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for tcp in ["0.0.0.0:0", "[::]:0", "192.0.2.1:4747"] {
            assert_eq!(bind(&spec(folder.path(), tcp)).unwrap_err().code, Code::ListenRefused);
            assert_eq!(ListenSpec::parse_tcp(tcp).unwrap_err().code, Code::ListenRefused);
        }
        let secure = ListenSpec { tls: true, ..spec(folder.path(), "0.0.0.0:0") };
        let bound = bind(&secure).unwrap();
        assert_eq!(bound.url(), format!("https://localhost:{}", bound.addr().port()));
        drop(bound);
        for bad in ["", "4747", "127.0.0.1", "example.org:80", "127.0.0.1:99999"] {
            assert_eq!(ListenSpec::parse_tcp(bad).unwrap_err().code, Code::ListenRefused, "{bad}");
        }
        assert_eq!(ListenSpec::parse_tcp("localhost:0"), Ok("127.0.0.1:0".parse().unwrap()));
    }

    #[test]
    fn a_socket_that_was_left_behind_is_replaced_and_a_live_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), "127.0.0.1:0");
        fs::create_dir(folder.path().join("run")).unwrap();
        drop(UnixListener::bind(&spec.socket).unwrap());
        assert!(spec.socket.exists());
        let bound = bind(&spec).unwrap();
        assert_eq!(bind(&spec).unwrap_err().code, Code::HomeInUse);
        assert!(spec.socket.exists(), "the loser takes nothing away");
        drop(bound);
    }

    #[test]
    fn what_is_not_a_socket_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), "127.0.0.1:0");
        fs::create_dir(folder.path().join("run")).unwrap();
        fs::write(&spec.socket, "precious").unwrap();
        assert_eq!(bind(&spec).unwrap_err().code, Code::HomeNotWritable);
        assert_eq!(fs::read_to_string(&spec.socket).unwrap(), "precious");
    }
}
