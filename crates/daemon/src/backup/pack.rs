//! Writing a backup.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use qd_core::{Problem, Session};
use qd_store::DatabaseCopy;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

use super::sums::{Entry, Kind, Sums};
use super::tree::{self, walk};
use super::{FORMAT, HEAD, HOME, Head, MANIFEST, MANIFEST_SUM, Manifest, Options, Progress};
use super::{part_of, system};
use crate::home::hex;
use crate::problems;
use crate::shared::SESSIONS;

/// Bytes read from a file at a time.
const CHUNK: usize = 256 << 10;

/// Writes a backup of a home. `scratch` is a folder of ours, with room for the database, that the
/// caller takes away again; `told` hears of the progress after each entry.
///
/// # Errors
/// When the database is damaged or of a newer version, or something cannot be read or written.
/// What was written until then is no backup.
pub fn pack(
    options: &Options,
    scratch: &Path,
    out: impl Write,
    told: &mut dyn FnMut(Progress),
) -> Result<Manifest, Problem> {
    // First of all: what comes to the trash after this moment is not in the database either.
    let copy = DatabaseCopy::make(&options.home, &scratch.join("quarterdeck.db"))
        .map_err(|error| problems::store(&error))?;
    let sessions = sessions(&copy)?;
    let head = Head {
        kind: "quarterdeck-backup".to_owned(),
        format: FORMAT,
        version: options.version.clone(),
        made_at: options.made_at.clone(),
        home: options.home.to_string_lossy().into_owned(),
        schema: copy.schema_version().map_err(|error| problems::store(&error))?,
    };
    let mut pack = Pack {
        tar: Builder::new(out),
        sums: Sums::default(),
        notes: vec![],
        progress: Progress::default(),
        told,
    };
    let written = pack.all(options, &copy, &sessions, &head);
    let written = written.and_then(|()| pack.close(head));
    written.map_err(|error| system("Writing the backup", &error))
}

/// The sessions that a database knows; those that cannot be read stay in it all the same.
pub(super) fn sessions(copy: &DatabaseCopy) -> Result<Vec<Session>, Problem> {
    let list = copy.list(SESSIONS).map_err(|error| problems::store(&error))?;
    Ok(list.into_iter().filter_map(|(_, value)| serde_json::from_value(value).ok()).collect())
}

struct Pack<'a, W: Write> {
    tar: Builder<W>,
    sums: Sums,
    notes: Vec<String>,
    progress: Progress,
    told: &'a mut dyn FnMut(Progress),
}

