//! Making commits anew on another one.

use std::collections::HashSet;

use super::{Outcome, Picked, Store};
use crate::checkout::split_paths;
use crate::delivery::{Delivered, Delivery};
use crate::error::{GitError, Result};
use crate::{Oid, RepoPath};

/// The most bytes that a merge may say of conflicts.
const MAX_CONFLICTS: usize = 4 << 20;

/// How two commits merge.
pub(crate) enum Merged {
    Tree(Oid),
    Conflict(Vec<RepoPath>),
}

impl Store {
    /// Makes `own` (oldest first) anew on the base. Returns the last commit, unless one conflicts.
    pub(crate) async fn pick_all(
        &self,
        delivery: &Delivery,
        own: Vec<&Delivered>,
    ) -> Result<(Option<Oid>, Vec<Picked>)> {
        let committer = self.committer().await?;
        let signs = self.signs().await?;
        let foreign: HashSet<&Oid> = delivery.foreign().map(|one| &one.commit.oid).collect();
        let known: HashSet<&Oid> = own.iter().map(|one| &one.commit.oid).collect();
        let mut tip = delivery.base.commit.clone();
        let mut picked = Vec::with_capacity(own.len());
        let mut own = own.into_iter();
        for one in own.by_ref() {
            let outcome = self.pick(one, &tip, (&known, &foreign), &committer, signs).await?;
            match &outcome {
                Outcome::Same => tip = one.commit.oid.clone(),
                Outcome::Anew(made) => tip = made.clone(),
                _ => {}
            }
            let conflicts = matches!(outcome, Outcome::Conflict(_));
            picked.push(Picked { commit: one.commit.clone(), outcome });
            if conflicts {
                picked.extend(
                    own.map(|one| Picked {
                        commit: one.commit.clone(),
                        outcome: Outcome::NotTried,
                    }),
                );
                return Ok((None, picked));
            }
        }
        Ok((Some(tip), picked))
    }

    async fn pick(
        &self,
        one: &Delivered,
        tip: &Oid,
        (own, foreign): (&HashSet<&Oid>, &HashSet<&Oid>),
        committer: &[u8],
        signs: bool,
    ) -> Result<Outcome> {
        let oid = &one.commit.oid;
        if let [parent] = one.parents.as_slice()
            && parent == tip
        {
            return Ok(Outcome::Same);
        }
        if let [first, second, ..] = one.parents.as_slice() {
            let plain = match self.merge(first, second, false).await? {
                Merged::Tree(tree) => tree == self.tree_of(oid).await?,
                Merged::Conflict(_) => false,
            };
            if plain {
                return Ok(Outcome::PlainMerge);
            }
            // Its own changes cannot be told from those of what it brought in.
            if one.parents[1..].iter().any(|parent| foreign.contains(parent)) {
                return Ok(Outcome::Conflict(self.differing(first, oid, "").await?));
            }
        }
        // What a merge with the base adds shows against the base's side.
        let mainline = match one.parents.as_slice() {
            [_, second, ..] if !own.contains(second) => Some(second),
            parents => parents.first(),
        };
        let bytes = self.read_commit(oid).await?;
        // A commit with the tree of the new tip and the parent of this one: git takes that parent
        // for what the two have in common, which makes the merge a cherry-pick.
        let tip_tree = self.tree_of(tip).await?;
        let stand_in = stand_in(&tip_tree, mainline, committer);
        let stand_in = self.write_commit(stand_in).await?;
        let tree = match self.merge(&stand_in, oid, one.parents.is_empty()).await? {
            Merged::Tree(tree) => tree,
            Merged::Conflict(paths) => return Ok(Outcome::Conflict(paths)),
        };
        if tree == tip_tree {
            let was_empty = match one.parents.first() {
                Some(parent) => self.tree_of(parent).await? == self.tree_of(oid).await?,
                None => false,
            };
            if !was_empty {
                return Ok(Outcome::InBase);
            }
        }
        let bytes = rewritten(&bytes, &tree, tip, committer)
            .ok_or_else(|| GitError::unexpected("cat-file", "a commit without a tree"))?;
        let made = if signs { self.sign(&bytes).await? } else { self.write_commit(bytes).await? };
        Ok(Outcome::Anew(made))
    }

