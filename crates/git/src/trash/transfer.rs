//! Moving and removing whole folders.

mod copy;

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::{GitError, Result};

pub(crate) use copy::copy_tree;

/// How a folder was moved.
#[derive(Debug, Default)]
pub(super) struct Moved {
    pub(super) copied: bool,
    pub(super) notes: Vec<String>,
}

/// Moves a folder that no repository knows of to a place where nothing is. Returns sentences for
/// people about what was left behind.
///
/// # Errors
/// [`GitError::PathExists`], [`GitError::DiskFull`], [`GitError::Permission`],
/// [`GitError::ChangedMeanwhile`]; the folder is where it was then.
pub async fn move_folder(from: &Path, to: &Path) -> Result<Vec<String>> {
    Ok(move_tree(from, to).await?.notes)
}

/// Removes a folder and everything in it, also what is in read-only folders; fine if it is gone.
///
/// # Errors
/// [`GitError::Permission`], or what the file system said.
pub async fn remove_folder(path: &Path) -> Result<()> {
    remove_tree(path).await
}

/// Moves a folder to a place where nothing is. Renames; across file systems copies, compares, and
/// only then removes.
pub(super) async fn move_tree(from: &Path, to: &Path) -> Result<Moved> {
    let (from, to) = (from.to_path_buf(), to.to_path_buf());
    blocking(move || move_now(&from, &to)).await
}

/// Removes a folder and everything in it, also what is in read-only folders.
pub(super) async fn remove_tree(path: &Path) -> Result<()> {
    let path = path.to_path_buf();
    blocking(move || remove_now(&path)).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| GitError::unexpected("worktree move", "moving did not finish"))?
}

fn move_now(from: &Path, to: &Path) -> Result<Moved> {
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent)
            .map_err(|e| GitError::io("Making the folder", parent, e))?;
    }
    match rename_new(from, to) {
        Ok(()) => Ok(Moved::default()),
        Err(Errno::XDEV) => copy_over(from, to),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(GitError::PathExists { path: to.into() }),
        Err(e) => Err(GitError::io("Moving", from, e.into())),
    }
}

/// Renames, and fails if something is at `to`.
fn rename_new(from: &Path, to: &Path) -> Result<(), Errno> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems cannot promise that; a folder still never replaces anything but an
        // empty folder.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if to.symlink_metadata().is_ok() {
                return Err(Errno::EXIST);
            }
            rustix::fs::rename(from, to)
        }
        other => other,
    }
}

fn copy_over(from: &Path, to: &Path) -> Result<Moved> {
    let mut partial = to.as_os_str().to_os_string();
    partial.push(".quarterdeck-partial");
    let partial = PathBuf::from(partial);
    if to.symlink_metadata().is_ok() {
        return Err(GitError::PathExists { path: to.into() });
    }
    remove_now(&partial)?;
    let copied = copy::copy_tree(from, &partial)
        .and_then(|skipped| copy::compare_trees(from, &partial).map(|()| skipped))
        .and_then(|skipped| {
            rustix::fs::sync();
            let renamed = rename_new(&partial, to);
            renamed.map_err(|e| GitError::io("Moving", &partial, e.into()))?;
            Ok(skipped)
        });
    let skipped = match copied {
        Ok(skipped) => skipped,
        Err(error) => {
            let _ = remove_now(&partial);
            return Err(error);
        }
    };
    let mut notes: Vec<String> = skipped
        .iter()
        .map(|path| format!("{} is a socket or a device and was not kept.", path.display()))
        .collect();
    if let Err(error) = remove_now(from) {
        notes.push(format!("Parts of {} are still there: {error}.", from.display()));
    }
    Ok(Moved { copied: true, notes })
}

fn remove_now(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path);
            match std::fs::remove_dir_all(path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    Err(GitError::io("Removing", path, e))
                }
                _ => Ok(()),
            }
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(GitError::io("Removing", path, e)),
        _ => Ok(()),
    }
}

/// Lets the owner change every folder. What fails here fails again, with a name, when removing.
fn make_writable(dir: &Path) {
    let _ = std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700));
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}
