//! Where a session works: a folder that is there, or where its worktree goes.

use std::path::{Path, PathBuf};

use qd_core::{Place, Problem};
use qd_git::Repo;

use super::Making;
use crate::{Home, problems};

impl Making {
    /// A folder outside any repository: nothing is made.
    pub(super) async fn plain_folder(&self, asked: &Path) -> Result<Place, Problem> {
        let folder = asked.canonicalize().map_err(|_| {
            problems::git(&qd_git::GitError::PathMissing { path: asked.to_path_buf() })
        })?;
        self.claim(&folder).await?;
        Ok(Place {
            worktree: folder.to_string_lossy().into_owned(),
            common_dir: None,
            checkout: None,
            branch: None,
            made_branch: false,
            made_worktree: false,
            base: None,
            receipt: None,
            notes: vec![],
        })
    }

    /// Where a new worktree goes: readable, and never in another's way.
    pub(super) fn folder_for(&self, repo: &Repo, branch: &str) -> PathBuf {
        let leaf = format!("{}-{}", slug(branch), self.id);
        worktrees_in(&self.shared.home, repo.top()).join(leaf)
    }
}

/// The folder in which new worktrees of the repository at `top` are made.
pub(crate) fn worktrees_in(home: &Home, top: &Path) -> PathBuf {
    let name = top.file_name().map(|n| n.to_string_lossy().into_owned());
    home.worktrees().join(slug(name.as_deref().unwrap_or("repository")))
}

/// A name as one folder: letters, digits, dashes and dots; never empty, never hidden.
fn slug(text: &str) -> String {
    let mut slug: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '-' })
        .take(60)
        .collect();
    while slug.starts_with(['.', '-']) {
        slug.remove(0);
    }
    if slug.is_empty() { "x".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_name_is_harmless() {
        assert_eq!(slug("qd/add-retry"), "qd-add-retry");
        assert_eq!(slug("../../x y"), "x-y");
        assert_eq!(slug("🚀"), "x");
    }
}
