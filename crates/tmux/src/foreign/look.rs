//! How a pane stands, by the words of its server.

use std::time::Duration;

use super::{Foreign, ForeignPane};
use crate::server::Version;
use crate::wire::Exit;
use crate::{Error, Generation, Result};

/// How long a server may take to end once its socket is gone.
const ENDING: Duration = Duration::from_secs(2);

/// How a pane stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// It lives.
    Here {
        /// Columns and rows.
        size: (u16, u16),
        /// Somebody has its stream.
        piped: bool,
        /// When its program ends it stays, dead.
        stays: bool,
    },
    /// Its program has ended, and it was kept; how it ended, where tmux says.
    Dead(Exit),
    /// It is gone, or its whole server is.
    Gone,
}

/// What a question begins with: who answers, and how the pane stands. No part holds a space.
pub(super) struct Standing {
    pub(super) version: String,
    pub(super) device: String,
    pub(super) look: Look,
}

impl Standing {
    pub(super) const FORMAT: &str = "#{version} #{pid} #{start_time} #{pane_id} #{pane_dead} \
        #{pane_pipe} #{remain-on-exit} #{pane_width} #{pane_height} #{pane_tty} \
        #{pane_dead_status} #{pane_dead_signal}";

    /// Reads the answer about a pane; none when it is no answer.
    pub(super) fn parse(line: &str, pane: &ForeignPane) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let version = (*words.first()?).to_owned();
        let generation = Generation {
            pid: words.get(1)?.parse().ok()?,
            start_time: words.get(2)?.parse().ok()?,
        };
        if generation != pane.generation || *words.get(3)? != pane.pane.to_string() {
            // Without such a pane tmux answers, with nothing.
            return Some(Self { version, device: String::new(), look: Look::Gone });
        }
        let [_, _, _, _, dead, piped, stays, cols, rows, device, status, signal] = words[..] else {
            return None;
        };
        let look = if dead == "1" {
            Look::Dead(Exit { code: status.parse().ok(), signal: signal.parse().ok(), lost: false })
        } else {
            Look::Here {
                size: (cols.parse().ok()?, rows.parse().ok()?),
                piped: piped == "1",
                stays: stays != "off",
            }
        };
        Some(Self { version, device: device.to_owned(), look })
    }

    /// Whether `capture-pane` fills rows up with blanks unless it is told not to.
    pub(super) fn fills_rows(&self) -> bool {
        Version::parse(&self.version).is_some_and(|version| version.number >= (3, 4))
    }
}

impl Foreign {
    /// How a pane stands.
    ///
    /// # Errors
    /// When its server does not answer. A pane that cannot be asked for is not gone.
    pub async fn look(&self, pane: &ForeignPane) -> Result<Look> {
        Ok(self.standing(pane).await?.look)
    }

    pub(super) async fn standing(&self, pane: &ForeignPane) -> Result<Standing> {
        let gone = || Standing { version: String::new(), device: String::new(), look: Look::Gone };
        let id = pane.pane.to_string();
        let words = ["display-message", "-p", "-t", id.as_str(), Standing::FORMAT];
        let (said, complaint) = match self.ask(&pane.socket, words).await {
            Ok(answer) => answer,
            // A server that ends takes its socket away before it is gone.
            Err(Error::NoServerThere { .. }) if ended(pane.generation.pid).await => {
                return Ok(gone());
            }
            Err(Error::NoServerThere { socket }) => {
                let why = "its socket was taken away, and it lives".to_owned();
                return Err(Error::ServerUnknown { socket, why });
            }
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&said);
        match text.lines().next().and_then(|line| Standing::parse(line, pane)) {
            Some(standing) => Ok(standing),
            None => match self.no_answer(&pane.socket, &said, complaint) {
                Error::NoServerThere { .. } => Ok(gone()),
                error => Err(error),
            },
        }
    }
}

/// Whether the server has ended, or does in a moment.
async fn ended(pid: u32) -> bool {
    let deadline = tokio::time::Instant::now() + ENDING;
    while is_tmux(pid) {
        if tokio::time::Instant::now() >= deadline {
            return false;
        }
        tokio::time::sleep(ENDING / 100).await;
    }
    true
}

/// Whether the process is a tmux server: one whose socket was removed lives on, and its number
/// may be another's by now.
fn is_tmux(pid: u32) -> bool {
    std::fs::read(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with(b"tmux"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaneId;

    #[test]
    fn an_answer_tells_the_living_the_dead_and_the_gone_apart() {
        let pane = ForeignPane {
            socket: "/s".into(),
            generation: Generation { pid: 7, start_time: 9 },
            pane: PaneId(3),
        };
        let look = |line: &str| Standing::parse(line, &pane).map(|standing| standing.look);
        assert_eq!(
            look("3.3a 7 9 %3 0 1 off 80 24 /dev/pts/4  "),
            Some(Look::Here { size: (80, 24), piped: true, stays: false })
        );
        assert_eq!(
            look("3.3a 7 9 %3 0 0 failed 80 24 /dev/pts/4  "),
            Some(Look::Here { size: (80, 24), piped: false, stays: true })
        );
        let exit = Exit { code: Some(3), signal: None, lost: false };
        assert_eq!(look("3.3a 7 9 %3 1 1 on 80 24 /dev/pts/4 3 "), Some(Look::Dead(exit)));
        assert_eq!(look("3.3a 7 9  0 0 off    "), Some(Look::Gone));
        // Another life of the server has a pane of that number.
        assert_eq!(look("3.3a 8 9 %3 0 0 off 80 24 /dev/pts/4  "), Some(Look::Gone));
        assert_eq!(look("nonsense"), None);
    }
}
