//! Letting go of a pane for good.

use std::time::Duration;

use super::host::Panes;
use super::link::Pane;
use crate::control::Command;
use crate::wire::ToPane;
use crate::{Error, PaneRef, Result, SessionKey};

/// How long an init may take to end what is left and go. Its own steps take at
/// most 7 s.
pub(crate) const GONE: Duration = Duration::from_secs(10);

impl Pane {
    /// Lets the init go after the program has ended: it ends what the program
    /// left behind, and the pane closes. Removes the pane's files.
    ///
    /// # Errors
    /// Those of a command, and [`Error::TimedOut`] when it stays though its session
    /// was killed. Then the pane may be there still, with its files.
    pub async fn leave(mut self) -> Result<()> {
        let sent = self.send(ToPane::Leave).await;
        let gone = match sent {
            Ok(()) => self.wait_gone().await,
            Err(_) => *self.gone.borrow(),
        };
        // tmux sees the end of its child a little later, or, with a child of a
        // child holding the terminal, not at all.
        kill_session(&self.panes, self.address).await?;
        if !gone && !self.wait_gone().await {
            return Err(Error::TimedOut { what: "the end of the pane's init", after: GONE });
        }
        self.panes.config.remove_files(&self.key);
        Ok(())
    }

    /// Kills the tmux session, of exactly this life of the server; the init then
    /// ends the tree. Removes the pane's files.
    ///
    /// # Errors
    /// Those of a command, or a time-out. Then the pane may be there still, with
    /// its files.
    pub async fn kill(mut self) -> Result<()> {
        kill_session(&self.panes, self.address).await?;
        if !self.wait_gone().await {
            return Err(Error::TimedOut { what: "the end of the pane's init", after: GONE });
        }
        self.panes.config.remove_files(&self.key);
        Ok(())
    }

    async fn wait_gone(&mut self) -> bool {
        // Events and taps are not read any more; they must not hold the link up.
        self.events.close();
        self.taps.close();
        tokio::time::timeout(GONE, self.gone.wait_for(|gone| *gone)).await.is_ok()
    }
}

impl Panes {
    /// Kills a pane that nothing else of ours holds (one found by
    /// [`Panes::list`] that no record knows). Only one with our marks.
    ///
    /// # Errors
    /// As [`Pane::kill`].
    pub async fn kill_listed(&self, pane: &super::ListedPane) -> Result<()> {
        if pane.owner != self.config.owner || pane.session.is_none() {
            return Err(Error::BadArgument { what: "the pane", why: "it is not ours" });
        }
        kill_session(self, pane.address).await
    }

    /// Removes the files of a pane that is gone.
    pub fn forget(&self, key: &SessionKey) {
        self.config.remove_files(key);
    }
}

async fn kill_session(panes: &Panes, address: PaneRef) -> Result<()> {
    let kill = Command::new("kill-session").args(["-t", &address.session.to_string()]);
    match panes.server.command_in(address.generation, kill).await {
        Ok(_) => Ok(()),
        // Gone already, which is what was wanted; or with the whole server.
        Err(Error::Refused { message, .. }) if message.contains("can't find") => Ok(()),
        Err(Error::ServerAbsent | Error::StaleGeneration) => Ok(()),
        Err(e) => Err(e),
    }
}
