//! What git tells, in the words of the API.

use qd_api::{
    RebuildCommit, RebuildView, ShipBase, ShipCommit, ShipFiles, ShipRemote, ShipSession, ShipUndo,
    ShipView, rfc3339,
};
use qd_core::{Millis, Problem, SessionId};
use qd_git::{BaseSource, Delivered, Delivery, Operation, Outcome, Rebuild, Whose};

use super::Ground;
use crate::problems;

/// All that a session would deliver.
///
/// # Errors
/// When git cannot be asked.
pub(crate) async fn ship_view(
    ground: &Ground,
    id: &SessionId,
    delivery: &Delivery,
    now: Millis,
) -> Result<ShipView, Problem> {
    let (repo, checkout) = (&ground.repo, &ground.checkout);
    let remote = async {
        match &delivery.branch {
            Some(branch) => repo.push_target(branch, &delivery.tip).await,
            None => Ok(None),
        }
    };
    let (state, remote, last) =
        tokio::join!(checkout.head_state(), remote, repo.last_rebuild(id.as_str()));
    let fail = |error| problems::git(&error);
    let (state, remote, last) = (state.map_err(fail)?, remote.map_err(fail)?, last.map_err(fail)?);
    let undo = last
        .filter(|last| Some(&last.branch) == delivery.branch.as_ref() && last.new == delivery.tip)
        .map(|last| ShipUndo { before: last.old.to_string() });
    Ok(ShipView {
        branch: delivery.branch.clone(),
        tip: delivery.tip.to_string(),
        base: ShipBase {
            name: delivery.base.name.clone(),
            commit: delivery.base.commit.to_string(),
            fetched: delivery.base.source == BaseSource::Fetched,
            note: delivery.base.note.clone(),
            merge_base: delivery.merge_base.as_ref().map(ToString::to_string),
            behind: delivery.behind,
            rewritten: delivery.rewritten,
            shallow: delivery.shallow,
        },
        commits: delivery.commits.iter().map(|one| commit(ground, one)).collect(),
        foreign: u32::try_from(delivery.foreign().count()).unwrap_or(u32::MAX),
        truncated: delivery.truncated,
        uncommitted: ShipFiles {
            staged: state.staged,
            unstaged: state.unstaged,
            untracked: state.untracked,
            conflicted: state.conflicted,
        },
        remote: remote.map(|remote| ShipRemote {
            name: remote.remote,
            branch: remote.branch,
            commit: remote.commit.map(|commit| commit.to_string()),
            ahead: remote.ahead,
            behind: remote.behind,
            others: remote.has_others,
        }),
        under_way: delivery.operation.map(|operation| word(operation).to_owned()),
        undo,
        read_at: rfc3339(now),
    })
}

/// What a rebuild would do.
pub(crate) fn rebuild_view(ground: &Ground, plan: &Rebuild) -> RebuildView {
    let own = plan.own.iter().map(|picked| {
        let (outcome, paths) = match &picked.outcome {
            Outcome::Same => ("same", vec![]),
            Outcome::Anew(_) => ("anew", vec![]),
            Outcome::InBase => ("in-base", vec![]),
            Outcome::PlainMerge => ("plain-merge", vec![]),
            Outcome::Conflict(paths) => {
                ("conflict", paths.iter().map(ToString::to_string).collect())
            }
            Outcome::NotTried => ("not-tried", vec![]),
        };
        RebuildCommit {
            id: picked.commit.oid.to_string(),
            subject: picked.commit.subject.clone(),
            outcome: outcome.to_owned(),
            paths,
        }
    });
    RebuildView {
        branch: plan.branch.clone(),
        tip: plan.old.to_string(),
        onto: plan.onto.name.clone(),
        onto_commit: plan.onto.commit.to_string(),
        own: own.collect(),
        left_out: plan.left_out.iter().map(|one| commit(ground, one)).collect(),
        in_the_way: plan.in_the_way.iter().map(ToString::to_string).collect(),
        needless: plan.is_needless(),
        ready: plan.new.is_some() && plan.in_the_way.is_empty(),
    }
}

fn commit(ground: &Ground, one: &Delivered) -> ShipCommit {
    let (whose, session) = match one.whose {
        Whose::Own => ("own", None),
        Whose::Session(index) => ("session", ground.names.get(index)),
        Whose::Nobody => ("nobody", None),
    };
    ShipCommit {
        id: one.commit.oid.to_string(),
        subject: one.commit.subject.clone(),
        author: one.commit.author.clone(),
        at: rfc3339(Millis(one.commit.time.saturating_mul(1000))),
        whose: whose.to_owned(),
        session: session
            .map(|(id, title)| ShipSession { id: id.to_string(), title: title.clone() }),
        on: one.on.clone(),
        merge: one.parents.len() > 1,
    }
}

fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "merge",
        Operation::Rebase => "rebase",
        Operation::Am => "am",
        Operation::CherryPick => "cherry-pick",
        Operation::Revert => "revert",
        Operation::Bisect => "bisect",
    }
}
