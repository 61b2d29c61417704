//! The steps themselves. Each runs beside its session's turns and can be stopped.

use qd_core::{Code, Place, Problem, SessionId, Shipped, Shipping};
use qd_git::{Delivery, Oid, Outcome as Picked, Pushing, Rebuild, RepoPath, What};
use tokio_util::sync::CancellationToken;

use super::{Ground, as_record};
use crate::problems;
use crate::shared::Shared;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShipWork {
    /// Commit.
    Commit { message: String, what: What },
    /// Push what was shown.
    Push { tip: Oid, with_foreign: bool },
    /// Make the branch anew of its own commits.
    Rebuild { tip: Oid },
    /// Take that back.
    Undo,
    /// Bring it into the base.
    Merge(super::MergeWork),
}

impl ShipWork {
    /// Its word.
    pub(crate) fn word(&self) -> Shipping {
        match self {
            Self::Commit { .. } => Shipping::Commit,
            Self::Push { .. } => Shipping::Push,
            Self::Rebuild { .. } => Shipping::Rebuild,
            Self::Undo => Shipping::Undo,
            Self::Merge(_) => Shipping::Merge,
        }
    }
}

/// What was done.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// For the log of events.
    pub(crate) shipped: Shipped,
    /// For people: a sentence, and below it what the remote said.
    pub(crate) said: String,
}

/// Does it. `tell` gets each line that is said on the way; a `stop` ends what runs.
///
/// # Errors
/// Why it was not done; branch, worktree and remote are as they were then.
pub(crate) async fn run(
    shared: &Shared,
    id: &SessionId,
    place: &Place,
    work: ShipWork,
    tell: impl FnMut(&str) + Send,
    stop: CancellationToken,
) -> Result<Outcome, Problem> {
    let what = work.word();
    let ground = Ground::look(shared, id, place).await?;
    let done = match work {
        ShipWork::Commit { message, what } => commit(&ground, &message, &what, tell, &stop).await,
        ShipWork::Push { tip, with_foreign } => {
            push(shared, &ground, tip, with_foreign, tell, &stop).await
        }
        ShipWork::Rebuild { tip } => rebuild(shared, &ground, id, &tip).await,
        ShipWork::Undo => undo(shared, &ground, id).await,
        ShipWork::Merge(work) => super::merge::run(shared, &ground, id, work, tell, &stop).await,
    };
    let Done { commit, remote, base, said } = done?;
    Ok(Outcome { shipped: Shipped { what, commit, remote, base, problem: None }, said })
}

/// What a step came to.
#[derive(Default)]
pub(super) struct Done {
    pub(super) commit: Option<String>,
    pub(super) remote: Option<String>,
    pub(super) base: Option<qd_core::Base>,
    pub(super) said: String,
}

async fn commit(
    ground: &Ground,
    message: &str,
    what: &What,
    tell: impl FnMut(&str),
    stop: &CancellationToken,
) -> Result<Done, Problem> {
    let made = ground.checkout.commit_work(message, what, tell, stop.cancelled()).await;
    let made = made.map_err(|error| problems::git(&error))?;
    let note = made.note.map(|note| format!(" {note}")).unwrap_or_default();
    let said = format!("Committed as {}.{note}", made.commit.short());
    Ok(Done { commit: Some(made.commit.to_string()), said, ..Done::default() })
}

async fn push(
    shared: &Shared,
    ground: &Ground,
    tip: Oid,
    with_foreign: bool,
    mut tell: impl FnMut(&str),
    stop: &CancellationToken,
) -> Result<Done, Problem> {
    tell("Fetching the base");
    let base = ground.base(shared, true, stop.clone().cancelled_owned()).await?;
    let delivery = ground.delivery(&base).await?;
    let branch = delivery.branch.clone().ok_or_else(|| {
        let path = ground.checkout.top().to_path_buf();
        problems::git(&qd_git::GitError::HeadDetached { path })
    })?;
    if delivery.base.name
        == format!("{}/{branch}", ground.repo.default_remote().unwrap_or_default())
        || delivery.base.name == branch
    {
        return Err(Problem::new(
            Code::BranchProtected,
            format!("{branch} is the base itself. Nothing was pushed."),
            "Push it by hand if that is meant, or make a branch for the work.",
        ));
    }
    let foreign = delivery.foreign().count();
    if foreign > 0 && !with_foreign {
        return Err(foreign_commits("Push", &delivery, foreign));
    }
    let pushing = Pushing { branch, tip };
    let made = ground.repo.push(&ground.checkout, &pushing, tell, stop.cancelled()).await;
    let made = made.map_err(|error| problems::git(&error))?;
    let mut said = if made.old.as_ref() == Some(&made.new) {
        format!("{} on {} is up to date.", made.branch, made.remote)
    } else {
        format!("Pushed {} to {}.", made.branch, made.remote)
    };
    for line in &made.said {
        said.push('\n');
        said.push_str(line);
    }
    let commit = Some(made.new.to_string());
    Ok(Done { commit, remote: Some(made.remote), said, ..Done::default() })
}

