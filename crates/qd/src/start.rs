use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use qd_api::Serving;
use qd_client::Client;
use qd_core::{Code, Problem};
use qd_daemon::Standing;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe::Receiver;
use tokio::time::Instant;

use crate::commands::serve::Listening;
use crate::context::Context;
use crate::failure::Failure;
use crate::process::command;

/// Where the daemon listens when nobody says otherwise.
pub const LISTEN: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 4747));
/// The log of a detached daemon, in its home.
pub const LOG: &str = "daemon.log";
/// Bytes of a log that the next detached daemon still appends to.
const LONGEST_LOG: u64 = 8 << 20;
/// What a daemon that serves says of itself, in its home; without the login link.
const SERVING: &str = "serving.json";
/// How long a daemon may take until it serves.
const LIMIT: Duration = Duration::from_secs(30);

/// The daemon of the home, started when none runs. Also says what it printed, when it was.
pub async fn ensure(context: &Context) -> Result<(Client, Option<Serving>), Failure> {
    let client = context.client();
    match client.health().await {
        Ok(_) => return Ok((client, None)),
        Err(problem) if problem.code == Code::NoDaemon => {}
        Err(problem) => return Err(problem.into()),
    }
    let mut started = detached(context, &Listening::default()).await;
    if code_of(&started) == Some(Code::PortTaken) {
        // Another home's daemon has the usual port. Nobody asked for that one by name.
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listening = Listening { listen: Some(any), ..Listening::default() };
        started = detached(context, &listening).await;
    }
    if code_of(&started) == Some(Code::HomeInUse) {
        // Somebody else starts one in this very moment.
        answered(&client).await?;
        return Ok((context.client(), None));
    }
    started.map(|serving| (context.client(), Some(serving)))
}

/// Starts a daemon in a session of its own, with its stderr in `HOME/daemon.log`, and waits until
/// it serves.
pub async fn detached(context: &Context, listening: &Listening) -> Result<Serving, Failure> {
    outside_sessions(&context.home)?;
    make_home(&context.home)?;
    rotate(&context.home);
    let log = context.home.join(LOG);
    let file = private(&log).map_err(|error| not_writable(&log, &error))?;
    let program = std::env::current_exe()?;
    let mut daemon = command(program);
    daemon.arg("--home").arg(&context.home).args(["--json", "serve", "--detached"]);
    daemon.args(listening.arguments());
    // The daemon belongs to no terminal and to no folder that somebody may want to unmount.
    daemon.current_dir(&context.home).env_remove("TMUX").env_remove("TMUX_PANE");
    daemon.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(file);
    let mut child = daemon.spawn()?;
    let pipe = child.stdout.take().map(std::os::fd::OwnedFd::from);
    let pipe = pipe.ok_or_else(|| std::io::Error::other("the pipe is not there"))?;
    let mut line = String::new();
    let mut reader = BufReader::new(Receiver::from_owned_fd(pipe)?);
    let told = tokio::time::timeout(LIMIT, reader.read_line(&mut line)).await;
    match told {
        Ok(read) => {
            read?;
            reading(&line, &log)
        }
        Err(_) => Err(Failure::new(
            Code::Timeout,
            format!("The daemon did not serve within {} seconds.", LIMIT.as_secs()),
            format!("{} says what it does.", log.display()),
        )),
    }
}

/// Refuses to start a daemon inside a session: the session's init is the parent of all that is
/// started there, and ends it with the session.
pub fn outside_sessions(home: &Path) -> Result<(), Failure> {
    if !inside_a_session(home) {
        return Ok(());
    }
    Err(Failure::new(
        Code::NotAllowed,
        "A daemon that is started inside a session would end with it; nothing was started.",
        "Run `qd` in a terminal outside of sessions. If this is none, unset QD_SESSION.",
    ))
}

/// Refuses to a session what would be done without asking the daemon, which refuses it the rest.
pub fn by_the_owner(home: &Path) -> Result<(), Failure> {
    if !inside_a_session(home) {
        return Ok(());
    }
    Err(Failure::new(
        Code::NotAllowed,
        "A session may not do that; nothing was changed.",
        "Ask from a terminal outside the session. If this is none, unset QD_SESSION.",
    ))
}

fn inside_a_session(home: &Path) -> bool {
    let named = std::env::var_os("QD_SESSION").is_some_and(|value| !value.is_empty());
    let home = home.canonicalize().unwrap_or_else(|_| home.to_path_buf());
    let me = i32::try_from(std::process::id()).unwrap_or(0);
    named || matches!(qd_daemon::standing(me, &home), Standing::Beneath(_))
}

/// Moves a log aside that has become long; one older is kept.
fn rotate(home: &Path) {
    let log = home.join(LOG);
    if log.metadata().is_ok_and(|about| about.len() > LONGEST_LOG) {
        // A log that stays is appended to.
        let _ = std::fs::rename(&log, log.with_extension("log.1"));
    }
}

/// What the first line of a daemon says: that it serves, or why not.
fn reading(line: &str, log: &Path) -> Result<Serving, Failure> {
    if let Ok(serving) = serde_json::from_str(line) {
        return Ok(serving);
    }
    let error = serde_json::from_str(line).ok().and_then(|mut value: Value| {
        serde_json::from_value::<Problem>(value.get_mut("error")?.take()).ok()
    });
    Err(error.map_or_else(
        || {
            Failure::new(
                Code::Internal,
                "The daemon ended before it served.",
                format!("{} says why.", log.display()),
            )
        },
        Failure::from,
    ))
}

