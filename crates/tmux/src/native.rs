//! People who attach with `tmux` itself, and how they are seen.

use std::ffi::OsString;
use std::path::Path;

use crate::control::Command;
use crate::server::ServerHandle;
use crate::{Error, Result, SessionKey, SessionRef};

/// The command that attaches to a session, without a daemon as well. The caller
/// sets `TERM` (tmux refuses to attach without one), removes `TMUX`, and leaves
/// the terminal to it.
#[must_use]
pub fn attach_argv(
    tmux: &Path,
    socket: &Path,
    session: &SessionKey,
    read_only: bool,
) -> Vec<OsString> {
    let mut argv: Vec<OsString> = vec![
        tmux.into(),
        // Without it, and without a UTF-8 locale, wide characters become `_`.
        "-u".into(),
        "-S".into(),
        socket.into(),
        "attach-session".into(),
    ];
    if read_only {
        argv.push("-r".into());
    }
    argv.extend(["-t".into(), format!("={}", session.tmux_name()).into()]);
    argv
}

/// A client of our server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeClient {
    /// tmux's name of it, as its terminal's path; notices use the same.
    pub name: String,
    /// The session that it shows.
    pub session: SessionRef,
    /// Its process.
    pub pid: u32,
    /// Columns and rows of its terminal.
    pub size: (u16, u16),
    /// When it was last used: seconds since 1970. Moves when a native client
    /// takes over from another viewer, which no notice tells.
    pub activity: u64,
    /// Whether it may only look.
    pub read_only: bool,
}

/// All native clients; control clients are left out.
///
/// # Errors
/// Those of a command.
pub async fn list_clients(server: &ServerHandle) -> Result<Vec<NativeClient>> {
    let format = "#{client_control_mode} #{session_id} #{client_pid} #{client_width} \
                  #{client_height} #{client_activity} #{client_readonly} #{client_name}";
    let outputs = server.command(Command::new("list-clients").args(["-F", format])).await?;
    let text = String::from_utf8_lossy(outputs.first().map(Vec::as_slice).unwrap_or_default());
    let mut clients = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(8, ' ').collect();
        match parse(&words) {
            Some(client) => clients.push(client),
            // A control client, or one that is just coming or going.
            None if words.first() == Some(&"1") || words.get(1) == Some(&"") => {}
            None => {
                return Err(Error::BadAnswer {
                    command: "list-clients".into(),
                    output: line.to_owned(),
                });
            }
        }
    }
    Ok(clients)
}

fn parse(words: &[&str]) -> Option<NativeClient> {
    let [control, session, pid, cols, rows, activity, read_only, name] = words else {
        return None;
    };
    if *control == "1" {
        return None;
    }
    Some(NativeClient {
        name: (*name).to_owned(),
        session: SessionRef::parse(session)?,
        pid: pid.parse().ok()?,
        size: (cols.parse().ok()?, rows.parse().ok()?),
        activity: activity.parse().ok()?,
        read_only: *read_only == "1",
    })
}
