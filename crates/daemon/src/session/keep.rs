//! What is kept of a session's screen at a stop in order, and when its program has ended.

use std::path::{Path, PathBuf};

use qd_core::Size;
use qd_screen::Screen;

use super::Owner;
use super::terminal::drawn;

/// What was kept.
pub(super) struct Kept {
    /// The number of the next byte.
    pub(super) next: u64,
    pub(super) size: Size,
    pub(super) screen: Screen,
    pub(super) output: Option<Output>,
}

/// The last output, for viewers that come back with the number of a byte that they had not got.
pub(super) struct Output {
    /// The number of its first byte.
    pub(super) start: u64,
    /// The number below which nobody is resumed.
    pub(super) redrawn: Option<u64>,
    pub(super) bytes: Vec<u8>,
}

impl Owner {
    pub(super) fn folder(&self) -> PathBuf {
        self.shared.home.session(&self.id)
    }

    /// Keeps the screen and its history, with the number of the next byte before it, and the last
    /// output; whether that could be done.
    pub(super) async fn save_screen(&self) -> bool {
        let folder = self.folder();
        let size = self.terminal.size();
        let mut screen =
            format!("qd-screen 1 {} {} {}\n", self.terminal.ring().end(), size.cols, size.rows)
                .into_bytes();
        screen.extend_from_slice(&self.terminal.screen().snapshot(usize::MAX));
        let (start, output) = self.log(None);
        let redrawn = self.terminal.redrawn().map_or("-".to_owned(), |number| number.to_string());
        let output = [format!("qd-output 2 {start} {redrawn}\n").as_bytes(), &output].concat();
        // A disk may take its time; the threads that serve all sessions do not wait for it.
        let saved = tokio::task::spawn_blocking(move || {
            crate::home::make_folder(&folder)?;
            crate::home::write_private(&output_file(&folder), &output)?;
            crate::home::write_private(&screen_file(&folder), &screen)
        });
        if let Err(error) = saved.await.unwrap_or_else(|fault| Err(fault.into())) {
            tracing::warn!(session = %self.id, %error, "the last screen was not kept");
            return false;
        }
        true
    }

    /// What was kept, drawn.
    pub(super) async fn kept(&self) -> Option<Kept> {
        let folder = self.folder();
        tokio::task::spawn_blocking(move || read(&folder)).await.ok().flatten()
    }

    /// What was kept at one stop must not be taken for what is kept at the next.
    pub(super) fn forget_screen(&self) {
        let folder = self.folder();
        for file in [screen_file(&folder), output_file(&folder)] {
            if let Err(error) = std::fs::remove_file(file)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(session = %self.id, %error, "a kept screen stayed");
            }
        }
    }

    pub(super) fn forget_files(&self) {
        if let Err(error) = std::fs::remove_dir_all(self.folder())
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(session = %self.id, %error, "the files of a purged session stayed");
        }
    }
}

fn screen_file(folder: &Path) -> PathBuf {
    folder.join("screen")
}

fn output_file(folder: &Path) -> PathBuf {
    folder.join("output")
}

fn read(folder: &Path) -> Option<Kept> {
    let (head, drawing) = headed(std::fs::read(screen_file(folder)).ok()?)?;
    let mut words = head.strip_prefix("qd-screen 1 ")?.split(' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    let (next, cols, rows) = (number()?, number()?, number()?);
    let size = Size::clamped(u32::try_from(cols).ok()?, u32::try_from(rows).ok()?);
    Some(Kept { next, size, screen: drawn(size, &drawing), output: read_output(folder) })
}

fn read_output(folder: &Path) -> Option<Output> {
    let (head, bytes) = headed(std::fs::read(output_file(folder)).ok()?)?;
    let (start, redrawn) = head.strip_prefix("qd-output 2 ")?.split_once(' ')?;
    let redrawn = if redrawn == "-" { None } else { Some(redrawn.parse().ok()?) };
    Some(Output { start: start.parse().ok()?, redrawn, bytes })
}

/// The first line, and what follows it.
fn headed(mut bytes: Vec<u8>) -> Option<(String, Vec<u8>)> {
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let head = String::from_utf8(bytes.drain(..=end).take(end).collect()).ok()?;
    Some((head, bytes))
}
