//! Telling whose a commit is.

use std::collections::{HashMap, HashSet};

use super::graph::Graph;
use super::log::Logged;
use super::{Delivered, SessionLine, Whose};
use crate::error::Result;
use crate::repo::Repo;
use crate::{Base, Checkout, Oid};

/// The most commits that the history of all sessions is looked at for.
const MAX_HISTORY: usize = 20_000;
/// The most branches that are looked for by name.
const MAX_NAMED: usize = 8;

/// All that is to be known beside the commits.
pub(super) struct Asked<'a> {
    pub(super) checkout: &'a Checkout,
    pub(super) base: &'a Base,
    pub(super) tip: &'a Oid,
    pub(super) branch: Option<&'a str>,
    pub(super) own: &'a SessionLine,
    pub(super) others: &'a [SessionLine],
    /// Commits that the base once was at, if it was rewritten.
    pub(super) old_bases: &'a [Oid],
}

impl Repo {
    pub(super) async fn tell_whose(
        &self,
        asked: Asked<'_>,
        listed: Vec<Logged>,
    ) -> Result<Vec<Delivered>> {
        if listed.is_empty() {
            return Ok(Vec::new());
        }
        let base = &asked.base.commit;
        let made = asked.checkout.made_here().await?;
        let tips = self.tips_of(asked.others).await?;
        let starts = asked.others.iter().chain([asked.own]).filter_map(|line| line.start.as_ref());
        let bases = made.rebuilt().iter().map(|(base, _)| base);
        let wanted = tips.iter().flatten().chain(starts).chain(bases).chain([asked.tip]);
        let history = self.log_of(wanted.map(Oid::as_str), &[base], MAX_HISTORY).await?;
        let graph = Graph::new(&history);

        let before = asked.own.start.as_ref().map(|start| graph.reach(start)).unwrap_or_default();
        let rebuilt: HashSet<&Oid> =
            made.rebuilt().iter().flat_map(|(base, tip)| graph.between(Some(base), tip)).collect();
        let theirs: Vec<HashSet<&Oid>> = asked
            .others
            .iter()
            .zip(&tips)
            .map(|(line, tip)| match tip {
                Some(tip) => graph.between(line.start.as_ref(), tip),
                None => HashSet::new(),
            })
            .collect();
        let session_of = |oid: &Oid| theirs.iter().position(|range| range.contains(oid));
        let reached = graph.reach(asked.tip);
        let originals = originals(&history, |oid| {
            before.contains(oid).then_some(session_of(oid)).or_else(|| {
                let elsewhere = !reached.contains(oid);
                session_of(oid).filter(|_| elsewhere).map(Some)
            })
        });
        let only_here = self.only_here(&asked).await?;

        let mut delivered = Vec::with_capacity(listed.len());
        for logged in listed {
            let oid = &logged.commit.oid;
            let session = |index: Option<usize>| index.map_or(Whose::Nobody, Whose::Session);
            let whose = if before.contains(oid) {
                session(session_of(oid))
            } else if made.is_copy(oid) && originals.contains_key(logged.mark.as_str()) {
                session(originals.get(logged.mark.as_str()).copied().flatten())
            } else if made.has(oid) || rebuilt.contains(oid) {
                Whose::Own
            } else if let Some(index) = session_of(oid) {
                Whose::Session(index)
            } else if only_here.contains(oid) {
                Whose::Own
            } else {
                Whose::Nobody
            };
            let Logged { commit, parents, .. } = logged;
            delivered.push(Delivered { commit, parents, whose, on: None });
        }
        self.name_branches(&asked, &graph, &only_here, &mut delivered).await?;
        Ok(delivered)
    }

