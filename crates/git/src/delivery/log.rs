//! Commits with their parents and what a copy of them keeps.

use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::status::Commit;
use crate::{Base, Oid};

/// The most bytes of a log that are read.
const MAX_LOG: usize = 16 << 20;
/// How many earlier values of a remote's branch are looked at.
const OLD_BASES: &str = "--max-count=16";

/// One commit of a log.
#[derive(Debug, Clone)]
pub(super) struct Logged {
    pub(super) commit: Commit,
    pub(super) parents: Vec<Oid>,
    /// Who wrote it, when, and its subject: a rebase and a cherry-pick keep them.
    pub(super) mark: String,
}

impl Repo {
    /// The commits of `tip` without those of `without`, children before parents, at most `limit`.
    pub(super) async fn log(
        &self,
        tip: &Oid,
        without: &[&Oid],
        limit: usize,
    ) -> Result<Vec<Logged>> {
        self.log_of([tip.as_str()], without, limit).await
    }

    /// As [`Repo::log`], of several tips. Those that are gone are left out.
    pub(super) async fn log_of<'a>(
        &self,
        tips: impl IntoIterator<Item = &'a str>,
        without: &[&Oid],
        limit: usize,
    ) -> Result<Vec<Logged>> {
        let call = self
            .read("log")
            .args(["log", "-z", "--topo-order", "--ignore-missing", "--encoding=UTF-8"])
            .args(["--no-show-signature", &format!("--max-count={limit}")])
            .arg("--format=%P%x1f%at %ae%x1f%H%x1f%ct%x1f%an%x1f%s")
            .args(tips)
            .args(without.iter().map(|oid| format!("^{oid}")))
            .arg("--")
            .limit(MAX_LOG);
        let output = self.git.run(call).await?.success(self.top())?.whole(MAX_LOG)?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.split('\0').filter(|record| !record.is_empty()).map(parse).collect()
    }

    /// Earlier commits of the remote's branch, as this repository saw them. Empty for a local one.
    pub(super) async fn values_of_tracking(&self, base: &Base) -> Result<Vec<Oid>> {
        let name = format!("refs/remotes/{}", base.name);
        if self.commit(&name).await?.is_none() {
            return Ok(Vec::new());
        }
        let call = self.read("reflog").args(["log", "-g", "--format=%H", OLD_BASES, &name, "--"]);
        let output = self.git.run(call).await?;
        // Without a log of it nothing is known.
        let text = String::from_utf8_lossy(if output.ok() { &output.stdout } else { b"" });
        let mut values: Vec<_> = text.lines().filter_map(Oid::parse).collect();
        values.retain(|value| *value != base.commit);
        values.dedup();
        Ok(values)
    }

    /// Whether `tips` have a commit that `base` does not have.
    pub(super) async fn has_more_than(&self, tips: &[Oid], base: &Oid) -> Result<bool> {
        if tips.is_empty() {
            return Ok(false);
        }
        let call = self
            .read("rev-list")
            .args(["rev-list", "--max-count=1", "--ignore-missing"])
            .args(tips.iter().map(Oid::as_str))
            .arg(format!("^{base}"));
        Ok(!self.git.run(call).await?.success(self.top())?.stdout.is_empty())
    }
}

fn parse(record: &str) -> Result<Logged> {
    let unreadable = || GitError::unexpected("log", "a record without a commit");
    let (parents, rest) =
        record.trim_start_matches('\n').split_once('\u{1f}').ok_or_else(unreadable)?;
    let (author, rest) = rest.split_once('\u{1f}').ok_or_else(unreadable)?;
    let commit = crate::status::parse_commit(rest)?;
    let mark = format!("{author} {}", commit.subject);
    let parents = parents.split(' ').filter_map(Oid::parse).collect();
    Ok(Logged { commit, parents, mark })
}
