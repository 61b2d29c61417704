use std::fs::{DirBuilder, OpenOptions};
use std::io::{BufWriter, Stdout, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use qd_core::{Code, Millis};
use tar::{Builder, Header};

use crate::failure::Failure;

/// Where an export goes. A tar on disk appears whole or not at all.
pub struct Target {
    place: Place,
    /// The folder that all of it is in.
    folder: String,
    seconds: u64,
    files: Vec<String>,
}

enum Place {
    Folder(PathBuf),
    File { tar: Builder<BufWriter<tempfile::NamedTempFile>>, path: PathBuf, force: bool },
    Stdout(Builder<BufWriter<Stdout>>),
}

impl Target {
    /// Opens a target by what the person named.
    pub fn open(name: &str, folder: &str, force: bool, now: Millis) -> Result<Self, Failure> {
        let place = if name == "-" {
            Place::Stdout(Builder::new(BufWriter::new(std::io::stdout())))
        } else {
            let path = std::path::absolute(name)?;
            let failed = |error: &std::io::Error| not_written(&path, error);
            if name.ends_with('/') || path.is_dir() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(&path)
                    .map_err(|e| failed(&e))?;
                let filled = std::fs::read_dir(&path).map_err(|e| failed(&e))?.next().is_some();
                if filled && !force {
                    return Err(taken(&path));
                }
                Place::Folder(path)
            } else {
                if !force && path.symlink_metadata().is_ok() {
                    return Err(taken(&path));
                }
                let beside = path.parent().unwrap_or(Path::new("/"));
                let half = tempfile::Builder::new()
                    .prefix(".qd-export-")
                    .tempfile_in(beside)
                    .map_err(|e| failed(&e))?;
                Place::File { tar: Builder::new(BufWriter::new(half)), path, force }
            }
        };
        let seconds = u64::try_from(now.0 / 1000).unwrap_or(0);
        Ok(Self { place, folder: folder.to_owned(), seconds, files: vec![] })
    }

    /// Writes one file.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = format!("{}/{name}", self.folder);
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_mtime(self.seconds);
        header.set_size(bytes.len() as u64);
        match &mut self.place {
            Place::Folder(folder) => {
                let path = folder.join(name);
                let mut new = OpenOptions::new();
                new.write(true).create(true).truncate(true).mode(0o600);
                let written = new.open(&path).and_then(|mut file| file.write_all(bytes));
                written.map_err(|error| not_written(&path, &error))?;
            }
            Place::File { tar, path: file, .. } => tar
                .append_data(&mut header, path, bytes)
                .map_err(|error| not_written(file, &error))?,
            Place::Stdout(tar) => tar.append_data(&mut header, path, bytes)?,
        }
        self.files.push(name.to_owned());
        Ok(())
    }

    /// Ends it, and gives the names of what was written.
    pub fn close(self) -> Result<Vec<String>, Failure> {
        match self.place {
            Place::Folder(_) => {}
            Place::Stdout(tar) => tar.into_inner()?.flush()?,
            Place::File { tar, path, force } => {
                let failed = |error: &std::io::Error| not_written(&path, error);
                let half = tar.into_inner().map_err(|e| failed(&e))?;
                let half = half.into_inner().map_err(|e| failed(e.error()))?;
                let kept = if force { half.persist(&path) } else { half.persist_noclobber(&path) };
                kept.map_err(|error| match error.error.kind() {
                    std::io::ErrorKind::AlreadyExists => taken(&path),
                    _ => failed(&error.error),
                })?;
            }
        }
        Ok(self.files)
    }
}

/// That something is there already.
pub fn taken(path: &Path) -> Failure {
    Failure::new(
        Code::PathTaken,
        format!("{} is there already; nothing was written.", path.display()),
        "Name another place, or replace it with `--force`.",
    )
}

/// That a file cannot be written, and why.
pub fn not_written(file: &Path, error: &std::io::Error) -> Failure {
    let code = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Code::DiskFull,
        _ => Code::PathMissing,
    };
    Failure::new(
        code,
        format!("{} cannot be written: {error}.", file.display()),
        "Name a place in a folder of yours with enough room.",
    )
}
