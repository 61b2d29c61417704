//! Putting worktrees away in the home and bringing them back, through the repository's owner.

use std::path::{Path, PathBuf};

use qd_core::{Code, Lifecycle, Parked, Pending, Place, Problem, Session, SessionId};
use qd_git::{Attach, Git, GitError, Oid, ParkRecord, PurgeReport, Repo, Unparked};

use crate::shared::Shared;
use crate::{problems, sharers};

/// Puts a session's worktree away by renaming it into the home; everything in it stays as it is.
/// Nothing is done to a folder that we did not make.
///
/// # Errors
/// What git or the file system reports, or that somebody else works there; the worktree is where
/// it was then.
pub(crate) async fn park(shared: &Shared, state: &Session) -> Result<Parked, Problem> {
    sharers::clear(shared, state).await?;
    // One that is paused has its worktree put away already.
    if let Some(parked) = &state.parked {
        return Ok(parked.clone());
    }
    let parked = put_away(shared, state).await;
    if parked.is_err() {
        sharers::open(shared, &state.id).await;
    }
    parked
}

async fn put_away(shared: &Shared, state: &Session) -> Result<Parked, Problem> {
    let nothing = |kept: String| Ok(Parked { path: None, receipt: None, kept });
    let Some(place) = &state.place else { return nothing("It had no files.".to_owned()) };
    if state.is_adopted() {
        return nothing(format!(
            "Only this record was: what runs in its pane goes on there, and its folder {} was left as it is.",
            place.worktree
        ));
    }
    if !place.made_worktree {
        return nothing(format!("Its folder {} was left as it is.", place.worktree));
    }
    let folder = shared.home.trash(&state.id);
    crate::home::make_folder(&folder).map_err(|error| problems::disk(&folder, &error))?;
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
                return Ok(plainly_parked(&to, state));
            };
            let again = record.clone();
            let finished = shared.repos.change(repo, move |writer| {
                Box::pin(
                    async move { writer.finish_park(&again).await.map_err(|e| problems::git(&e)) },
                )
            });
            finished.await?;
            parked(&record, state, vec![])
        }
        (false, true, None) => Ok(plainly_parked(&to, state)),
        (true, _, earlier) => {
            let Found::Repo(repo) = repo_of(&shared.git, place).await? else {
                return park_plainly(from, &to, state).await;
            };
            if let Some(record) = earlier.filter(|_| is_there(&to)) {
                // A copy to the trash that was cut short: it begins anew.
                bring_back(shared, repo.clone(), record).await?;
            }
            let record = match repo.plan_park(from, &to, state.id.as_str()).await {
                Ok(record) => record,
                // The repository does not know of it any more: only the files are left.
                Err(GitError::NotAWorktree { .. }) => return park_plainly(from, &to, state).await,
                Err(error) => return Err(problems::git(&error)),
            };
            park_by_git(shared, repo, record, state, &note).await
        }
    }
}

async fn park_by_git(
    shared: &Shared,
    repo: Repo,
    record: ParkRecord,
    state: &Session,
    note: &Path,
) -> Result<Parked, Problem> {
    let receipt = serde_json::to_vec(&record).map_err(problems::internal)?;
    // Written down before anything moves, so that a move that is cut short can be finished.
    crate::home::write_private(note, &receipt).map_err(|error| problems::disk(note, &error))?;
    let again = record.clone();
    let report = shared
        .repos
        .change(repo, move |writer| {
            Box::pin(async move { writer.park(&again).await.map_err(|e| problems::git(&e)) })
        })
        .await?;
    parked(&record, state, report.notes)
}

/// Where what is put away is kept, in words.
fn kept_where(state: &Session) -> &'static str {
    if state.pending == Some(Pending::Pause) { "put away" } else { "kept in the trash" }
}

fn parked(record: &ParkRecord, state: &Session, notes: Vec<String>) -> Result<Parked, Problem> {
    let branch = record.branch.as_ref().map(|branch| branch.name.as_str());
    let free = branch.map_or_else(String::new, |branch| format!("; the branch {branch} is free"));
    let kept = format!("Its worktree is {}, every file in it as it was{free}.", kept_where(state));
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
            writer
                .unpark(&record, Attach::Branch)
                .await
                .map_err(|error| no_way_back(&error, &record))
        })
    });
    back.await
}

