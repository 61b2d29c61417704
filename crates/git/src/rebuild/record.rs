//! What an undo goes by: a commit of ours that holds on to the old tip and the new one.

use serde::{Deserialize, Serialize};

use super::Store;
use crate::error::{GitError, Result};
use crate::repo::Repo;
use crate::writer::RepoWriter;
use crate::{Base, BaseSource, Oid};

/// A rebuild that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RebuildRecord {
    /// The branch.
    pub branch: String,
    /// Its commit before.
    pub old: Oid,
    /// Its commit after.
    pub new: Oid,
    /// Where the session began before, as it was written down.
    pub start: Option<Base>,
    /// What it begins at since.
    pub onto: Base,
    /// The record of the rebuild before this one.
    earlier: Option<Oid>,
}

impl RebuildRecord {
    pub(super) fn new(
        branch: &str,
        old: &Oid,
        new: &Oid,
        start: Option<&Base>,
        onto: &Base,
    ) -> Self {
        let (branch, old, new) = (branch.to_owned(), old.clone(), new.clone());
        Self { branch, old, new, start: start.cloned(), onto: onto.clone(), earlier: None }
    }
}

impl Repo {
    /// The last rebuild for this id that was not undone.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn last_rebuild(&self, id: &str) -> Result<Option<RebuildRecord>> {
        let Some(kept) = self.commit(&reference(id)?).await? else { return Ok(None) };
        let call = self.read("log").args(["log", "-1", "--format=%B", kept.as_str(), "--"]);
        let output = self.git.run(call).await?.success(self.top())?;
        Ok(read(&String::from_utf8_lossy(&output.stdout)))
    }
}

impl RepoWriter {
    /// Writes a rebuild down before it is made. `snapshot` holds what is not committed.
    pub(super) async fn keep_record(
        &mut self,
        id: &str,
        mut record: RebuildRecord,
        snapshot: Option<&Oid>,
    ) -> Result<RebuildRecord> {
        let name = reference(id)?;
        record.earlier = self.commit(&name).await?;
        let store = Store::of(self);
        let tree = store.tree_of(&record.old).await?;
        let parents = [&record.old, &record.new].into_iter().chain(snapshot).chain(&record.earlier);
        let mut bytes = format!("tree {tree}\n");
        for parent in parents {
            bytes.push_str(&format!("parent {parent}\n"));
        }
        let by = "Quarterdeck <quarterdeck@localhost> 0 +0000";
        bytes.push_str(&format!("author {by}\ncommitter {by}\n\n{}", written(&record)));
        let kept = store.write_commit(bytes.into_bytes()).await?;
        let call = self.write("update-ref").args(["update-ref", &name, kept.as_str()]);
        let top = self.top().to_path_buf();
        self.git.run(call).await?.success(&top)?;
        Ok(record)
    }

    /// Forgets the last rebuild; the one before it is the last then.
    pub(super) async fn drop_record(&mut self, id: &str, record: &RebuildRecord) -> Result<()> {
        let name = reference(id)?;
        let call = match &record.earlier {
            Some(earlier) => self.write("update-ref").args(["update-ref", &name, earlier.as_str()]),
            None => self.write("update-ref").args(["update-ref", "-d", &name]),
        };
        let top = self.top().to_path_buf();
        self.git.run(call).await?.success(&top).map(|_| ())
    }

    /// Forgets all rebuilds for this id, and what was not committed at the last one.
    pub(crate) async fn drop_rebuilds(&mut self, id: &str) -> Result<()> {
        self.drop_snapshot(&snapshot_id(id)).await?;
        let call = self.write("update-ref").args(["update-ref", "-d", &reference(id)?]);
        let top = self.top().to_path_buf();
        self.git.run(call).await?.success(&top).map(|_| ())
    }
}

/// Under which id a rebuild keeps what is not committed.
pub(super) fn snapshot_id(id: &str) -> String {
    format!("{id}-rebuild")
}

fn reference(id: &str) -> Result<String> {
    let well_named = !id.is_empty()
        && id.len() <= 100
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if well_named {
        Ok(format!("refs/quarterdeck/rebuild/{id}"))
    } else {
        Err(GitError::unexpected("update-ref", "a bad id of a session"))
    }
}

/// One line for each thing: no value can hold the end of a line.
fn written(record: &RebuildRecord) -> String {
    let mut text = format!(
        "quarterdeck: rebuilt\n\nbranch {}\nold {}\nnew {}\nonto {} {}\n",
        record.branch, record.old, record.new, record.onto.commit, record.onto.name
    );
    if let Some(start) = &record.start {
        text.push_str(&format!("start {} {}\n", start.commit, start.name));
    }
    if let Some(earlier) = &record.earlier {
        text.push_str(&format!("earlier {earlier}\n"));
    }
    text
}

fn read(text: &str) -> Option<RebuildRecord> {
    let line = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(str::to_owned)
    };
    let oid = |name| Oid::parse(&line(name)?);
    let base = |name| {
        let written = line(name)?;
        let (commit, name) = written.split_once(' ')?;
        let note = format!("From {name} as it was.");
        Some(Base {
            name: name.to_owned(),
            commit: Oid::parse(commit)?,
            source: BaseSource::Local,
            note,
        })
    };
    Some(RebuildRecord {
        branch: line("branch")?,
        old: oid("old")?,
        new: oid("new")?,
        start: base("start"),
        onto: base("onto")?,
        earlier: oid("earlier"),
    })
}
