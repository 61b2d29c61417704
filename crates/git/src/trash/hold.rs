//! Which worktree holds a branch, and letting go of one.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::RepoPath;
use crate::error::{GitError, Result};
use crate::repo::Repo;

/// What makes git take a branch for held although HEAD does not name it.
const OPERATIONS: &[&str] = &["rebase-merge", "rebase-apply", "BISECT_START"];
const ASIDE: &str = "quarterdeck-parked-";
/// Beside them: the branch that a parked worktree came from.
const BRANCH: &str = "quarterdeck-parked-branch";

impl Repo {
    /// The worktree that holds the branch, other than the one whose git directory is `except`.
    pub(crate) async fn holder_of(
        &self,
        branch: &str,
        except: Option<&Path>,
    ) -> Result<Option<PathBuf>> {
        let call = self.read("worktree list").args(["worktree", "list", "--porcelain", "-z"]);
        let output = self.git.run(call).await?.success(self.top())?;
        let own = except.and_then(crate::checkout::read_link_file);
        let own = own.as_deref().and_then(Path::parent);
        let wanted = format!("branch refs/heads/{branch}");
        let mut at = PathBuf::new();
        for field in output.stdout.split(|&b| b == 0) {
            if let Some(path) = field.strip_prefix(b"worktree ") {
                at = RepoPath::from_bytes(path).as_path().to_path_buf();
            } else if field == wanted.as_bytes() && Some(at.as_path()) != own {
                return Ok(Some(at));
            }
        }
        let main = (self.common_dir().to_path_buf(), self.top().to_path_buf());
        let linked = self.admin_dirs().into_iter().filter_map(|dir| {
            let top = crate::checkout::read_link_file(&dir)?.parent()?.to_path_buf();
            Some((dir, top))
        });
        Ok(std::iter::once(main)
            .chain(linked)
            .filter(|(dir, _)| Some(dir.as_path()) != except)
            .find(|(dir, _)| rebasing(dir).as_deref() == Some(branch))
            .map(|(_, top)| top))
    }
}

impl Repo {
    /// The place of a parked worktree that came from the branch, and is to go back to it.
    pub(super) fn parked_from(&self, branch: &str) -> Option<PathBuf> {
        let came = |dir: &PathBuf| {
            std::fs::read(dir.join(BRANCH)).is_ok_and(|name| name == branch.as_bytes())
        };
        let dir = self.admin_dirs().into_iter().find(came)?;
        Some(crate::checkout::read_link_file(&dir)?.parent()?.to_path_buf())
    }
}

/// The branch that a rebase under way in this git directory will move.
pub(crate) fn rebasing(git_dir: &Path) -> Option<String> {
    ["rebase-merge", "rebase-apply"].iter().find_map(|operation| {
        let bytes = std::fs::read(git_dir.join(operation).join("head-name")).ok()?;
        let name = Path::new(std::ffi::OsStr::from_bytes(bytes.trim_ascii())).to_str()?;
        name.strip_prefix("refs/heads/").map(str::to_owned)
    })
}

/// Sets aside what is under way, as it is.
pub(super) fn set_aside(git_dir: &Path) -> Result<()> {
    for name in OPERATIONS {
        rename_if_there(&git_dir.join(name), &git_dir.join(format!("{ASIDE}{name}")))?;
    }
    Ok(())
}

/// Puts back what was set aside.
pub(super) fn put_back(git_dir: &Path) -> Result<()> {
    for name in OPERATIONS {
        rename_if_there(&git_dir.join(format!("{ASIDE}{name}")), &git_dir.join(name))?;
    }
    Ok(())
}

/// Whether something is set aside.
pub(super) fn is_aside(git_dir: &Path) -> bool {
    OPERATIONS.iter().any(|name| git_dir.join(format!("{ASIDE}{name}")).exists())
}

/// Writes down which branch a parked worktree came from.
pub(super) fn note_branch(git_dir: &Path, branch: &str) -> Result<()> {
    super::replace_file(&git_dir.join(BRANCH), branch.as_bytes())
}

/// It is on its branch again.
pub(super) fn forget_branch(git_dir: &Path) -> Result<()> {
    let path = git_dir.join(BRANCH);
    match std::fs::remove_file(&path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(GitError::io("Removing", &path, e)),
        _ => Ok(()),
    }
}

fn rename_if_there(from: &Path, to: &Path) -> Result<()> {
    match std::fs::rename(from, to) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(GitError::io("Moving", from, e)),
        _ => Ok(()),
    }
}
