//! Where objects are made: aside for a preview, in the repository when it is meant.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::checkout::split_paths;
use crate::command::{Call, Kind};
use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::writer::RepoWriter;
use crate::{Oid, RepoPath};

/// The most bytes of one commit, or of a listing of paths.
const MAX_OBJECT: usize = 16 << 20;

/// A place for new objects.
pub(crate) struct Store {
    repo: Repo,
    aside: Option<tempfile::TempDir>,
}

impl Store {
    /// A folder of ours; git reads from the repository what is not in it.
    pub(crate) fn aside(repo: &Repo) -> Result<Self> {
        let scratch = &repo.git.config().scratch;
        let make = || {
            std::fs::create_dir_all(scratch)?;
            let private = std::fs::Permissions::from_mode(0o700);
            let mut folder = tempfile::Builder::new();
            folder.prefix("objects-").permissions(private).tempdir_in(scratch)
        };
        let folder = make().map_err(|e| GitError::io("Making a folder in", scratch, e))?;
        Ok(Self { repo: repo.clone(), aside: Some(folder) })
    }

    /// The repository itself.
    pub(crate) fn of(writer: &mut RepoWriter) -> Self {
        Self { repo: writer.repo().clone(), aside: None }
    }

    pub(crate) fn is_aside(&self) -> bool {
        self.aside.is_some()
    }

    pub(crate) fn repo(&self) -> &Repo {
        &self.repo
    }

    /// A command that sees the objects of this place, and makes new ones here.
    pub(crate) fn call(&self, what: &'static str) -> Call {
        let call = self.repo.write(what);
        match &self.aside {
            None => call,
            // Nothing of the repository is written to, so it may be ended at any moment.
            Some(folder) => call.kind(Kind::Read).env("GIT_OBJECT_DIRECTORY", folder.path()).env(
                "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                quoted(&self.repo.common_dir().join("objects")),
            ),
        }
    }

    /// The bytes of a commit.
    pub(crate) async fn read_commit(&self, oid: &Oid) -> Result<Vec<u8>> {
        let call =
            self.call("cat-file").args(["cat-file", "commit", oid.as_str()]).limit(MAX_OBJECT);
        let top = self.repo.top();
        Ok(self.repo.git.run(call).await?.success(top)?.whole(MAX_OBJECT)?.stdout)
    }

    /// Makes a commit of its bytes.
    pub(crate) async fn write_commit(&self, bytes: Vec<u8>) -> Result<Oid> {
        let call = self
            .call("hash-object")
            .args(["hash-object", "-t", "commit", "-w", "--stdin"])
            .stdin(bytes);
        let line = self.repo.git.run(call).await?.success(self.repo.top())?.line()?;
        Oid::parse(&line).ok_or_else(|| GitError::unexpected("hash-object", line))
    }

    /// The tree of a commit.
    pub(crate) async fn tree_of(&self, commit: &Oid) -> Result<Oid> {
        let wanted = format!("{commit}^{{tree}}");
        let call = self.call("rev-parse").args(["rev-parse", "--verify", &wanted]);
        let line = self.repo.git.run(call).await?.success(self.repo.top())?.line()?;
        Oid::parse(&line).ok_or_else(|| GitError::unexpected("rev-parse", line))
    }

    /// The paths that differ between two commits: all, or those of the kinds in `filter`.
    pub(crate) async fn differing(
        &self,
        old: &Oid,
        new: &Oid,
        filter: &str,
    ) -> Result<Vec<RepoPath>> {
        let call = self
            .call("diff-tree")
            .args(["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id"])
            .arg(format!("--diff-filter={filter}"))
            .args([old.as_str(), new.as_str(), "--"])
            .limit(MAX_OBJECT);
        let output = self.repo.git.run(call).await?.success(self.repo.top())?.whole(MAX_OBJECT)?;
        Ok(split_paths(&output.stdout).collect())
    }
}

/// A path in the list of places, in which a colon separates and a quote begins a quoted one.
fn quoted(path: &Path) -> OsString {
    let mut bytes = vec![b'"'];
    for &byte in OsStr::as_bytes(path.as_os_str()) {
        if byte == b'"' || byte == b'\\' {
            bytes.push(b'\\');
        }
        bytes.push(byte);
    }
    bytes.push(b'"');
    OsString::from_vec(bytes)
}
