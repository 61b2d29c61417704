//! Finding the pane that a person means.

use std::path::{Path, PathBuf};

use super::target::{Row, Unclear, choose};
use super::{Foreign, ForeignPane};
use crate::server::{Identity, check_age};
use crate::wire::Exit;
use crate::{Error, Result};

/// A pane that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPane {
    /// Which it is.
    pub pane: ForeignPane,
    /// Its name as a target, such as `work:1.0`.
    pub name: String,
    /// The name of its window.
    pub window: String,
    /// The name of the program in its foreground.
    pub command: String,
    /// The folder that this program is in, where tmux can tell.
    pub folder: Option<PathBuf>,
    /// Columns and rows.
    pub size: (u16, u16),
}

impl Foreign {
    /// The pane that a target names, if it can be tapped.
    ///
    /// # Errors
    /// [`Error::NoServerThere`]; [`Error::OwnedServer`], when the server is a Quarterdeck's;
    /// [`Error::PaneMissing`], [`Error::PaneAmbiguous`], [`Error::PaneDead`],
    /// [`Error::PanePiped`].
    pub async fn find(&self, socket: &Path, target: &str) -> Result<FoundPane> {
        let words =
            ["display-message", "-p", Identity::FORMAT, ";", "list-panes", "-a", "-F", Row::FORMAT];
        let (said, complaint) = self.ask(socket, words).await?;
        let text = String::from_utf8_lossy(&said);
        let mut lines = text.lines();
        let Some(identity) = lines.next().and_then(Identity::parse) else {
            return Err(self.no_answer(socket, &said, complaint));
        };
        if let Some(owner) = identity.owner {
            return Err(Error::OwnedServer { socket: socket.into(), owner });
        }
        check_age(&identity.version)?;
        // One whose program has an odd name is no reason to see none of the others.
        let rows: Vec<Row> = lines.filter_map(Row::parse).collect();
        let row = choose(&rows, target).map_err(|unclear| match unclear {
            Unclear::Missing => Error::PaneMissing { target: target.to_owned() },
            Unclear::Ambiguous(fits) => Error::PaneAmbiguous { target: target.to_owned(), fits },
        })?;
        if row.dead {
            let exit = Exit { code: None, signal: None, lost: false };
            return Err(Error::PaneDead { pane: row.name(), exit });
        }
        if row.piped {
            return Err(Error::PanePiped { pane: row.name() });
        }
        let pane =
            ForeignPane { socket: socket.into(), generation: identity.generation, pane: row.pane };
        let folder = self.folder(&pane).await?;
        Ok(FoundPane {
            pane,
            name: row.name(),
            window: row.window_name.clone(),
            command: row.command.clone(),
            folder,
            size: row.size,
        })
    }

    /// The folder of the program in front, else the one that the pane began in.
    async fn folder(&self, pane: &ForeignPane) -> Result<Option<PathBuf>> {
        use std::os::unix::ffi::OsStringExt as _;
        for format in ["#{pane_current_path}", "#{pane_start_path}"] {
            let words = ["display-message", "-p", "-t", &pane.pane.to_string(), format];
            let (mut said, _) = self.ask(&pane.socket, words).await?;
            said.pop();
            let folder = PathBuf::from(std::ffi::OsString::from_vec(said));
            if folder.is_absolute() && folder.is_dir() {
                return Ok(Some(folder));
            }
        }
        Ok(None)
    }
}
