//! Moving a branch and its worktree from one tip to another, and back.

use super::record::snapshot_id;
use super::{Rebuild, RebuildRecord, Store, obstacles};
use crate::command::{Call, Kind};
use crate::delivery::{Delivery, REBUILT};
use crate::error::{GitError, Result};
use crate::writer::RepoWriter;
use crate::{Base, Checkout, Oid, RepoPath};

/// The most bytes of a status that are read.
const MAX_STATUS: usize = 16 << 20;

impl RepoWriter {
    /// Makes the rebuild: the branch is at the base and the session's own commits then, and the
    /// worktree with it. What is not committed stays as it is; if it is in the way, nothing is
    /// done. `start` is where the session began, to be given back by an undo.
    ///
    /// The commits are made again, as they were in the preview; `delivery` tells which, and if the
    /// branch is not where it was then, nothing is done.
    ///
    /// # Errors
    /// As [`crate::Repo::preview_rebuild`], and [`GitError::Conflicts`], [`GitError::WorkInTheWay`],
    /// [`GitError::BranchMoved`], [`GitError::SigningFailed`], [`GitError::Locked`]. Branch and
    /// worktree are as they were then.
    pub async fn rebuild(
        &mut self,
        checkout: &Checkout,
        delivery: &Delivery,
        id: &str,
        start: Option<&Base>,
    ) -> Result<Rebuild> {
        self.settle(checkout, id).await?;
        let store = Store::of(self);
        let plan = self.repo().clone().plan_rebuild(&store, checkout, delivery).await?;
        let Some(new) = &plan.new else {
            let (commit, paths) = plan
                .conflict()
                .map(|(commit, paths)| (commit.oid.clone(), paths.to_vec()))
                .unwrap_or((plan.old.clone(), Vec::new()));
            return Err(GitError::Conflicts { commit, paths });
        };
        self.expect_tip(&plan.branch, &plan.old).await?;
        if plan.is_needless() {
            return Ok(plan);
        }
        if !plan.in_the_way.is_empty() {
            return Err(GitError::WorkInTheWay { paths: plan.in_the_way });
        }
        let snapshot = self.snapshot(checkout, &snapshot_id(id)).await?;
        let record = RebuildRecord::new(&plan.branch, &plan.old, new, start, &plan.onto);
        let record = self.keep_record(id, record, snapshot.as_ref()).await?;
        let why = format!("{REBUILT}{}", plan.onto.commit);
        let moved = self.move_tip(checkout, &plan.branch, &plan.old, new, &why).await;
        if let Err(error) = moved {
            self.drop_record(id, &record).await?;
            return Err(error);
        }
        Ok(plan)
    }

    /// Takes the last rebuild back: the branch and its worktree are where they were before it, and
    /// what is not committed stays as it is.
    ///
    /// # Errors
    /// [`GitError::NothingToUndo`], [`GitError::BranchMoved`] when there are newer commits,
    /// [`GitError::WorkInTheWay`]. Nothing is changed then.
    pub async fn undo_rebuild(&mut self, checkout: &Checkout, id: &str) -> Result<RebuildRecord> {
        let Some(record) = self.last_rebuild(id).await? else {
            return Err(GitError::NothingToUndo);
        };
        if let Some(operation) = checkout.operation() {
            return Err(GitError::OperationUnderWay { operation, path: checkout.top().into() });
        }
        if checkout.branch().await?.as_deref() != Some(&record.branch) {
            return Err(GitError::HeadDetached { path: checkout.top().into() });
        }
        self.settle(checkout, id).await?;
        if self.last_rebuild(id).await?.as_ref() != Some(&record) {
            // It was cut short, and has just been taken back.
            return Ok(record);
        }
        self.expect_tip(&record.branch, &record.new).await?;
        let store = Store::of(self);
        let paths = obstacles::find(&store, checkout, &record.new, &record.old).await?;
        if !paths.is_empty() {
            return Err(GitError::WorkInTheWay { paths });
        }
        let why = "quarterdeck: rebuild undone";
        self.move_tip(checkout, &record.branch, &record.new, &record.old, why).await?;
        self.drop_record(id, &record).await?;
        Ok(record)
    }

