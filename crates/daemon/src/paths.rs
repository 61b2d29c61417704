//! What the create dialog offers: folders as they are typed, and the branches of a repository.

use std::path::Path;

use qd_api::{Branches, Paths};
use qd_core::{Code, Problem};
use qd_git::Git;

use crate::session::worktrees_in;
use crate::{Home, problems};

/// Most folders offered.
const MOST: usize = 50;
/// Most entries of one folder that are looked at.
const LOOKED_AT: usize = 5_000;

/// Folders that begin with `prefix`, hidden ones only when the last part begins with a dot. A
/// prefix of `~` or one that begins with `~/` is beneath the person's `home`.
///
/// # Errors
/// When the prefix is not an absolute path.
pub(crate) async fn complete(prefix: &str, home: Option<&str>) -> Result<Paths, Problem> {
    let home = home.filter(|home| home.starts_with('/')).map(|home| home.trim_end_matches('/'));
    let beneath = match (prefix.strip_prefix('~'), home) {
        (Some(""), Some(home)) => format!("{home}/"),
        (Some(rest), Some(home)) if rest.starts_with('/') => format!("{home}{rest}"),
        _ => prefix.to_owned(),
    };
    let prefix = beneath.as_str();
    if !prefix.starts_with('/') || prefix.contains('\0') {
        return Err(Problem::new(
            Code::FieldInvalid,
            "A path is completed from its first slash on.",
            "Give an absolute path, or one that begins with `~/`.",
        )
        .on("prefix"));
    }
    let (folder, leaf) = prefix.rsplit_once('/').unwrap_or(("", prefix));
    let folder = if folder.is_empty() { "/" } else { folder };
    let home = home.map(str::to_owned);
    let mut paths = Vec::new();
    let Ok(mut entries) = tokio::fs::read_dir(folder).await else {
        return Ok(Paths { paths, home });
    };
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
    Ok(Paths { paths, home })
}

/// The branches and worktrees of a repository, and where new ones go in the `home` of the daemon.
///
/// # Errors
/// When it is none, or git cannot be asked.
pub(crate) async fn branches(git: &Git, home: &Home, path: &Path) -> Result<Branches, Problem> {
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
        worktrees_in: worktrees_in(home, repo.top()).to_string_lossy().into_owned(),
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
        let paths = async |prefix: &str| complete(prefix, None).await.unwrap().paths;
        assert_eq!(paths(&at("al")).await, [at("alpha"), at("alps")]);
        assert_eq!(paths(&at(".h")).await, [at(".hidden")]);
        assert!(complete("relative", None).await.is_err());
        assert_eq!(paths("/no/such/x").await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_tilde_is_the_home_of_the_person_and_of_nobody_else() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["alpha", "beta"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let home = dir.path().to_string_lossy().into_owned();
        let at = |leaf: &str| dir.path().join(leaf).to_string_lossy().into_owned();
        for (prefix, found) in
            [("~", vec![at("alpha"), at("beta")]), ("~/a", vec![at("alpha")]), ("~/x", vec![])]
        {
            let reply = complete(prefix, Some(&home)).await.unwrap();
            assert_eq!(reply.paths, found, "{prefix}");
            assert_eq!(reply.home.as_ref(), Some(&home));
        }
        assert!(complete("~other/a", Some(&home)).await.is_err());
        assert!(complete("~/a", None).await.is_err());
        assert!(complete("~/a", Some("relative")).await.is_err());
    }
}
