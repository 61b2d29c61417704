//! What panes there are, for those who have to make their records agree.

use super::host::Panes;
use crate::control::Command;
use crate::server::ServerHandle;
use crate::{Error, Generation, PaneId, PaneRef, Result, SessionKey, SessionRef, WindowRef};

/// A pane of the server, ours or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPane {
    /// Its address.
    pub address: PaneRef,
    /// The process that tmux started in it: our init, when it is ours.
    pub pid: u32,
    /// Its terminal.
    pub tty: String,
    /// Whether its process has ended.
    pub dead: bool,
    /// Whether something is piped.
    pub piped: bool,
    /// Columns and rows of its window.
    pub size: (u16, u16),
    /// Our session, when the tmux session carries our marks.
    pub session: Option<SessionKey>,
    /// The owner's mark.
    pub owner: String,
    /// The creation that made it.
    pub nonce: String,
}

impl Panes {
    /// All panes of our server, those of other windows that a program opened by
    /// itself included. The control session's own is left out. None without a
    /// server; none is started.
    ///
    /// # Errors
    /// When it is unknown what there is.
    pub async fn list(&self) -> Result<Vec<ListedPane>> {
        match self.server.join().await? {
            Some(info) => list(&self.server, info.generation).await,
            None => Ok(Vec::new()),
        }
    }
}

/// A session and the creation that made it.
#[derive(Debug)]
pub(crate) struct ListedSession {
    pub session: SessionRef,
    pub nonce: String,
}

pub(crate) async fn sessions(server: &ServerHandle) -> Result<Vec<ListedSession>> {
    let command = Command::new("list-sessions").args(["-F", "#{session_id} #{@qd-nonce}"]);
    let outputs = server.command(command).await?;
    Ok(lines(&outputs)
        .filter_map(|line| {
            let (session, nonce) = line.split_once(' ')?;
            Some(ListedSession { session: SessionRef::parse(session)?, nonce: nonce.to_owned() })
        })
        .collect())
}

async fn list(server: &ServerHandle, generation: Generation) -> Result<Vec<ListedPane>> {
    // No field before the marks can hold a space; no field at all is free text.
    let format = "#{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{pane_pipe} \
                  #{window_width} #{window_height} #{session_name} #{pane_tty} \
                  #{@qd-owner} #{@qd-session} #{@qd-nonce}";
    let command = Command::new("list-panes").args(["-a", "-F", format]);
    let outputs = server.command_in(generation, command).await?;
    let mut panes = Vec::new();
    for line in lines(&outputs) {
        let (hold, pane) = parse(&line, generation).ok_or_else(|| Error::BadAnswer {
            command: "list-panes".into(),
            output: line.clone(),
        })?;
        if !hold {
            panes.push(pane);
        }
    }
    Ok(panes)
}

fn parse(line: &str, generation: Generation) -> Option<(bool, ListedPane)> {
    let words: Vec<&str> = line.splitn(13, ' ').collect();
    let [session, window, pane, pid, dead, piped, cols, rows, name, tty, owner, key, nonce] =
        words[..]
    else {
        return None;
    };
    let address = PaneRef {
        generation,
        session: SessionRef::parse(session)?,
        window: WindowRef::parse(window)?,
        pane: PaneId::parse(pane)?,
    };
    let pane = ListedPane {
        address,
        pid: pid.parse().ok()?,
        tty: tty.to_owned(),
        dead: dead == "1",
        piped: piped == "1",
        size: (cols.parse().ok()?, rows.parse().ok()?),
        session: SessionKey::new(key),
        owner: owner.to_owned(),
        nonce: nonce.to_owned(),
    };
    Some((name == crate::server::HOLD_SESSION, pane))
}

fn lines(outputs: &[Vec<u8>]) -> impl Iterator<Item = String> {
    let text = outputs.first().map(|o| String::from_utf8_lossy(o).into_owned());
    let lines: Vec<String> = text.unwrap_or_default().lines().map(str::to_owned).collect();
    lines.into_iter()
}