    /// The commit of each branch, in the same order.
    async fn tips_of(&self, lines: &[SessionLine]) -> Result<Vec<Option<Oid>>> {
        let names: Vec<_> = lines
            .iter()
            .filter_map(|line| line.branch.as_deref())
            .map(|branch| format!("refs/heads/{branch}"))
            .collect();
        if names.is_empty() {
            return Ok(vec![None; lines.len()]);
        }
        let format = "--format=%(objectname) %(refname)";
        let call = self.read("for-each-ref").args(["for-each-ref", format]).args(&names);
        let output = self.git.run(call).await?.success(self.top())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let found: HashMap<_, _> = text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(oid, name)| Some((name.strip_prefix("refs/heads/")?, Oid::parse(oid)?)))
            .collect();
        let tip = |line: &SessionLine| found.get(line.branch.as_deref()?).cloned();
        Ok(lines.iter().map(tip).collect())
    }

    /// The commits of the tip that no other branch has, here or on a remote, and that the base
    /// never had.
    async fn only_here(&self, asked: &Asked<'_>) -> Result<HashSet<Oid>> {
        let mut call = self
            .read("rev-list")
            .args(["rev-list", "--ignore-missing", &format!("--max-count={MAX_HISTORY}")])
            .args([asked.tip.as_str(), "--not", asked.base.commit.as_str()])
            .args(asked.old_bases.iter().map(Oid::as_str));
        if let Some(branch) = asked.branch {
            call = call.arg(format!("--exclude={branch}"));
        }
        call = call.arg("--branches");
        if let Some(branch) = asked.branch {
            // Where it was pushed to.
            call = call.args(self.remotes().iter().map(|r| format!("--exclude={r}/{branch}")));
        }
        let output = self.git.run(call.arg("--remotes")).await?.success(self.top())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(Oid::parse).collect())
    }

    /// Says of commits of nobody which branch has them.
    async fn name_branches(
        &self,
        asked: &Asked<'_>,
        graph: &Graph<'_>,
        only_here: &HashSet<Oid>,
        delivered: &mut [Delivered],
    ) -> Result<()> {
        let mut asked_for = 0;
        for index in 0..delivered.len() {
            let one = &delivered[index];
            let unnamed = one.whose == Whose::Nobody && one.on.is_none();
            if !unnamed || only_here.contains(&one.commit.oid) || asked_for == MAX_NAMED {
                continue;
            }
            asked_for += 1;
            let Some(name) = self.branch_with(asked, &one.commit.oid).await? else { continue };
            // What has a commit has all that are before it.
            let beneath = graph.reach(&delivered[index].commit.oid);
            for one in delivered.iter_mut().filter(|one| beneath.contains(&one.commit.oid)) {
                if one.whose == Whose::Nobody && one.on.is_none() {
                    one.on = Some(name.clone());
                }
            }
        }
        Ok(())
    }

    async fn branch_with(&self, asked: &Asked<'_>, oid: &Oid) -> Result<Option<String>> {
        let call = self.read("for-each-ref").args([
            "for-each-ref",
            "--format=%(refname)",
            &format!("--contains={oid}"),
            "refs/heads/",
            "refs/remotes/",
        ]);
        let output = self.git.run(call).await?.success(self.top())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut names: Vec<_> = text
            .lines()
            .filter_map(|name| {
                let local = name.strip_prefix("refs/heads/");
                local.or_else(|| name.strip_prefix("refs/remotes/"))
            })
            .filter(|name| {
                let own = asked.branch.is_some_and(|branch| {
                    *name == branch
                        || self.remotes().iter().any(|r| *name == format!("{r}/{branch}"))
                });
                !own && !name.ends_with("/HEAD")
            })
            .collect();
        // The default branch says more than any other.
        let default = self.default_branch();
        names.sort_by_key(|name| *name != default);
        let first = names.first().map(|name| (*name).to_owned());
        let was = (!asked.old_bases.is_empty())
            .then(|| format!("{} before it was rewritten", asked.base.name));
        Ok(first.or(was))
    }
}

/// What a copy keeps of its original, with the session of the original.
fn originals(
    history: &[Logged],
    whose: impl Fn(&Oid) -> Option<Option<usize>>,
) -> HashMap<&str, Option<usize>> {
    let of = |logged: &Logged| whose(&logged.commit.oid);
    history.iter().filter_map(|logged| Some((logged.mark.as_str(), of(logged)?))).collect()
}
