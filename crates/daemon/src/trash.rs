//! Putting worktrees away in the home and bringing them back, through the repository's owner.

use std::path::{Path, PathBuf};

use qd_core::{Code, Lifecycle, Parked, Place, Problem, Session, SessionId};
use qd_git::{Attach, Git, GitError, ParkRecord, Repo, Unparked};

use crate::problems;
use crate::shared::Shared;

/// Puts a session's worktree away by renaming it into the home; everything in it stays as it is.
/// Nothing is done to a folder that we did not make.
///
/// # Errors
/// What git or the file system reports; the worktree is where it was then.
pub(crate) async fn park(shared: &Shared, state: &Session) -> Result<Parked, Problem> {
    // One that is paused has its worktree put away already.
    if let Some(parked) = &state.parked {
        return Ok(parked.clone());
    }
    let nothing = |kept: String| Ok(Parked { path: None, receipt: None, kept });
    let Some(place) = &state.place else { return nothing("It had no files.".to_owned()) };
    if !place.made_worktree {
        return nothing(format!("Its folder {} was left as it is.", place.worktree));
    }
    let folder = shared.home.trash(&state.id);
    crate::home::make_folder(&folder).map_err(problems::io)?;
    let (from, to) = (Path::new(&place.worktree), folder.join("worktree"));
    let note = folder.join("record.json");
    let earlier = std::fs::read(&note)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<ParkRecord>(&bytes).ok());
    match (is_there(from), is_there(&to), earlier) {
        (false, false, _) => {
            nothing("Its worktree was gone already; its branch is as it was.".to_owned())
        }
        // It was moved before the daemon was killed: what is left is done now. The branch may be
        // somebody else's already, so it is not brought back first.
        (false, true, Some(record)) => {
            let Found::Repo(repo) = repo_of(&shared.git, place).await? else {
                return Ok(plainly_parked(&to));
            };
            let again = record.clone();
            let finished = shared.repos.change(repo, move |writer| {
                Box::pin(
                    async move { writer.finish_park(&again).await.map_err(|e| problems::git(&e)) },
                )
            });
            finished.await?;
            parked(&record, vec![])
        }
        (false, true, None) => Ok(plainly_parked(&to)),
        (true, _, earlier) => {
            let Found::Repo(repo) = repo_of(&shared.git, place).await? else {
                return park_plainly(from, &to);
            };
            if let Some(record) = earlier.filter(|_| is_there(&to)) {
                // A copy to the trash that was cut short: it begins anew.
                bring_back(shared, repo.clone(), record).await?;
            }
            let record = match repo.plan_park(from, &to, state.id.as_str()).await {
                Ok(record) => record,
                // The repository does not know of it any more: only the files are left.
                Err(GitError::NotAWorktree { .. }) => return park_plainly(from, &to),
                Err(error) => return Err(problems::git(&error)),
            };
            park_by_git(shared, repo, record, &note).await
        }
    }
}

async fn park_by_git(
    shared: &Shared,
    repo: Repo,
    record: ParkRecord,
    note: &Path,
) -> Result<Parked, Problem> {
    let receipt = serde_json::to_vec(&record).map_err(problems::internal)?;
    // Written down before anything moves, so that a move that is cut short can be finished.
    crate::home::write_private(note, &receipt).map_err(problems::io)?;
    let again = record.clone();
    let report = shared
        .repos
        .change(repo, move |writer| {
            Box::pin(async move { writer.park(&again).await.map_err(|e| problems::git(&e)) })
        })
        .await?;
    parked(&record, report.notes)
}

fn parked(record: &ParkRecord, notes: Vec<String>) -> Result<Parked, Problem> {
    let branch = record.branch.as_ref().map(|branch| branch.name.as_str());
    let free = branch.map_or_else(String::new, |branch| format!("; the branch {branch} is free"));
    let kept = format!("Its worktree is kept in the trash, every file in it as it was{free}.");
    Ok(Parked {
        path: Some(record.parked_at.to_string_lossy().into_owned()),
        receipt: Some(serde_json::to_value(record).map_err(problems::internal)?),
        kept: std::iter::once(kept).chain(notes).collect::<Vec<_>>().join(" "),
    })
}

/// Has the repository's owner bring a worktree back.
async fn bring_back(shared: &Shared, repo: Repo, record: ParkRecord) -> Result<Unparked, Problem> {
    let back = shared.repos.change(repo, move |writer| {
        Box::pin(async move {
            writer.unpark(&record, Attach::Branch).await.map_err(|e| problems::git(&e))
        })
    });
    back.await
}

/// Puts the files of a worktree away that no repository knows of.
fn park_plainly(from: &Path, to: &Path) -> Result<Parked, Problem> {
    rename(from, to)?;
    Ok(plainly_parked(to))
}

