//! Sums over the parts of a backup: all that is brought back counts, not only contents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::home::hex;

/// One part of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `database`, `token`, `screens`, `trash/ID`, `worktrees`, or `folders` around them.
    pub name: String,
    /// Files, folders and links in it.
    pub entries: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// The SHA-256 over names, modes, times, targets and contents, in hexadecimal.
    pub sha256: String,
}

/// One entry without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Beneath the home; the parts between slashes are plain names.
    pub(super) path: Vec<u8>,
    pub(super) kind: Kind,
    /// Permission bits.
    pub(super) mode: u32,
    /// Seconds since the Unix epoch.
    pub(super) mtime: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File { size: u64 },
    Link { target: Vec<u8> },
}

/// The sums while they are made.
#[derive(Default)]
pub(super) struct Sums(BTreeMap<String, Sum>);

#[derive(Default)]
pub(super) struct Sum {
    entries: u64,
    bytes: u64,
    hash: Sha256,
}

impl Sums {
    /// Takes an entry in; its content is told to what is given back.
    pub(super) fn entry(&mut self, part: String, entry: &Entry) -> &mut Sum {
        let sum = self.0.entry(part).or_default();
        sum.entries += 1;
        let (kind, extra): (u8, &[u8]) = match &entry.kind {
            Kind::Folder => (b'd', b""),
            Kind::File { .. } => (b'f', b""),
            Kind::Link { target } => (b'l', target),
        };
        let size = if let Kind::File { size } = entry.kind { size } else { 0 };
        sum.bytes += size;
        sum.hash.update([kind]);
        for number in [u64::from(entry.mode), entry.mtime, size, entry.path.len() as u64] {
            sum.hash.update(number.to_be_bytes());
        }
        sum.hash.update(&entry.path);
        sum.hash.update((extra.len() as u64).to_be_bytes());
        sum.hash.update(extra);
        sum
    }

    pub(super) fn parts(self) -> Vec<Part> {
        let part = |(name, sum): (String, Sum)| Part {
            name,
            entries: sum.entries,
            bytes: sum.bytes,
            sha256: hex(&sum.hash.finalize()),
        };
        self.0.into_iter().map(part).collect()
    }
}

impl Sum {
    pub(super) fn content(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
    }
}
