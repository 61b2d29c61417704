//! What is kept of a session's screen while no daemon or no program is there.

use std::path::PathBuf;

use qd_core::Size;

use super::Owner;

impl Owner {
    pub(super) fn screen_file(&self) -> PathBuf {
        self.shared.home.session(&self.id).join("screen")
    }

    fn output_file(&self) -> PathBuf {
        self.shared.home.session(&self.id).join("output")
    }

    /// Keeps the screen and its history, with the number of the next byte before it; and the
    /// last output, for viewers that come back with the number of a byte that they had not got.
    pub(super) fn save_screen(&self) {
        let folder = self.shared.home.session(&self.id);
        let size = self.terminal.size();
        let mut bytes =
            format!("qd-screen 1 {} {} {}\n", self.terminal.ring().end(), size.cols, size.rows)
                .into_bytes();
        bytes.extend_from_slice(&self.terminal.screen().snapshot(usize::MAX));
        let (start, output) = self.log(None);
        let output = [format!("qd-output 1 {start}\n").as_bytes(), &output].concat();
        let saved = crate::home::make_folder(&folder)
            .and_then(|()| crate::home::write_private(&self.output_file(), &output))
            .and_then(|()| crate::home::write_private(&self.screen_file(), &bytes));
        if let Err(error) = saved {
            tracing::warn!(session = %self.id, %error, "the last screen was not kept");
        }
    }

    /// The kept screen: the number of the next byte, the size, and what draws it.
    pub(super) fn saved_screen(&self) -> Option<(u64, Size, Vec<u8>)> {
        let bytes = std::fs::read(self.screen_file()).ok()?;
        let end = bytes.iter().position(|b| *b == b'\n')?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let mut words = head.split(' ');
        if (words.next(), words.next()) != (Some("qd-screen"), Some("1")) {
            return None;
        }
        let mut number = || words.next()?.parse::<u64>().ok();
        let (seq, cols, rows) = (number()?, number()?, number()?);
        let size = Size::clamped(u32::try_from(cols).ok()?, u32::try_from(rows).ok()?);
        Some((seq, size, bytes[end + 1..].to_vec()))
    }

    /// The kept output: the number of its first byte, and the bytes.
    pub(super) fn saved_output(&self) -> Option<(u64, Vec<u8>)> {
        let mut bytes = std::fs::read(self.output_file()).ok()?;
        let end = bytes.iter().position(|b| *b == b'\n')?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let start = head.strip_prefix("qd-output 1 ")?.parse().ok()?;
        bytes.drain(..=end);
        Some((start, bytes))
    }

    /// What was kept at one stop must not be taken for what is kept at the next.
    pub(super) fn forget_screen(&self) {
        for file in [self.screen_file(), self.output_file()] {
            if let Err(error) = std::fs::remove_file(file)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(session = %self.id, %error, "a kept screen stayed");
            }
        }
    }

    pub(super) fn forget_files(&self) {
        if let Err(error) = std::fs::remove_dir_all(self.shared.home.session(&self.id))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(session = %self.id, %error, "the files of a purged session stayed");
        }
    }
}
