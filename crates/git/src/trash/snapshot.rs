//! The second belt: what is tracked, as a commit that no branch knows of.
//!
//! It has the form of a stash: the commit of the index, and on top of it that of the working tree.
//! Index, stash and branch of the person are only read; untracked and ignored files are left out,
//! so that a push of all refs publishes nothing that was not to be committed.

use std::path::Path;

use crate::command::{Call, Kind};
use crate::diff::copy_index;
use crate::error::{GitError, Result};
use crate::writer::RepoWriter;
use crate::{Checkout, Oid};

/// Who the snapshots are by.
const NAME: &str = "Quarterdeck";
const MAIL: &str = "quarterdeck@localhost";

impl RepoWriter {
    /// Keeps the tracked files of a checkout, staged and not, under
    /// `refs/quarterdeck/snapshot/<id>`; none if they are as they were committed.
    ///
    /// # Errors
    /// [`GitError::DiskFull`], or what git said.
    pub async fn snapshot(&mut self, checkout: &Checkout, id: &str) -> Result<Option<Oid>> {
        let scratch = &self.git.config().scratch;
        let folder = copy_index(scratch, checkout.git_dir())?;
        let index = folder.path().join("index");
        let head = checkout.commit("HEAD").await?;
        // An index with conflicts is no tree. What it is about is in the working tree.
        let staged = match self.write_tree(checkout, &index).await {
            Ok(tree) => Some(tree),
            Err(error @ GitError::DiskFull { .. }) => return Err(error),
            Err(_) => None,
        };
        // Line ends that are not as configured are no reason to keep nothing.
        let adding = ["-c", "core.safecrlf=false", "add", "--update"];
        let call = on(checkout, "add", &index).args(adding);
        self.git.run(call).await?.success(checkout.top())?;
        let working = self.write_tree(checkout, &index).await?;
        let committed = match &head {
            Some(commit) => self.tree_of(commit).await?,
            None => None,
        };
        let as_committed = |tree: &Oid| committed.as_ref() == Some(tree);
        if as_committed(&working) && staged.as_ref().is_none_or(as_committed) {
            return Ok(None);
        }
        let staged = match staged {
            Some(tree) => Some(self.commit_tree(checkout, &tree, &head, None, "index").await?),
            None => None,
        };
        let kept = self.commit_tree(checkout, &working, &head, staged.as_ref(), "files").await?;
        let call = self.write("update-ref").args(["update-ref", &name(id), kept.as_str()]);
        self.git.run(call).await?.success(checkout.top())?;
        Ok(Some(kept))
    }

    /// Forgets the snapshot, if there is one.
    pub(crate) async fn drop_snapshot(&mut self, id: &str) -> Result<()> {
        let call = self.write("update-ref").args(["update-ref", "-d", &name(id)]);
        let top = self.top().to_path_buf();
        self.git.run(call).await?.success(&top).map(|_| ())
    }

    async fn write_tree(&self, checkout: &Checkout, index: &Path) -> Result<Oid> {
        let call = on(checkout, "write-tree", index).arg("write-tree");
        let output = self.git.run(call).await?.success(checkout.top())?;
        read_oid("write-tree", &output.line()?)
    }

    async fn tree_of(&self, commit: &Oid) -> Result<Option<Oid>> {
        let wanted = format!("{commit}^{{tree}}");
        let call = self.read("rev-parse").args(["rev-parse", "--verify", "--quiet", &wanted]);
        Ok(Oid::parse(&self.git.run(call).await?.line()?))
    }

    async fn commit_tree(
        &self,
        checkout: &Checkout,
        tree: &Oid,
        head: &Option<Oid>,
        staged: Option<&Oid>,
        what: &str,
    ) -> Result<Oid> {
        let mut call = Call::new(Kind::Write, "commit-tree", checkout.top())
            .in_dirs(checkout.git_dir(), Some(checkout.top()))
            .env("GIT_AUTHOR_NAME", NAME)
            .env("GIT_AUTHOR_EMAIL", MAIL)
            .env("GIT_COMMITTER_NAME", NAME)
            .env("GIT_COMMITTER_EMAIL", MAIL)
            .args(["commit-tree", "--no-gpg-sign", "-m", &format!("quarterdeck: {what}")]);
        for parent in head.iter().chain(staged) {
            call = call.args(["-p", parent.as_str()]);
        }
        let call = call.arg(tree.as_str());
        let output = self.git.run(call).await?.success(checkout.top())?;
        read_oid("commit-tree", &output.line()?)
    }
}

/// A change of a private index, with the files of a checkout.
fn on(checkout: &Checkout, what: &'static str, index: &Path) -> Call {
    Call::new(Kind::Write, what, checkout.top())
        .in_dirs(checkout.git_dir(), Some(checkout.top()))
        .index(index)
}

fn read_oid(what: &'static str, line: &str) -> Result<Oid> {
    Oid::parse(line).ok_or_else(|| GitError::unexpected(what, "no name of an object"))
}

fn name(id: &str) -> String {
    format!("refs/quarterdeck/snapshot/{id}")
}