async fn answered(client: &Client) -> Result<(), Failure> {
    let deadline = Instant::now() + LIMIT;
    loop {
        match client.health().await {
            Ok(_) => return Ok(()),
            Err(problem) if Instant::now() > deadline => return Err(problem.into()),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Makes the home, for its owner only.
pub fn make_home(home: &Path) -> Result<(), Failure> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home)
        .map_err(|error| not_writable(home, &error))
}

/// Writes down where the page is, for later commands, and where a daemon that takes over is to
/// listen.
pub fn write_serving(home: &Path, serving: &Serving, listening: &Listening) -> Result<(), Failure> {
    let kept = Serving { login_url: String::new(), ..serving.clone() };
    let mut kept = serde_json::to_value(kept)?;
    kept["listen"] = listening.listen.map(|listen| listen.to_string()).into();
    kept["public_url"] = listening.public_url.clone().into();
    kept["speaks_tls"] = listening.tls.into();
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    kept["tls_cert"] = path(&listening.tls_cert).into();
    kept["tls_key"] = path(&listening.tls_key).into();
    let path = home.join(SERVING);
    let write = || -> std::io::Result<()> {
        // A new file in its place: a reader sees the old one or the new one, never a half.
        let fresh = home.join("serving.json.new");
        let mut file = private_new(&fresh)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        std::fs::rename(&fresh, &path)
    };
    write().map_err(|error| not_writable(&path, &error))
}

/// Takes that away again.
pub fn remove_serving(home: &Path) {
    // A file that stays is replaced by the next daemon.
    let _ = std::fs::remove_file(home.join(SERVING));
}

/// Where the daemon that wrote it down listens.
pub fn read_listening(home: &Path) -> Option<Listening> {
    let told: Value = serde_json::from_slice(&std::fs::read(home.join(SERVING)).ok()?).ok()?;
    let text = |name: &str| told.get(name).and_then(Value::as_str);
    // Earlier versions wrote down the page's address only.
    let listen = text("listen").or_else(|| text("url")?.strip_prefix("http://"))?;
    let public_url = text("public_url").map(str::to_owned);
    // Earlier versions took any text, wrote it down, and ended then.
    let public_url = public_url.filter(|url| qd_server::check_public_url(url).is_ok());
    let tls = told.get("speaks_tls").and_then(Value::as_bool).unwrap_or(false);
    let (tls_cert, tls_key) = (text("tls_cert").map(Into::into), text("tls_key").map(Into::into));
    Some(Listening { listen: listen.parse().ok(), public_url, tls, tls_cert, tls_key })
}

/// What the running daemon wrote down.
pub fn read_serving(home: &Path) -> Option<Serving> {
    serde_json::from_slice(&std::fs::read(home.join(SERVING)).ok()?).ok()
}

fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

fn private_new(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)
}

fn not_writable(path: &Path, error: &std::io::Error) -> Failure {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Failure::new(
            Code::DiskFull,
            format!("{} cannot be written: the disk is full.", path.display()),
            "Free some room, then start again. Nothing was lost.",
        );
    }
    Failure::new(
        Code::HomeNotWritable,
        format!("{} cannot be written: {error}.", path.display()),
        "Mend its permissions, or name another home with `--home DIR`.",
    )
}

fn code_of<T>(result: &Result<T, Failure>) -> Option<Code> {
    match result {
        Err(Failure::Problem(problem)) => Some(problem.code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_that_it_serves_or_why_not() {
        let log = Path::new("/h/daemon.log");
        let serving = r#"{"url":"http://127.0.0.1:1","login_url":"","socket":"/s","pid":1,"home":"/h","version":"0"}"#;
        assert_eq!(reading(serving, log).unwrap().pid, 1);
        let error = r#"{"error":{"code":"port_taken","message":"Taken.","hint":"Take another."}}"#;
        assert_eq!(code_of(&reading(error, log)), Some(Code::PortTaken));
        assert_eq!(code_of(&reading("", log)), Some(Code::Internal));
    }

    #[test]
    fn what_is_written_down_is_private_and_holds_no_login() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let serving = Serving {
            url: "http://127.0.0.1:1".into(),
            login_url: "http://127.0.0.1:1/login#secret".into(),
            socket: "/s".into(),
            pid: 1,
            home: "/h".into(),
            version: "0".into(),
            tls: None,
        };
        let listening = Listening {
            listen: Some(SocketAddr::from(([127, 0, 0, 1], 7))),
            public_url: Some("https://x".into()),
            tls: true,
            tls_cert: Some("/c.pem".into()),
            tls_key: Some("/k.pem".into()),
        };
        write_serving(home.path(), &serving, &listening).unwrap();
        assert_eq!(read_listening(home.path()), Some(listening));
        let path = home.path().join(SERVING);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!std::fs::read_to_string(&path).unwrap().contains("secret"));
        assert_eq!(read_serving(home.path()).unwrap().url, serving.url);
        remove_serving(home.path());
        assert_eq!(read_serving(home.path()), None);
    }
}
