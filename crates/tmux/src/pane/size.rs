//! How large a pane is.

use super::host::Panes;
use crate::control::Command;
use crate::{PaneRef, Result};

impl Panes {
    /// Gives a pane's window this size, in cells.
    ///
    /// # Errors
    /// Those of a command; [`crate::Error::StaleGeneration`] after a restart of tmux.
    pub async fn resize(&self, address: PaneRef, (cols, rows): (u16, u16)) -> Result<()> {
        let command = Command::new("resize-window").args([
            "-t",
            &address.window.to_string(),
            "-x",
            &cols.max(1).to_string(),
            "-y",
            &rows.max(1).to_string(),
        ]);
        self.server.command_in(address.generation, command).await.map(drop)
    }
}
