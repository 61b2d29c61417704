//! The file that tells a pane's init what to run and whom to tell.
//!
//! Its format and [`crate::wire`] outlive upgrades of the daemon: fields may be
//! added with a default, none may change its meaning.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result, SessionKey};

/// What one pane runs. Written by the daemon (mode 0600), read by the init, the
/// program's first process and the tap helper; it stays as long as the pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneSpec {
    /// 1.
    pub version: u32,
    /// Whose pane it is.
    pub session: SessionKey,
    /// Known to the daemon and this pane only; each proves itself by it.
    pub nonce: String,
    /// The program and its arguments; never empty.
    pub argv: Vec<Text>,
    /// The directory it starts in.
    pub cwd: Text,
    /// Whether the environment starts from the tmux server's. Otherwise from
    /// nothing but what describes the terminal (`TERM`, `TMUX`, `TMUX_PANE`,
    /// `TERM_PROGRAM`, `TERM_PROGRAM_VERSION`).
    #[serde(default)]
    pub inherit_env: bool,
    /// Variables to set.
    pub env: Vec<(Text, Text)>,
    /// Variables to remove, the terminal's included.
    #[serde(default)]
    pub env_remove: Vec<Text>,
    /// Where the daemon hears of new panes.
    pub daemon_sock: Text,
    /// Where this pane's init listens.
    pub pane_sock: Text,
    /// Where output goes while no daemon is there: `spool` and `spool.1`.
    pub spool: Text,
    /// How much of it is kept, in bytes: between half of this and all of it.
    pub spool_cap: u64,
}

/// What the helper is given that hands us the stream of a pane that is not ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandSpec {
    /// Where the daemon listens for panes.
    pub daemon_sock: Text,
    /// Whose pane it is to be.
    pub session: SessionKey,
    /// What the daemon knows it by.
    pub nonce: String,
}

impl HandSpec {
    /// Reads the file of one.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self> {
        let what = || format!("read {}", path.display());
        let bytes = std::fs::read(path).map_err(Error::io(what()))?;
        serde_json::from_slice(&bytes)
            .map_err(|e| Error::Protocol { what: format!("{}: {e}", what()) })
    }

    /// Writes the file, mode 0600, in place of an older one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = serde_json::to_vec(self)
            .map_err(|e| Error::Protocol { what: format!("a spec: {e}") })?;
        write_private(path, &bytes).map_err(Error::io(format!("write {}", path.display())))
    }
}

/// A string of the operating system: any bytes but NUL. In JSON it is a string
/// where it is UTF-8, else a list of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Text(pub OsString);

impl Text {
    /// As a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl<T: AsRef<OsStr> + ?Sized> From<&T> for Text {
    fn from(text: &T) -> Self {
        Self(text.as_ref().to_owned())
    }
}

impl AsRef<OsStr> for Text {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => s.serialize_str(text),
            None => self.0.as_bytes().serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(Self(match Form::deserialize(d)? {
            Form::Text(text) => text.into(),
            Form::Bytes(bytes) => OsString::from_vec(bytes),
        }))
    }
}

impl PaneSpec {
    /// Reads a spec file.
    ///
    /// # Errors
    /// When it cannot be read, or says what this release does not know.
    pub fn read(path: &Path) -> Result<Self> {
        let what = || format!("read {}", path.display());
        let bytes = std::fs::read(path).map_err(Error::io(what()))?;
        let spec: Self = serde_json::from_slice(&bytes)
            .map_err(|e| Error::Protocol { what: format!("{}: {e}", what()) })?;
        if spec.version != crate::wire::VERSION || spec.argv.is_empty() {
            return Err(Error::Protocol { what: format!("{}: not a spec of ours", what()) });
        }
        Ok(spec)
    }

    /// Writes a new spec file, mode 0600. Fails where one is.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_new(&self, path: &Path) -> Result<()> {
        let bytes = serde_json::to_vec(self)
            .map_err(|e| Error::Protocol { what: format!("a spec: {e}") })?;
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .and_then(|mut f| f.write_all(&bytes))
            .map_err(Error::io(format!("write {}", path.display())))
    }
}

/// Writes a file that only its owner may read; what was in one of that name is lost.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(bytes)
}

/// The files that stand beside a spec file.
pub(crate) fn beside(spec_path: &Path, extension: &str) -> PathBuf {
    spec_path.with_extension(extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive() {
        for bytes in [&b"plain"[..], b"\xff\xfe x", b"", "é\n\"".as_bytes()] {
            let text = Text(OsString::from_vec(bytes.to_vec()));
            let json = serde_json::to_string(&text).unwrap();
            assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text, "{json}");
        }
    }
}
