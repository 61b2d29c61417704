//! Bringing a session's work into its base.

use qd_api::MergeView;
use qd_core::{Code, Problem, SessionId};
use qd_git::{Base, Delivery, GitError, Merge, Oid, Way, Whose};
use tokio_util::sync::CancellationToken;

use super::Ground;
use super::work::{Done, foreign_commits};
use crate::problems;
use crate::shared::Shared;

/// The most own commits that the message of a squash lists.
const MAX_SUBJECTS: usize = 50;

/// What is to be merged, as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MergeWork {
    /// The branch's commit.
    pub(crate) tip: Oid,
    /// The base's commit.
    pub(crate) onto: Oid,
    /// How.
    pub(crate) way: Way,
    /// The message; else the one of [`message`].
    pub(crate) message: Option<String>,
    /// Foreign commits go along.
    pub(crate) with_foreign: bool,
}

/// Does it: the merge is made aside, then the base moves to it in one step.
pub(super) async fn run(
    shared: &Shared,
    ground: &Ground,
    id: &SessionId,
    work: MergeWork,
    mut tell: impl FnMut(&str) + Send,
    stop: &CancellationToken,
) -> Result<Done, Problem> {
    tell("Fetching the base");
    let base = ground.base(shared, true, stop.clone().cancelled_owned()).await?;
    let delivery = ground.delivery(&base).await?;
    check(ground, &delivery, &work)?;
    let text = match &work.message {
        Some(message) => message.clone(),
        None => message(&delivery, work.way, &title(shared, id)),
    };
    tell("Merging");
    let (checkout, way) = (ground.checkout.clone(), work.way);
    let making = shared.repos.change(ground.repo.clone(), move |writer| {
        Box::pin(async move {
            let made = writer.make_merge(&checkout, &delivery, way, &text).await;
            made.map_err(|error| problems::git(&error))
        })
    });
    let merge = making.await?;
    let onto = merge.onto.name.clone();
    let Some(new) = merge.new.clone().filter(|_| !merge.is_needless()) else {
        return Ok(Done { said: format!("{onto} has all of it already."), ..Done::default() });
    };
    if stop.is_cancelled() {
        return Err(problems::git(&GitError::Cancelled { what: "merge" }));
    }
    let mut said = format!("Merged {} into {onto} as {}.", merge.branch, new.short());
    let remote = if ground.repo.remote_of(&merge.onto).is_some() {
        let pushed = ground.repo.push_merge(&ground.checkout, &merge, tell, stop.cancelled()).await;
        let pushed = pushed.map_err(|error| pushing(&error))?;
        for line in &pushed.said {
            said.push('\n');
            said.push_str(line);
        }
        Some(pushed.remote)
    } else {
        let landing = shared.repos.change(ground.repo.clone(), move |writer| {
            Box::pin(async move {
                writer.land_merge(&merge).await.map_err(|error| problems::git(&error))
            })
        });
        landing.await?;
        None
    };
    Ok(Done { commit: None, remote, base: None, said })
}

/// What a merge would do.
pub(crate) fn merge_view(
    shared: &Shared,
    ground: &Ground,
    id: &SessionId,
    delivery: &Delivery,
    plan: &Merge,
) -> MergeView {
    let foreign = count(delivery.foreign().count());
    let rebase = plan.way == Way::Rebase;
    let all = count(delivery.commits.len());
    MergeView {
        branch: plan.branch.clone(),
        tip: plan.tip.to_string(),
        onto: plan.onto.name.clone(),
        onto_commit: plan.onto.commit.to_string(),
        remote: ground.repo.remote_of(&plan.onto).is_some(),
        way: plan.way.as_str().to_owned(),
        commits: if rebase { all - foreign } else { all },
        foreign: if rebase { 0 } else { foreign },
        conflicts: plan.conflicts.iter().map(ToString::to_string).collect(),
        needless: plan.is_needless(),
        ready: plan.new.is_some() && !plan.is_needless(),
        message: message(delivery, plan.way, &title(shared, id)),
    }
}

/// Reads a way.
///
/// # Errors
/// It is none.
pub(crate) fn way(text: &str) -> Result<Way, Problem> {
    Way::ALL.into_iter().find(|way| way.as_str() == text).ok_or_else(|| {
        Problem::new(
            Code::FieldInvalid,
            "That is no way to merge.",
            "There are `merge`, `squash` and `rebase`.",
        )
        .on("way")
    })
}

/// Refuses what was not shown, and what must not go along.
fn check(ground: &Ground, delivery: &Delivery, work: &MergeWork) -> Result<(), Problem> {
    let branch = delivery.branch.clone().unwrap_or_default();
    let moved = |branch: &str, expected: &Oid, found: &Oid| {
        let (branch, expected, found) = (branch.to_owned(), expected.clone(), found.clone());
        let mut problem = problems::git(&GitError::BranchMoved { branch, expected, found });
        "Nothing was changed. Look at what a merge would do now, then decide anew."
            .clone_into(&mut problem.hint);
        problem
    };
    if delivery.tip != work.tip {
        return Err(moved(&branch, &work.tip, &delivery.tip));
    }
    if delivery.base.commit != work.onto {
        return Err(moved(&delivery.base.name, &work.onto, &delivery.base.commit));
    }
    if is_base(ground, &delivery.base, &branch) {
        return Err(Problem::new(
            Code::BranchProtected,
            format!("{branch} is the base itself. Nothing was merged."),
            "Make a branch for the work.",
        ));
    }
    let foreign = delivery.foreign().count();
    if foreign > 0 && work.way != Way::Rebase && !work.with_foreign {
        return Err(foreign_commits("Merge", delivery, foreign));
    }
    Ok(())
}

fn is_base(ground: &Ground, base: &Base, branch: &str) -> bool {
    let there = ground.repo.remote_of(base).map(|(_, branch)| branch);
    there.as_deref().unwrap_or(&base.name) == branch
}

/// The message of the commit that a merge makes; empty for a rebase, in which commits keep theirs.
fn message(delivery: &Delivery, way: Way, title: &str) -> String {
    let branch = delivery.branch.as_deref().unwrap_or_default();
    match way {
        Way::Rebase => String::new(),
        Way::Merge => format!("Merge branch '{branch}'\n\n{title}"),
        Way::Squash => {
            let own: Vec<&str> = delivery
                .commits
                .iter()
                .rev()
                .filter(|one| one.whose == Whose::Own)
                .map(|one| one.commit.subject.as_str())
                .collect();
            match own.as_slice() {
                [] => title.to_owned(),
                [subject] => (*subject).to_owned(),
                many => {
                    let mut text = format!("{title}\n");
                    for subject in many.iter().take(MAX_SUBJECTS) {
                        text.push_str("\n* ");
                        text.push_str(subject);
                    }
                    text
                }
            }
        }
    }
}

/// A push that was refused, in the words of a merge.
fn pushing(error: &GitError) -> Problem {
    let mut problem = problems::git(error);
    if matches!(error, GitError::PushRejected { .. }) {
        "The base moved in this very moment and is as somebody else made it. Look at what a merge \
         would do now, then decide anew."
            .clone_into(&mut problem.hint);
    }
    problem
}

fn title(shared: &Shared, id: &SessionId) -> String {
    let registry = shared.registry.borrow();
    registry.get(id).map(|entry| entry.view.borrow().view.title.clone()).unwrap_or_default()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
