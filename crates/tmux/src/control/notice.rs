//! Notifications: what tmux tells a control client unasked.

use crate::{PaneId, SessionRef, WindowRef};

/// A notification. Those that nothing of ours depends on are [`Notice::Other`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A client, native ones included, now shows another session.
    ClientSessionChanged {
        /// tmux's name of the client (its terminal, or `client-PID`).
        client: String,
        /// What it shows now.
        session: Option<SessionRef>,
    },
    /// A client is gone.
    ClientDetached {
        /// tmux's name of the client.
        client: String,
    },
    /// A session was made or ended.
    SessionsChanged,
    /// A window was closed.
    WindowClosed(Option<WindowRef>),
    /// A pane entered or left a mode (a wrong configuration shows so).
    PaneModeChanged(Option<PaneId>),
    /// The server ends this client.
    Exit {
        /// Its reason, often none.
        reason: Option<String>,
    },
    /// Anything else, by its name.
    Other(String),
}

impl Notice {
    /// Reads one line that begins with `%`.
    #[must_use]
    pub fn parse(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        let mut words = text.splitn(3, ' ');
        let name = words.next().unwrap_or_default();
        let first = words.next();
        let rest = words.next();
        match name {
            "%client-session-changed" => Self::ClientSessionChanged {
                client: first.unwrap_or_default().to_owned(),
                session: rest.and_then(|r| SessionRef::parse(r.split(' ').next()?)),
            },
            "%client-detached" => {
                Self::ClientDetached { client: first.unwrap_or_default().to_owned() }
            }
            "%sessions-changed" => Self::SessionsChanged,
            "%window-close" | "%unlinked-window-close" => {
                Self::WindowClosed(first.and_then(WindowRef::parse))
            }
            "%pane-mode-changed" => Self::PaneModeChanged(first.and_then(PaneId::parse)),
            "%exit" => {
                Self::Exit { reason: text.split_once(' ').map(|(_, reason)| reason.to_owned()) }
            }
            other => Self::Other(other.trim_start_matches('%').to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_used() {
        assert_eq!(
            Notice::parse(b"%client-session-changed /dev/pts/4 $3 qd-a b"),
            Notice::ClientSessionChanged {
                client: "/dev/pts/4".into(),
                session: Some(SessionRef(3))
            }
        );
        assert_eq!(
            Notice::parse(b"%client-detached client-12"),
            Notice::ClientDetached { client: "client-12".into() }
        );
        assert_eq!(Notice::parse(b"%exit"), Notice::Exit { reason: None });
        assert_eq!(
            Notice::parse(b"%exit too far behind"),
            Notice::Exit { reason: Some("too far behind".into()) }
        );
        assert_eq!(Notice::parse(b"%layout-change @1 x"), Notice::Other("layout-change".into()));
        assert_eq!(
            Notice::parse(b"%unlinked-window-close @7"),
            Notice::WindowClosed(Some(WindowRef(7)))
        );
    }
}