    /// Ends what a crash cut short: a rebuild that was written down and whose branch never moved
    /// is taken back in the worktree, too.
    async fn settle(&mut self, checkout: &Checkout, id: &str) -> Result<()> {
        let Some(record) = self.last_rebuild(id).await? else { return Ok(()) };
        let branch = checkout.branch().await?;
        let tip = self.commit(&format!("refs/heads/{}", record.branch)).await?;
        if branch.as_deref() != Some(&record.branch) || tip.as_ref() != Some(&record.old) {
            return Ok(());
        }
        self.switch_files(checkout, &record.new, &record.old).await?;
        self.drop_record(id, &record).await
    }

    pub(crate) async fn expect_tip(&self, branch: &str, expected: &Oid) -> Result<()> {
        let Some(found) = self.commit(&format!("refs/heads/{branch}")).await? else {
            return Err(GitError::BranchMissing { branch: branch.to_owned() });
        };
        if found == *expected {
            return Ok(());
        }
        let (branch, expected) = (branch.to_owned(), expected.clone());
        Err(GitError::BranchMoved { branch, expected, found })
    }

    /// The files first, as git may refuse them; then the branch, if it is where it was.
    pub(crate) async fn move_tip(
        &mut self,
        checkout: &Checkout,
        branch: &str,
        from: &Oid,
        to: &Oid,
        why: &str,
    ) -> Result<()> {
        self.switch_files(checkout, from, to).await?;
        let name = format!("refs/heads/{branch}");
        // In the worktree's own git directory, so that its log of HEAD has it as well.
        let call = Call::new(Kind::Write, "update-ref", checkout.top())
            .in_dirs(checkout.git_dir(), Some(checkout.top()))
            .args(["update-ref", "-m", why, &name, to.as_str(), from.as_str()]);
        let output = self.git.run(call).await?;
        if output.ok() {
            return Ok(());
        }
        let failed = output.into_error(checkout.top());
        self.switch_files(checkout, to, from).await?;
        self.expect_tip(branch, from).await?;
        Err(failed)
    }

    /// Takes index and files from one commit to another. Git looks at all of them before it writes
    /// the first, and keeps every change that is not committed, staged or not, or does nothing.
    async fn switch_files(&self, checkout: &Checkout, from: &Oid, to: &Oid) -> Result<()> {
        let call = |what: &'static str| {
            Call::new(Kind::Write, what, checkout.top())
                .in_dirs(checkout.git_dir(), Some(checkout.top()))
        };
        // So that a file which was only touched does not count as changed. One with changes makes
        // this fail, which does not matter.
        let refresh = call("update-index").args(["update-index", "-q", "--refresh"]);
        let refreshed = self.git.run(refresh).await?;
        if !refreshed.ok()
            && let locked @ GitError::Locked { .. } = refreshed.into_error(checkout.top())
        {
            return Err(locked);
        }
        let switch = call("read-tree").args(["read-tree", "-m", "-u", from.as_str(), to.as_str()]);
        let output = self.git.run(switch).await?;
        if output.ok() {
            return Ok(());
        }
        let said = output.said();
        let named = |text: &str| {
            let path = text.split('\'').nth(1)?;
            Some(RepoPath::from_bytes(path.as_bytes()))
        };
        let refused = ["not uptodate", "would be overwritten", "would be removed", "would lose"];
        let paths: Vec<_> = said
            .lines()
            .filter(|line| refused.iter().any(|words| line.contains(words)))
            .filter_map(named)
            .collect();
        if paths.is_empty() {
            Err(output.into_error(checkout.top()))
        } else {
            Err(GitError::WorkInTheWay { paths })
        }
    }
}

impl Checkout {
    /// The paths with changes that are not committed, untracked ones included, ignored ones not.
    pub(super) async fn uncommitted_paths(&self) -> Result<Vec<RepoPath>> {
        let call = self
            .read("status")
            .args(["status", "--porcelain=v2", "-z", "--no-ahead-behind", "--no-renames"])
            .args(["--untracked-files=all", "--ignore-submodules=dirty"])
            .limit(MAX_STATUS);
        let output = self.git.run(call).await?.success(self.top())?.whole(MAX_STATUS)?;
        let path = |record: &[u8]| {
            // The path is the last of the fields that the kind of line has.
            let fields = match record.first()? {
                b'1' => 9,
                b'u' => 11,
                b'?' => 2,
                _ => return None,
            };
            record.splitn(fields, |&byte| byte == b' ').nth(fields - 1).map(RepoPath::from_bytes)
        };
        Ok(output.stdout.split(|&byte| byte == 0).filter_map(path).collect())
    }
}