pub(super) fn foreign_commits(what: &str, delivery: &Delivery, count: usize) -> Problem {
    let commits = if count == 1 { "1 commit".to_owned() } else { format!("{count} commits") };
    let more = if delivery.truncated { "at least " } else { "" };
    Problem::new(
        Code::ForeignCommits,
        format!("{what} refused: {more}{commits} would go along that are not of this session."),
        "Nothing was changed. Keep them out with a rebuild, or let them go along knowingly.",
    )
}

async fn rebuild(
    shared: &Shared,
    ground: &Ground,
    id: &SessionId,
    tip: &Oid,
) -> Result<Done, Problem> {
    let base = ground.base(shared, false, std::future::pending()).await?;
    let delivery = ground.delivery(&base).await?;
    if delivery.branch.as_deref() == Some(ground.repo.default_branch()) {
        return Err(Problem::new(
            Code::BranchProtected,
            "The default branch is not rebuilt. Nothing was changed.",
            "Make a branch for the work.",
        ));
    }
    if delivery.tip != *tip {
        let branch = delivery.branch.unwrap_or_default();
        let error =
            qd_git::GitError::BranchMoved { branch, expected: tip.clone(), found: delivery.tip };
        let mut problem = problems::git(&error);
        "Nothing was changed. Look at what it holds now, then decide anew."
            .clone_into(&mut problem.hint);
        return Err(problem);
    }
    let (checkout, start, id) = (ground.checkout.clone(), ground.start.clone(), id.to_string());
    let changing = shared.repos.change(ground.repo.clone(), move |writer| {
        Box::pin(async move {
            let made = writer.rebuild(&checkout, &delivery, &id, start.as_ref()).await;
            made.map_err(|error| problems::git(&error))
        })
    });
    let made = changing.await?;
    let said = rebuilt(&made);
    let commit = made.new.as_ref().map(ToString::to_string);
    Ok(Done { commit, base: Some(as_record(&made.onto)), said, ..Done::default() })
}

fn rebuilt(made: &Rebuild) -> String {
    if made.is_needless() {
        return format!("It was on {} with its own commits only.", made.onto.name);
    }
    let stay = |picked: &&qd_git::Picked| matches!(picked.outcome, Picked::Same | Picked::Anew(_));
    let stays = made.own.iter().filter(stay).count();
    let left = made.left_out.len();
    format!("Rebuilt on {}: {stays} kept, {left} left out.", made.onto.name)
}

async fn undo(shared: &Shared, ground: &Ground, id: &SessionId) -> Result<Done, Problem> {
    let (checkout, id) = (ground.checkout.clone(), id.to_string());
    let changing = shared.repos.change(ground.repo.clone(), move |writer| {
        Box::pin(async move {
            let undone = writer.undo_rebuild(&checkout, &id).await;
            undone.map_err(|error| match error {
                // The hint of a trash that cannot be left does not fit.
                moved @ qd_git::GitError::BranchMoved { .. } => {
                    let mut problem = problems::git(&moved);
                    "Nothing was changed. The newer commits would be lost: have them taken over \
                     first, such as with `git cherry-pick`."
                        .clone_into(&mut problem.hint);
                    problem
                }
                other => problems::git(&other),
            })
        })
    });
    let record = changing.await?;
    let said = format!("{} is back at {}.", record.branch, record.old.short());
    let base = record.start.as_ref().map(as_record);
    Ok(Done { commit: Some(record.old.to_string()), base, said, ..Done::default() })
}

/// Reads a commit's name.
///
/// # Errors
/// It is none.
pub(crate) fn tip(text: &str) -> Result<Oid, Problem> {
    Oid::parse(text).ok_or_else(|| {
        Problem::new(
            Code::FieldInvalid,
            "That is not the full name of a commit.",
            "Take `tip` from what is to be shipped.",
        )
        .on("tip")
    })
}

/// Reads what is to be committed.
///
/// # Errors
/// A path that is none, or two answers at once.
pub(crate) fn what(files: Option<Vec<String>>, staged: bool) -> Result<What, Problem> {
    let invalid = |message: &str, hint: &str| {
        Err(Problem::new(Code::FieldInvalid, message, hint).on("files"))
    };
    match (files, staged) {
        (None, false) => Ok(What::All),
        (None, true) => Ok(What::Staged),
        (Some(files), false) if !files.is_empty() => {
            let parse = |file: &String| RepoPath::parse(file).filter(RepoPath::is_beneath);
            match files.iter().map(parse).collect() {
                Some(paths) => Ok(What::Files(paths)),
                None => invalid(
                    "A path is not that of a file in the worktree.",
                    "Take the paths from the diff's list of files.",
                ),
            }
        }
        (Some(_), false) => invalid("No file is named.", "Name one, or leave `files` out."),
        (Some(_), true) => {
            invalid("Either files or what is staged can be committed.", "Leave one of them out.")
        }
    }
}
