//! Putting worktrees away in the home and bringing them back, through the repository's owner.

use std::path::{Path, PathBuf};

use qd_core::{Code, Parked, Place, Problem, SessionId};
use qd_git::{Attach, ParkRecord, Repo};

use crate::problems;
use crate::shared::Shared;

/// Puts a session's worktree away by renaming it into the home; everything in it stays as it is.
///
/// # Errors
/// What git or the file system reports; the worktree is where it was then.
pub(crate) async fn park(
    shared: &Shared,
    place: &Place,
    id: &SessionId,
) -> Result<Parked, Problem> {
    let repo = repo_of(shared, place).await?;
    let folder = shared.home.trash(id);
    crate::home::make_folder(&folder).map_err(problems::internal)?;
    let to = folder.join("worktree");
    let note = folder.join("record.json");
    undo_cut_short(shared, &repo, &note).await?;
    let record = repo
        .plan_park(Path::new(&place.worktree), &to, id.as_str())
        .await
        .map_err(|error| problems::git(&error))?;
    let receipt = serde_json::to_value(&record).map_err(problems::internal)?;
    // Written down before anything moves, so that a move that is cut short can be undone.
    crate::home::write_private(&note, receipt.to_string().as_bytes())
        .map_err(problems::internal)?;
    let branch = record.branch.as_ref().map(|branch| branch.name.clone());
    let report = shared
        .repos
        .change(repo, move |writer| {
            Box::pin(async move { writer.park(&record).await.map_err(|e| problems::git(&e)) })
        })
        .await?;
    let free = branch.map_or_else(String::new, |branch| format!("; the branch {branch} is free"));
    let mut kept = format!("Its worktree is kept in the trash, every file in it as it was{free}.");
    for note in report.notes {
        kept.push(' ');
        kept.push_str(&note);
    }
    Ok(Parked { path: Some(to.to_string_lossy().into_owned()), receipt: Some(receipt), kept })
}

/// Undoes a move to the trash that was cut short with its daemon, so that it can begin anew.
async fn undo_cut_short(shared: &Shared, repo: &Repo, note: &Path) -> Result<(), Problem> {
    let Ok(bytes) = std::fs::read(note) else { return Ok(()) };
    let Ok(record) = serde_json::from_slice::<ParkRecord>(&bytes) else { return Ok(()) };
    if record.parked_at.symlink_metadata().is_err() {
        return Ok(());
    }
    let undo = shared.repos.change(repo.clone(), move |writer| {
        Box::pin(async move {
            writer.unpark(&record, Attach::Branch).await.map_err(|e| problems::git(&e))
        })
    });
    undo.await.map(drop)
}

/// Brings a worktree back to where it was, on its branch.
///
/// # Errors
/// When its place or its branch was taken meanwhile; it is in the trash still then.
pub(crate) async fn unpark(
    shared: &Shared,
    receipt: serde_json::Value,
    place: &Place,
    id: &SessionId,
) -> Result<Place, Problem> {
    let record = read(receipt)?;
    let repo = repo_of(shared, place).await?;
    let back = shared
        .repos
        .change(repo, move |writer| {
            Box::pin(async move {
                writer.unpark(&record, Attach::Branch).await.map_err(|e| problems::git(&e))
            })
        })
        .await?;
    let folder = shared.home.trash(id);
    let _ = std::fs::remove_file(folder.join("record.json"));
    let _ = std::fs::remove_dir(folder);
    let mut place = place.clone();
    place.branch = back.branch.or(place.branch);
    place.notes = back.moved.notes;
    Ok(place)
}

/// Ends a worktree in the trash for good. Its branch stays, unless we made it and it holds
/// nothing that its base does not.
///
/// # Errors
/// When what is in the trash is not what was put there.
pub(crate) async fn purge(
    shared: &Shared,
    receipt: serde_json::Value,
    place: &Place,
    id: &SessionId,
) -> Result<(), Problem> {
    let record = read(receipt)?;
    let repo = match repo_of(shared, place).await {
        Ok(repo) => repo,
        // The repository is gone, so there is nothing to unregister from.
        Err(problem) if matches!(problem.code, Code::PathMissing | Code::NotARepository) => {
            return remove(&shared.home.trash(id));
        }
        Err(problem) => return Err(problem),
    };
    let nothing_new = place.made_branch
        && place
            .base
            .as_ref()
            .zip(record.branch.as_ref().and_then(|b| b.commit.as_ref()))
            .is_some_and(|(base, tip)| base.commit == tip.as_str());
    shared
        .repos
        .change(repo, move |writer| {
            Box::pin(async move {
                writer.purge(&record, nothing_new).await.map_err(|e| problems::git(&e))
            })
        })
        .await?;
    remove(&shared.home.trash(id))
}

/// The repository of a place, found from its common folder: the worktree may be gone.
pub(crate) async fn repo_of(shared: &Shared, place: &Place) -> Result<Repo, Problem> {
    let Some(common_dir) = place.common_dir.as_ref().map(PathBuf::from) else {
        return Err(Problem::new(
            Code::NotARepository,
            "The session does not work in a git repository.",
            "There is nothing to compare or to put away.",
        ));
    };
    // The main checkout is beside the common folder, save for unusual layouts.
    let beside = common_dir.parent().unwrap_or(&common_dir);
    match shared.git.discover(beside).await {
        Ok(repo) if repo.common_dir() == common_dir => Ok(repo),
        _ => shared
            .git
            .discover(Path::new(&place.worktree))
            .await
            .map_err(|error| problems::git(&error)),
    }
}

fn read(receipt: serde_json::Value) -> Result<ParkRecord, Problem> {
    serde_json::from_value(receipt).map_err(problems::internal)
}

fn remove(folder: &Path) -> Result<(), Problem> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(problems::internal(error)),
    }
}