fn plainly_parked(to: &Path) -> Parked {
    Parked {
        path: Some(to.to_string_lossy().into_owned()),
        receipt: None,
        kept: "Its repository does not know it any more; its files are kept in the trash."
            .to_owned(),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Problem> {
    if is_there(to) {
        return Err(problems::git(&GitError::PathExists { path: to.to_path_buf() }));
    }
    let parents = to.parent().map_or(Ok(()), std::fs::create_dir_all);
    parents.and_then(|()| std::fs::rename(from, to)).map_err(problems::io)
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Brings back what was put away; none when nothing was.
///
/// # Errors
/// As [`unpark`].
pub(crate) async fn restore(
    shared: &Shared,
    state: &Session,
) -> Result<Option<Box<Place>>, Problem> {
    let (Some(parked), Some(place)) = (&state.parked, &state.place) else { return Ok(None) };
    match (&parked.receipt, &parked.path) {
        (Some(receipt), _) => unpark(shared, receipt.clone(), place, &state.id)
            .await
            .map(|place| Some(Box::new(place))),
        (None, Some(at)) => {
            rename(Path::new(at), Path::new(&place.worktree))?;
            let _ = std::fs::remove_dir(shared.home.trash(&state.id));
            Ok(None)
        }
        (None, None) => Ok(None),
    }
}

/// Brings a worktree back to where it was, on its branch.
///
/// # Errors
/// When its place or its branch was taken meanwhile; it is in the trash still then.
async fn unpark(
    shared: &Shared,
    receipt: serde_json::Value,
    place: &Place,
    id: &SessionId,
) -> Result<Place, Problem> {
    let record = read(receipt)?;
    let repo = repo_of(&shared.git, place).await?.repo()?;
    let back = bring_back(shared, repo, record).await?;
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
pub(crate) async fn purge(shared: &Shared, state: &Session) -> Result<(), Problem> {
    if state.lifecycle != Lifecycle::Trashed {
        return Err(Problem::new(
            Code::StateConflict,
            "Only what is in the trash can be purged.",
            "Put it in the trash first, with `qd rm`.",
        ));
    }
    let folder = shared.home.trash(&state.id);
    let (Some(parked), Some(place)) = (&state.parked, &state.place) else { return Ok(()) };
    let Some(receipt) = &parked.receipt else { return remove(folder).await };
    let record = read(receipt.clone())?;
    let Found::Repo(repo) = repo_of(&shared.git, place).await? else {
        // There is nothing to unregister from.
        return remove(folder).await;
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
    remove(folder).await
}

/// What became of the repository of a place.
pub(crate) enum Found {
    /// It is there.
    Repo(Repo),
    /// Its common folder is gone, and with it all that it knew.
    Gone(PathBuf),
}

impl Found {
    /// The repository.
    ///
    /// # Errors
    /// It is gone.
    pub(crate) fn repo(self) -> Result<Repo, Problem> {
        match self {
            Self::Repo(repo) => Ok(repo),
            Self::Gone(path) => Err(problems::git(&GitError::NotARepository { path })),
        }
    }
}

/// The repository of a place, found from its main checkout: the worktree may be gone, and what its
/// `.git` file says is not believed.
///
/// # Errors
/// Git cannot be asked, or the main checkout is gone while its repository is there.
pub(crate) async fn repo_of(git: &Git, place: &Place) -> Result<Found, Problem> {
    let Some(common_dir) = place.common_dir.as_ref().map(PathBuf::from) else {
        return Err(Problem::new(
            Code::NotARepository,
            "The session does not work in a git repository.",
            "There is nothing to compare or to put away.",
        ));
    };
    if !is_there(&common_dir) {
        return Ok(Found::Gone(common_dir));
    }
    // What sessions of earlier versions did not write down is beside the common folder, save for
    // unusual layouts.
    let beside = common_dir.parent().unwrap_or(&common_dir).to_path_buf();
    let checkout = place.checkout.as_ref().map_or(beside, PathBuf::from);
    match git.discover(&checkout).await {
        Ok(repo) if repo.common_dir() == common_dir => Ok(Found::Repo(repo)),
        Ok(_) => Err(problems::git(&GitError::NotARepository { path: common_dir })),
        Err(error) => Err(problems::git(&error)),
    }
}

fn read(receipt: serde_json::Value) -> Result<ParkRecord, Problem> {
    serde_json::from_value(receipt).map_err(problems::internal)
}

async fn remove(folder: PathBuf) -> Result<(), Problem> {
    let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
    match removed.map_err(problems::internal)? {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(problems::internal(error))
        }
        _ => Ok(()),
    }
}
