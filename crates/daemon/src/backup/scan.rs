//! Reading a backup from end to end: nothing in it is believed before all of it was checked.

use std::collections::HashSet;
use std::io::{self, Read};

use qd_core::{Code, Problem};
use sha2::{Digest as _, Sha256};
use tar::{Archive, EntryType};

use super::sums::{Entry, Kind, Sums};
use super::{FORMAT, HEAD, HOME, Head, LARGEST_NOTE, MANIFEST, MANIFEST_SUM, Manifest, Progress};
use super::{damaged, in_worktree, part_of};
use crate::home::hex;

const CHUNK: usize = 256 << 10;
/// Bytes of the longest path in a home.
const LONGEST: usize = 4096;

/// Who is given what is read. The check alone gives it to nobody.
pub(super) trait Sink {
    /// An entry begins. Its parent is a folder that was given before, and never a link.
    fn entry(&mut self, entry: &Entry) -> io::Result<()>;
    /// A part of the content of the file that began last.
    fn content(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// What failed.
pub(super) enum Fault {
    /// The backup, or reading it.
    Backup(Problem),
    /// The sink.
    Sink(io::Error),
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Backup(problem)
    }
}

/// Reads a backup to its end and compares all that it says of itself.
///
/// # Errors
/// [`Code::BackupDamaged`], or [`Code::StoreNewer`] when a newer version wrote it.
pub(super) fn scan(
    from: impl Read,
    sink: &mut impl Sink,
    told: &mut dyn FnMut(Progress),
) -> Result<Manifest, Fault> {
    let mut archive = Archive::new(from);
    let mut scan = Scan { sums: Sums::default(), folders: HashSet::new(), seen: HashSet::new() };
    let entries = archive.entries().map_err(unreadable)?;
    let (mut head, mut manifest, mut ended) = (None::<Head>, None::<(Vec<u8>, Manifest)>, false);
    let mut progress = Progress::default();
    for entry in entries {
        let mut entry = entry.map_err(unreadable)?;
        let name = entry.path_bytes().into_owned();
        match (name.as_slice(), &head, &manifest) {
            (name, None, _) if name == HEAD.as_bytes() => {
                head = Some(read_head(&note(&mut entry)?)?);
            }
            (name, Some(_), None) if name == MANIFEST.as_bytes() => {
                let text = note(&mut entry)?;
                let read = serde_json::from_slice(&text).map_err(damaged)?;
                manifest = Some((text, read));
            }
            (name, Some(_), Some((text, _))) if name == MANIFEST_SUM.as_bytes() && !ended => {
                if note(&mut entry)? != hex(&Sha256::digest(text)).as_bytes() {
                    return Err(damaged("its list of contents has another sum").into());
                }
                ended = true;
            }
            (_, None, _) => return Err(damaged("it is no backup of Quarterdeck").into()),
            (name, Some(_), None) => {
                scan.take(&mut entry, name, sink)?;
                progress.entries += 1;
                progress.bytes += entry.size();
                told(progress);
            }
            _ => return Err(damaged("something stands after its end").into()),
        }
    }
    match (head, manifest, ended) {
        (Some(head), Some((_, manifest)), true) => {
            if manifest.head != head || manifest.parts != scan.sums.parts() {
                return Err(damaged("the sums of its contents are others").into());
            }
            Ok(manifest)
        }
        (None, ..) => Err(damaged("it is no backup of Quarterdeck").into()),
        _ => Err(damaged("its end is missing").into()),
    }
}

struct Scan {
    sums: Sums,
    folders: HashSet<Vec<u8>>,
    seen: HashSet<Vec<u8>>,
}

impl Scan {
    fn take(
        &mut self,
        from: &mut tar::Entry<'_, impl Read>,
        name: &[u8],
        sink: &mut impl Sink,
    ) -> Result<(), Fault> {
        let shown = || String::from_utf8_lossy(name).escape_debug().to_string();
        let path = inside(name).ok_or_else(|| {
            damaged(format!("the entry {} leads out of the home, or has no place in it", shown()))
        })?;
        let part = part_of(path)
            .ok_or_else(|| damaged(format!("the entry {} has no place in a home", shown())))?;
        let kind = match from.header().entry_type() {
            EntryType::Directory => Kind::Folder,
            EntryType::Regular => Kind::File { size: from.size() },
            EntryType::Symlink if in_worktree(path) => {
                let target = from.link_name_bytes().unwrap_or_default().into_owned();
                if target.is_empty() || target.len() >= LONGEST || target.contains(&0) {
                    return Err(damaged(format!("the link {} leads nowhere", shown())).into());
                }
                Kind::Link { target }
            }
            _ => {
                let what = "is a link or a device where a home has none";
                return Err(damaged(format!("the entry {} {what}", shown())).into());
            }
        };
        let parent = path.iter().rposition(|b| *b == b'/').and_then(|end| path.get(..end));
        if parent.is_some_and(|parent| !self.folders.contains(parent)) {
            return Err(damaged(format!("the entry {} is in no folder", shown())).into());
        }
        if !self.seen.insert(path.to_vec()) {
            return Err(damaged(format!("the entry {} is there twice", shown())).into());
        }
        if kind == Kind::Folder {
            self.folders.insert(path.to_vec());
        }
        let header = from.header();
        let entry = Entry {
            path: path.to_vec(),
            kind,
            mode: header.mode().map_err(unreadable)? & 0o777,
            mtime: header.mtime().map_err(unreadable)?,
        };
        let sum = self.sums.entry(part, &entry);
        sink.entry(&entry).map_err(Fault::Sink)?;
        if !matches!(entry.kind, Kind::File { .. }) {
            return Ok(());
        }
        let mut buffer = vec![0; CHUNK];
        let mut left = from.size();
        loop {
            let read = from.read(&mut buffer).map_err(unreadable)?;
            let bytes = buffer.get(..read).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            left = left.saturating_sub(read as u64);
            sum.content(bytes);
            sink.content(bytes).map_err(Fault::Sink)?;
        }
        if left > 0 { Err(damaged("its end is missing").into()) } else { Ok(()) }
    }
}

/// The path beneath the home, when it is one: plain names between single slashes.
fn inside(name: &[u8]) -> Option<&[u8]> {
    let path = name.strip_prefix(HOME.as_bytes())?.strip_prefix(b"/")?;
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let plain = |word: &[u8]| !matches!(word, b"" | b"." | b"..") && !word.contains(&0);
    (path.len() < LONGEST && path.split(|b| *b == b'/').all(plain)).then_some(path)
}

fn note(entry: &mut tar::Entry<'_, impl Read>) -> Result<Vec<u8>, Problem> {
    if entry.header().entry_type() != EntryType::Regular || entry.size() > LARGEST_NOTE {
        return Err(damaged("it is no backup of Quarterdeck"));
    }
    let mut bytes = vec![];
    entry.read_to_end(&mut bytes).map_err(damaged)?;
    Ok(bytes)
}

fn read_head(bytes: &[u8]) -> Result<Head, Problem> {
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(damaged)?;
    if value.get("kind").and_then(|kind| kind.as_str()) != Some("quarterdeck-backup") {
        return Err(damaged("it is no backup of Quarterdeck"));
    }
    // Asked first: what a newer version writes may have another form from here on.
    let number = |name| value.get(name).and_then(serde_json::Value::as_u64);
    let newer = number("format").is_none_or(|format| format > u64::from(FORMAT))
        || number("schema").is_none_or(|schema| schema > u64::from(qd_store::SCHEMA_VERSION));
    if newer {
        let version = value.get("version").and_then(|v| v.as_str()).unwrap_or("a newer version");
        return Err(Problem::new(
            Code::StoreNewer,
            format!("The backup was written by Quarterdeck {version}, which is newer than this."),
            "Install that version or a later one, then restore. Nothing was restored.",
        ));
    }
    serde_json::from_value(value).map_err(damaged)
}

fn unreadable(error: io::Error) -> Fault {
    Fault::Backup(damaged(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_are_inside() {
        assert_eq!(inside(b"home/a/b"), Some(b"a/b".as_slice()));
        assert_eq!(inside(b"home/a/"), Some(b"a".as_slice()));
        for bad in [
            "home/..",
            "home/a/../b",
            "/home/a",
            "home",
            "home/",
            "home//a",
            "home/./a",
            "a",
            "homes/a",
            "home/a//",
            "../home/a",
            "home/a\0b",
        ] {
            assert_eq!(inside(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
