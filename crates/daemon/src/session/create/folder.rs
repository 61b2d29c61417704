//! Where the worktree of a session goes.

use std::path::PathBuf;

use qd_git::Repo;

use super::Making;

impl Making {
    /// Where a new worktree goes: readable, and never in another's way.
    pub(super) fn folder_for(&self, repo: &Repo, branch: &str) -> PathBuf {
        let name = repo.top().file_name().map(|n| n.to_string_lossy().into_owned());
        let repo_name = slug(name.as_deref().unwrap_or("repository"));
        let leaf = format!("{}-{}", slug(branch), self.id);
        self.shared.home.worktrees().join(repo_name).join(leaf)
    }
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