impl<W: Write> Pack<'_, W> {
    fn all(
        &mut self,
        options: &Options,
        copy: &DatabaseCopy,
        sessions: &[Session],
        head: &Head,
    ) -> io::Result<()> {
        self.note(HEAD, &serde_json::to_vec(head)?)?;
        self.file(copy.path(), b"quarterdeck.db")?;
        let token = options.home.join("token");
        if token.exists() {
            self.file(&token, b"token")?;
        }
        for folder in ["sessions", "trash", "worktrees"] {
            self.folder(&options.home, folder.as_bytes())?;
        }
        for session in sessions {
            self.screens(options, session.id.as_str())?;
        }
        for session in sessions.iter().filter(|_| options.parked) {
            self.parked(&options.home, session)?;
        }
        if options.worktrees {
            let (root, mut inside) = (options.home.join("worktrees"), vec![]);
            for found in std::fs::read_dir(&root).into_iter().flatten() {
                inside.push(found?.file_name());
            }
            inside.sort();
            for name in inside {
                let in_home = [b"worktrees/", name.as_bytes()].concat();
                self.tree(&root.join(&name), &in_home)?;
            }
        }
        Ok(())
    }

    fn screens(&mut self, options: &Options, id: &str) -> io::Result<()> {
        let folder = format!("sessions/{id}");
        let fresh = options.screens.as_ref().map(|screens| screens.join(id));
        let places = fresh.into_iter().chain([options.home.join(&folder)]);
        let Some(place) = places.into_iter().find(|place| place.join("screen").is_file()) else {
            return Ok(());
        };
        self.folder(&options.home, folder.as_bytes())?;
        for file in ["output", "screen"] {
            let path = place.join(file);
            if path.is_file() {
                self.file(&path, format!("{folder}/{file}").as_bytes())?;
            }
        }
        Ok(())
    }

    fn parked(&mut self, home: &Path, session: &Session) -> io::Result<()> {
        if session.parked.as_ref().is_none_or(|parked| parked.path.is_none()) {
            return Ok(());
        }
        let name = format!("trash/{}", session.id);
        let folder = home.join(&name);
        if !folder.join("worktree").is_dir() {
            let what = format!(
                "The files of {} are not in it: they were brought back or \
                 purged while the backup was made.",
                session.id
            );
            self.notes.push(what);
            return Ok(());
        }
        self.tree(&folder, name.as_bytes())
    }

    fn tree(&mut self, root: &Path, name: &[u8]) -> io::Result<()> {
        let mut odd = vec![];
        walk(root, name, &mut |path| odd.push(path.to_path_buf()), &mut |path, entry| {
            self.entry(path, entry)
        })?;
        let left_out = |path: std::path::PathBuf| {
            format!("{} is not in it: it is no file, folder or link.", path.display())
        };
        self.notes.extend(odd.into_iter().map(left_out));
        Ok(())
    }

    /// A folder that is there whether the home has it or not.
    fn folder(&mut self, home: &Path, name: &[u8]) -> io::Result<()> {
        let path = home.join(std::ffi::OsStr::from_bytes(name));
        let plain = Entry { path: name.to_vec(), kind: Kind::Folder, mode: 0o700, mtime: 0 };
        self.entry(&path, plain)
    }

    /// One file that must be there.
    fn file(&mut self, path: &Path, name: &[u8]) -> io::Result<()> {
        match tree::entry(path, name, &path.symlink_metadata()?)? {
            Some(entry) if matches!(entry.kind, Kind::File { .. }) => self.entry(path, entry),
            _ => Err(io::Error::other(format!("{} is no file", path.display()))),
        }
    }

    fn entry(&mut self, path: &Path, entry: Entry) -> io::Result<()> {
        let Some(part) = part_of(&entry.path) else { return Ok(()) };
        let mut header = Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_mtime(entry.mtime);
        let in_tar = [HOME.as_bytes(), b"/", &entry.path].concat();
        let in_tar = Path::new(std::ffi::OsStr::from_bytes(&in_tar));
        match &entry.kind {
            Kind::Folder => {
                header.set_entry_type(EntryType::Directory);
                header.set_size(0);
                self.tar.append_data(&mut header, in_tar, io::empty())?;
                self.sums.entry(part, &entry);
            }
            Kind::Link { target } => {
                self.long_target(target)?;
                header.set_entry_type(EntryType::Symlink);
                header.set_size(0);
                header.set_link_name_literal(target.get(..100).unwrap_or(target))?;
                self.tar.append_data(&mut header, in_tar, io::empty())?;
                self.sums.entry(part, &entry);
            }
            Kind::File { size } => {
                // A link that took its place meanwhile is not followed.
                let file = match open(path) {
                    Ok(file) => file,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                    Err(error) => {
                        let what = format!("{}: {error}", path.display());
                        return Err(io::Error::new(error.kind(), what));
                    }
                };
                header.set_size(*size);
                let mut content = Content { file, left: *size, short: false, sum: None };
                content.sum = Some(self.sums.entry(part, &entry));
                self.tar.append_data(&mut header, in_tar, &mut content)?;
                if content.short {
                    let what = format!("{} changed while it was read.", path.display());
                    self.notes.push(what);
                }
                self.progress.bytes += size;
            }
        }
        self.progress.entries += 1;
        (self.told)(self.progress);
        Ok(())
    }

    /// The entry before a link whose target is too long for a header, as GNU tar has it.
    fn long_target(&mut self, target: &[u8]) -> io::Result<()> {
        if target.len() <= 100 {
            return Ok(());
        }
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::GNULongLink);
        header.set_size(target.len() as u64 + 1);
        header.set_mode(0o644);
        let data = [target, b"\0"].concat();
        self.tar.append_data(&mut header, "././@LongLink", data.as_slice())
    }

    fn note(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_size(bytes.len() as u64);
        self.tar.append_data(&mut header, name, bytes)
    }

    fn close(mut self, head: Head) -> io::Result<Manifest> {
        let parts = std::mem::take(&mut self.sums).parts();
        let manifest = Manifest { head, parts, notes: std::mem::take(&mut self.notes) };
        let text = serde_json::to_vec_pretty(&manifest)?;
        self.note(MANIFEST, &text)?;
        self.note(MANIFEST_SUM, hex(&Sha256::digest(&text)).as_bytes())?;
        self.tar.into_inner()?.flush()?;
        Ok(manifest)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// The content of a file: exactly as long as its entry says, whatever happens to it meanwhile.
struct Content<'a> {
    file: File,
    left: u64,
    short: bool,
    sum: Option<&'a mut super::sums::Sum>,
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(CHUNK).min(CHUNK).min(buffer.len());
        let Some(part) = buffer.get_mut(..most).filter(|part| !part.is_empty()) else {
            return Ok(0);
        };
        let mut read = if self.short { 0 } else { self.file.read(part)? };
        if read == 0 {
            self.short = true;
            part.fill(0);
            read = part.len();
        }
        self.left -= read as u64;
        if let Some(sum) = &mut self.sum {
            sum.content(part.get(..read).unwrap_or_default());
        }
        Ok(read)
    }
}
