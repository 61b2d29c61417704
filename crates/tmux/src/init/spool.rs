//! Output kept while no daemon is there, bounded.
//!
//! The rule: two files of at most half the bound each. `spool` is written; when
//! it is full it becomes `spool.1`, in place of an older `spool.1`, whose bytes
//! are then counted as dropped. So the newest half to whole of the bound is
//! kept, in order `spool.1`, `spool`, and the count of what is gone is exact.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The spool of one pane.
#[derive(Debug)]
pub(crate) struct Spool {
    path: PathBuf,
    half: u64,
    file: Option<File>,
    new_bytes: u64,
    old_bytes: u64,
    dropped: u64,
}

impl Spool {
    pub(crate) fn new(path: &Path, cap: u64) -> Self {
        Self {
            path: path.to_owned(),
            half: (cap / 2).max(1),
            file: None,
            new_bytes: 0,
            old_bytes: 0,
            dropped: 0,
        }
    }

    /// Bytes kept, and bytes let go before them.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.old_bytes + self.new_bytes, self.dropped)
    }

    /// Adds bytes. What cannot be written (a full disk) is counted as dropped,
    /// together with all that is kept: a hole in the middle would not show.
    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.new_bytes >= self.half {
                self.turn_over();
            }
            let room = usize::try_from(self.half - self.new_bytes).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            if self.write(now).is_err() {
                let lost = self.old_bytes + self.new_bytes + now.len() as u64;
                self.clear_files();
                self.dropped += lost;
            } else {
                self.new_bytes += now.len() as u64;
            }
            bytes = later;
        }
    }

    /// The daemon has read it.
    pub(crate) fn taken(&mut self) {
        self.clear_files();
        self.dropped = 0;
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            options.create(true).write(true).truncate(true).mode(0o600);
            self.file = Some(options.open(&self.path)?);
        }
        self.file.as_mut().map_or(Ok(()), |f| f.write_all(bytes))
    }

    fn turn_over(&mut self) {
        self.file = None;
        self.dropped += self.old_bytes;
        self.old_bytes = self.new_bytes;
        self.new_bytes = 0;
        if std::fs::rename(&self.path, older(&self.path)).is_err() {
            self.dropped += self.old_bytes;
            self.old_bytes = 0;
        }
    }

    fn clear_files(&mut self) {
        self.file = None;
        drop(std::fs::remove_file(&self.path));
        drop(std::fs::remove_file(older(&self.path)));
        self.new_bytes = 0;
        self.old_bytes = 0;
    }
}

/// The older of the two files.
pub(crate) fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(path: &Path) -> Vec<u8> {
        let mut all = std::fs::read(older(path)).unwrap_or_default();
        all.extend(std::fs::read(path).unwrap_or_default());
        all
    }

    #[test]
    fn keeps_the_newest_and_counts_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let mut spool = Spool::new(&path, 20);
        let all: Vec<u8> = (0..=255).cycle().take(1003).collect();
        for (i, chunk) in all.chunks(7).enumerate() {
            spool.add(chunk);
            let (bytes, dropped) = spool.counts();
            let given = all.len().min((i + 1) * 7);
            assert_eq!(bytes + dropped, given as u64);
            assert_eq!(kept(&path), &all[usize::try_from(dropped).unwrap()..given]);
            assert!(bytes <= 20 && (given < 10 || bytes >= 10), "{bytes}");
        }
        spool.taken();
        assert_eq!(spool.counts(), (0, 0));
        assert_eq!(kept(&path), b"");
        spool.add(b"again");
        assert_eq!(kept(&path), b"again");
    }
}
