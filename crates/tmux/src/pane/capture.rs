//! What tmux itself shows in a pane: the start of a stream that has none.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::link::Pane;
use crate::control::{Command, CommandList, format_literal};
use crate::server::Version;
use crate::{Error, Result};

/// A screen as tmux has it. Modes that formats of 3.3a do not tell (bracketed
/// paste, focus reports, cursor shape) are not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Cursor, from 0.
    pub cursor: (u16, u16),
    /// Whether it shows.
    pub cursor_visible: bool,
    /// Whether the alternate screen is on.
    pub alternate: bool,
    /// DECCKM.
    pub application_cursor: bool,
    /// DECKPAM.
    pub application_keypad: bool,
    /// IRM.
    pub insert: bool,
    /// DECAWM.
    pub wrap: bool,
    /// DECOM.
    pub origin: bool,
    /// Modes 1000, 1002, 1003.
    pub mouse: (bool, bool, bool),
    /// Mode 1006.
    pub mouse_sgr: bool,
    /// The scroll region: first and last row, from 0.
    pub scroll_region: (u16, u16),
    /// The title that the program set.
    pub title: String,
    /// History and screen: lines with SGR sequences, each ended by a newline.
    /// The last `size.1` of them are the screen.
    pub lines: Vec<u8>,
    /// The primary screen, while the alternate one is on.
    pub primary: Option<Vec<u8>>,
}

/// One line of one answer; the title comes last as it may hold anything.
pub(crate) const FORMAT: &str = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} \
    #{alternate_on} #{keypad_cursor_flag} #{keypad_flag} #{insert_flag} #{wrap_flag} \
    #{origin_flag} #{mouse_standard_flag} #{mouse_button_flag} #{mouse_any_flag} \
    #{mouse_sgr_flag} #{scroll_region_upper} #{scroll_region_lower} #{pane_title}";

impl Pane {
    /// What tmux shows now, with so many lines of history. Beside a running tap
    /// this races with it; see [`Pane::retap`] for the exact one.
    ///
    /// # Errors
    /// Those of a command.
    pub async fn capture(&self, history: u32) -> Result<Snapshot> {
        self.capture_after(None, history).await
    }

    /// Runs a command and captures, with no read of the pane in between.
    pub(crate) async fn capture_after(
        &self,
        first: Option<Command>,
        history: u32,
    ) -> Result<Snapshot> {
        let file = self.capture_file();
        let state = Command::new("display-message").args(["-p", "-t", &self.target(), FORMAT]);
        let list = match first {
            Some(first) => CommandList::new(first).then(state),
            None => CommandList::new(state),
        };
        let start = format!("-{history}");
        let cells = self.cells().await?;
        let list = self.capture_to(list, &["-S", &start], &file, cells);
        let outputs = self.panes.server.command_in(self.address.generation, list).await?;
        let lines = take(&file).await?;
        // The state is the answer before those of capture, save and delete.
        let said = outputs.get(outputs.len().wrapping_sub(4)).map(Vec::as_slice);
        let mut snapshot = parse(said.unwrap_or_default()).ok_or_else(|| Error::BadAnswer {
            command: "display-message".into(),
            output: String::from_utf8_lossy(said.unwrap_or_default()).into_owned(),
        })?;
        snapshot.lines = lines;
        if snapshot.alternate {
            snapshot.primary = self.capture_primary(&file, cells).await;
        }
        Ok(snapshot)
    }

    /// The saved primary screen. It does not change under an alternate one, so it
    /// may be asked for afterwards; in the same list it would be an error, and
    /// end the list, when there is none.
    async fn capture_primary(&self, file: &Path, cells: &'static str) -> Option<Vec<u8>> {
        let ask = Command::new("display-message").args(["-p", "-t", &self.target(), "x"]);
        let list = self.capture_to(ask.into(), &["-a"], file, cells);
        self.panes.server.command_in(self.address.generation, list).await.ok()?;
        take(file).await.ok()
    }

    /// By a file, not in the answer: a screen may hold any line, also one that
    /// closes the answer to a question whose number was guessed.
    fn capture_to(
        &self,
        list: CommandList,
        args: &[&str],
        file: &Path,
        cells: &'static str,
    ) -> CommandList {
        let buffer = format!("qd-{}", self.key);
        list.then(
            Command::new("capture-pane")
                .args([cells, "-t", &self.target(), "-b", &buffer])
                .args(args),
        )
        // tmux expands this path as a format.
        .then(
            Command::new("save-buffer")
                .args(["-b", &buffer])
                .bytes(&format_literal(file.as_os_str().as_bytes())),
        )
        .then(Command::new("delete-buffer").args(["-b", &buffer]))
    }

    /// What to ask for so that blanks come where the program wrote them, and nowhere else. From 3.4
    /// on, tmux fills up each row unless it is told not to.
    async fn cells(&self) -> Result<&'static str> {
        let version = self.panes.server.ensure().await?.version;
        let fills = Version::parse(&version).is_some_and(|version| version.number >= (3, 4));
        Ok(if fills { "-eNT" } else { "-eN" })
    }

    fn target(&self) -> String {
        self.address.pane.to_string()
    }

    fn capture_file(&self) -> PathBuf {
        self.panes.config.pane_dir.join(format!("{}.capture", self.key))
    }
}

async fn take(file: &Path) -> Result<Vec<u8>> {
    let bytes = tokio::fs::read(file).await.map_err(Error::io("read what tmux captured"))?;
    drop(tokio::fs::remove_file(file).await);
    Ok(bytes)
}

pub(crate) fn parse(line: &[u8]) -> Option<Snapshot> {
    let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned();
    let words: Vec<&str> = line.splitn(18, ' ').collect();
    let title = (*words.get(17)?).to_owned();
    let number = |i: usize| words.get(i).and_then(|w| w.parse::<u16>().ok());
    let flag = |i: usize| words.get(i).is_some_and(|w| *w == "1");
    Some(Snapshot {
        size: (number(0)?, number(1)?),
        cursor: (number(2)?, number(3)?),
        cursor_visible: flag(4),
        alternate: flag(5),
        application_cursor: flag(6),
        application_keypad: flag(7),
        insert: flag(8),
        wrap: flag(9),
        origin: flag(10),
        mouse: (flag(11), flag(12), flag(13)),
        mouse_sgr: flag(14),
        scroll_region: (number(15)?, number(16)?),
        title,
        lines: Vec::new(),
        primary: None,
    })
}