/// Why a worktree does not come back, and how it can.
fn no_way_back(error: &GitError, record: &ParkRecord) -> Problem {
    let mut problem = problems::git(error);
    let commit = record.branch.as_ref().and_then(|branch| branch.commit.as_ref());
    let hint = match (error, commit) {
        (GitError::BranchMissing { branch }, Some(commit)) => {
            format!("Make it again with `git branch {branch} {}`, then try again.", commit.short())
        }
        (GitError::BranchMoved { branch, expected, .. }, _) => format!(
            "Move it back with `git branch -f {branch} {}`, then try again.",
            expected.short()
        ),
        (GitError::BranchCheckedOut { path, .. }, _) => {
            format!("Switch to another branch in {}, then try again.", path.display())
        }
        (GitError::PathExists { path }, _) => {
            format!("Move what is at {} away, then try again.", path.display())
        }
        (GitError::ParkedMissing { .. }, _) => {
            "Put it back there, or purge the session; its branch is as it was.".to_owned()
        }
        _ => return problem,
    };
    problem.hint = format!("Nothing was changed, and nothing is lost. {hint}");
    problem
}

/// Puts the files of a worktree away that no repository knows of.
async fn park_plainly(from: &Path, to: &Path, state: &Session) -> Result<Parked, Problem> {
    let notes = qd_git::move_folder(from, to).await.map_err(|error| problems::git(&error))?;
    let mut parked = plainly_parked(to, state);
    parked.kept = std::iter::once(parked.kept).chain(notes).collect::<Vec<_>>().join(" ");
    Ok(parked)
}

fn plainly_parked(to: &Path, state: &Session) -> Parked {
    Parked {
        path: Some(to.to_string_lossy().into_owned()),
        receipt: None,
        kept: format!(
            "Its repository does not know it any more; its files are {}.",
            kept_where(state)
        ),
    }
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether what was put away is back where it was, and nobody was told so.
pub(crate) fn is_half_back(state: &Session) -> bool {
    let away = state.parked.as_ref().and_then(|parked| parked.path.as_ref());
    let place = state.place.as_ref();
    away.zip(place).is_some_and(|(away, place)| {
        !is_there(Path::new(away)) && is_there(Path::new(&place.worktree))
    })
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
    let Some(at) = &parked.path else { return Ok(None) };
    sharers::clear_parked(shared, &state.id, Path::new(at)).await?;
    let back = take_out(shared, state, parked, place).await;
    sharers::open(shared, &state.id).await;
    back
}

async fn take_out(
    shared: &Shared,
    state: &Session,
    parked: &Parked,
    place: &Place,
) -> Result<Option<Box<Place>>, Problem> {
    match (&parked.receipt, &parked.path) {
        (Some(receipt), _) => unpark(shared, receipt.clone(), place, &state.id)
            .await
            .map(|place| Some(Box::new(place))),
        // It was moved before the daemon was killed.
        (None, Some(_)) if is_half_back(state) => Ok(None),
        (None, Some(at)) => {
            let back = qd_git::move_folder(Path::new(at), Path::new(&place.worktree)).await;
            back.map_err(|error| problems::git(&error))?;
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
    if let Some(at) = &parked.path {
        // Closed until the session is gone.
        sharers::clear_parked(shared, &state.id, Path::new(at)).await?;
    }
    let purged = end_files(shared, parked, place, folder).await;
    if purged.is_err() {
        sharers::open(shared, &state.id).await;
    }
    purged
}

async fn end_files(
    shared: &Shared,
    parked: &Parked,
    place: &Place,
    folder: PathBuf,
) -> Result<(), Problem> {
    let Some(receipt) = &parked.receipt else {
        remove(folder).await?;
        return forget(shared, place).await;
    };
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
    let report = shared
        .repos
        .change(repo, move |writer| {
            Box::pin(async move {
                writer.purge(&record, nothing_new).await.map_err(|e| problems::git(&e))
            })
        })
        .await?;
    tell_kept(&report);
    remove(folder).await
}

fn tell_kept(report: &PurgeReport) {
    for kept in &report.kept {
        tracing::warn!("{kept}");
    }
}

/// Has the repository forget a worktree of ours whose folder somebody took away, and its branch
/// if it holds nothing.
async fn forget(shared: &Shared, place: &Place) -> Result<(), Problem> {
    if !place.made_worktree {
        return Ok(());
    }
    let Found::Repo(repo) = repo_of(&shared.git, place).await? else { return Ok(()) };
    let path = PathBuf::from(&place.worktree);
    let base = place.base.as_ref().and_then(|base| Oid::parse(&base.commit));
    let ours = place.branch.clone().filter(|_| place.made_branch).zip(base);
    let forgotten = shared.repos.change(repo, move |writer| {
        Box::pin(async move {
            let ours = ours.as_ref().map(|(branch, base)| (branch.as_str(), base));
            writer.forget_missing(&path, ours).await.map_err(|e| problems::git(&e))
        })
    });
    tell_kept(&forgotten.await?);
    Ok(())
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
    qd_git::remove_folder(&folder).await.map_err(|error| problems::git(&error))
}