    pub(crate) async fn merge(&self, ours: &Oid, theirs: &Oid, unrelated: bool) -> Result<Merged> {
        let mut call = self
            .call("merge-tree")
            .args(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"])
            .limit(MAX_CONFLICTS);
        if unrelated {
            call = call.arg("--allow-unrelated-histories");
        }
        let call = call.args([ours.as_str(), theirs.as_str()]);
        let output = self.repo().git.run(call).await?;
        if !output.cut && !matches!(output.code, Some(0 | 1)) {
            return Err(output.into_error(self.repo().top()));
        }
        let clean = output.code == Some(0);
        let mut fields = split_paths(&output.stdout);
        let tree = fields.next().and_then(|tree| Oid::parse(&tree.to_string()));
        let tree = tree.ok_or_else(|| GitError::unexpected("merge-tree", "no tree"))?;
        if clean {
            return Ok(Merged::Tree(tree));
        }
        let paths: std::collections::BTreeSet<RepoPath> = fields.collect();
        Ok(Merged::Conflict(paths.into_iter().collect()))
    }

    /// The person, as git would write them now.
    pub(crate) async fn committer(&self) -> Result<Vec<u8>> {
        let call = self.repo().read("var").args(["var", "GIT_COMMITTER_IDENT"]);
        let output = self.repo().git.run(call).await?;
        if !output.ok() {
            return Err(GitError::NoIdentity { said: output.said() });
        }
        let ident = output.stdout;
        Ok(ident.strip_suffix(b"\n").unwrap_or(&ident).to_vec())
    }

    /// Whether the person has commits signed. A preview signs nothing.
    pub(crate) async fn signs(&self) -> Result<bool> {
        if self.is_aside() {
            return Ok(false);
        }
        let call =
            self.repo().read("config").args(["config", "--type=bool", "--get", "commit.gpgSign"]);
        Ok(self.repo().git.run(call).await?.stdout.starts_with(b"true"))
    }
}

/// A commit that only serves to have a tree and a parent.
fn stand_in(tree: &Oid, parent: Option<&Oid>, committer: &[u8]) -> Vec<u8> {
    let mut bytes = format!("tree {tree}\n").into_bytes();
    if let Some(parent) = parent {
        bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
    }
    for role in [&b"author "[..], b"committer "] {
        bytes.extend_from_slice(role);
        bytes.extend_from_slice(committer);
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(b"\nquarterdeck: for a merge\n");
    bytes
}

/// The bytes of a commit with another tree, parent and committer. Author, message and encoding stay
/// to the byte; a signature would not hold any more and goes.
fn rewritten(commit: &[u8], tree: &Oid, parent: &Oid, committer: &[u8]) -> Option<Vec<u8>> {
    let end = commit.windows(2).position(|pair| pair == b"\n\n")?;
    let (headers, message) = commit.split_at(end + 1);
    let mut bytes = format!("tree {tree}\nparent {parent}\n").into_bytes();
    let mut keeps = false;
    for line in headers.split_inclusive(|&byte| byte == b'\n') {
        // A line that begins with a space goes on with the one before.
        if !line.starts_with(b" ") {
            let name = line.split(|&byte| byte == b' ').next().unwrap_or_default();
            let replaced: [&[u8]; 6] =
                [b"tree", b"parent", b"committer", b"gpgsig", b"gpgsig-sha256", b"mergetag"];
            keeps = !replaced.contains(&name);
            if name == b"committer" {
                bytes.extend_from_slice(b"committer ");
                bytes.extend_from_slice(committer);
                bytes.push(b'\n');
            }
        }
        if keeps {
            bytes.extend_from_slice(line);
        }
    }
    bytes.extend_from_slice(message);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tree_parent_committer_and_signature_of_a_commit_change() {
        let (a, b) = (Oid::parse(&"a".repeat(40)).unwrap(), Oid::parse(&"b".repeat(40)).unwrap());
        let commit = b"tree 0\nparent 1\nparent 2\nauthor \xe4 <a@b> 1 +0100\ncommitter C <c> 2 +0000\n\
            encoding ISO-8859-1\ngpgsig -----BEGIN\n more\n \n end\nchange-id x\n\n\n\xe4 subject\n\nparent 3\n";
        let made = rewritten(commit, &a, &b, b"Me <m> 3 +0200").unwrap();
        let wanted = [
            format!("tree {a}\nparent {b}\n").as_bytes(),
            b"author \xe4 <a@b> 1 +0100\ncommitter Me <m> 3 +0200\nencoding ISO-8859-1\n\
              change-id x\n\n\n\xe4 subject\n\nparent 3\n",
        ]
        .concat();
        assert_eq!(String::from_utf8_lossy(&made), String::from_utf8_lossy(&wanted));
        assert_eq!(made, wanted);
    }
}
