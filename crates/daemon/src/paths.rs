//! What the create dialog offers: folders as they are typed, and the branches of a repository.

use std::path::Path;

use qd_api::{Branches, Paths};
use qd_core::{Code, Problem};
use qd_git::Git;

use crate::problems;

/// Most folders offered.
const MOST: usize = 50;
/// Most entries of one folder that are looked at.
const LOOKED_AT: usize = 5_000;

/// Folders that begin with `prefix`, hidden ones only when the last part begins with a dot.
///
/// # Errors
/// When the prefix is not an absolute path.
pub(crate) async fn complete(prefix: &str) -> Result<Paths, Problem> {
    if !prefix.starts_with('/') || prefix.contains('\0') {
        return Err(Problem::new(
            Code::FieldInvalid,
            "A path is completed from its first slash on.",
            "Give an absolute path.",
        )
        .on("prefix"));
    }
    let (folder, leaf) = prefix.rsplit_once('/').unwrap_or(("", prefix));
    let folder = if folder.is_empty() { "/" } else { folder };
    let mut paths = Vec::new();
    let Ok(mut entries) = tokio::fs::read_dir(folder).await else { return Ok(Paths { paths }) };
    for _ in 0..LOOKED_AT {
        let Ok(Some(entry)) = entries.next_entry().await else { break };
        let Ok(name) = entry.file_name().into_string() else { continue };
        let hidden = name.starts_with('.') && !leaf.starts_with('.');
        if hidden || !name.starts_with(leaf) {
            continue;
        }
        if tokio::fs::metadata(entry.path()).await.is_ok_and(|about| about.is_dir()) {
            paths.push(entry.path().to_string_lossy().into_owned());
        }
    }
    paths.sort();
    paths.truncate(MOST);
    Ok(Paths { paths })
}

/// The branches and worktrees of a repository.
///
/// # Errors
/// When it is none, or git cannot be asked.
pub(crate) async fn branches(git: &Git, path: &Path) -> Result<Branches, Problem> {
    let repo = git.discover(path).await.map_err(|error| problems::git(&error))?;
    let local = repo.branches().await.map_err(|error| problems::git(&error))?;
    let remote = repo.remote_branches().await.map_err(|error| problems::git(&error))?;
    let worktrees = repo.worktrees().await.map_err(|error| problems::git(&error))?;
    Ok(Branches {
        repo: repo.top().to_string_lossy().into_owned(),
        default: Some(repo.default_branch().to_owned()),
        local,
        remote,
        worktrees: worktrees.into_iter().map(|w| w.path.to_string_lossy().into_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn offers_folders_and_not_files_or_hidden_ones() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["alpha", "alps", "beta", ".hidden"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        std::fs::write(dir.path().join("alfile"), "").unwrap();
        let at = |leaf: &str| dir.path().join(leaf).to_string_lossy().into_owned();
        assert_eq!(complete(&at("al")).await.unwrap().paths, [at("alpha"), at("alps")]);
        assert_eq!(complete(&at(".h")).await.unwrap().paths, [at(".hidden")]);
        assert!(complete("relative").await.is_err());
        assert_eq!(complete("/no/such/x").await.unwrap().paths, Vec::<String>::new());
    }
}
