//! From a plan to a place.
//!
//! The branch and the folder are made first, each by one call that fails if it is there; so we
//! know what is ours when something later fails. Git's own hooks are off while it works; the
//! person's post-checkout hook runs once at the end, as it would after `git worktree add` by hand,
//! and its failure is a note.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;

use super::{
    Created, Made, Place, PlaceKind, Planned, RollbackReport, Worktree, WorktreeRecord, rollback,
};
use crate::command::{Call, Kind};
use crate::error::{GitError, Result};
use crate::include::{IncludeReport, Rules};
use crate::repo::{Repo, canonical};
use crate::writer::RepoWriter;
use crate::{Checkout, Oid};

/// Why a place was not made, and what became of the parts that were.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct CreateFailed {
    /// Why.
    #[source]
    pub error: GitError,
    /// What was taken back, and what could not be.
    pub rollback: RollbackReport,
}

impl Worktree<Planned> {
    /// Makes the place. On failure, or when `cancel` completes, everything that was made is taken
    /// back before this returns.
    ///
    /// # Errors
    /// [`CreateFailed`] with [`GitError::BranchExists`], [`GitError::BranchInTheWay`],
    /// [`GitError::BranchMissing`], [`GitError::BranchCheckedOut`], [`GitError::PathExists`],
    /// [`GitError::PathRegistered`], [`GitError::DiskFull`], [`GitError::Permission`],
    /// [`GitError::Cancelled`], or what git said.
    pub async fn create(
        self,
        writer: &mut RepoWriter,
        cancel: impl Future<Output = ()>,
    ) -> Result<Worktree<Created>, CreateFailed> {
        let mut building = Building::default();
        let result = building.build(&self.state, writer, cancel).await;
        match result {
            Ok(created) => Ok(Worktree { repo: self.repo, state: created }),
            Err(error) => {
                let rollback = match (&self.state.place, &building.commit) {
                    (
                        Place::NewBranch { branch, path, .. }
                        | Place::ExistingBranch { branch, path },
                        Some(commit),
                    ) => writer.take_back(&building.made, path, branch, commit, true).await,
                    _ => RollbackReport::default(),
                };
                Err(CreateFailed { error, rollback })
            }
        }
    }
}

/// What has been made so far.
#[derive(Default)]
struct Building {
    made: Made,
    commit: Option<Oid>,
}

impl Building {
    async fn build(
        &mut self,
        plan: &Planned,
        writer: &mut RepoWriter,
        cancel: impl Future<Output = ()>,
    ) -> Result<Created> {
        let Planned { place, source } = plan;
        let (kind, branch, path) = match place {
            Place::NewBranch { branch, base, path } => {
                writer.make_branch(branch, base.commit.clone(), path).await?;
                self.made.branch = true;
                self.commit = Some(base.commit.clone());
                (PlaceKind::NewBranch, branch, path)
            }
            Place::ExistingBranch { branch, path } => {
                let commit = writer.commit(&format!("refs/heads/{branch}")).await?;
                let missing = || GitError::BranchMissing { branch: branch.clone() };
                self.commit = Some(commit.ok_or_else(missing)?);
                (PlaceKind::ExistingBranch, branch, path)
            }
            Place::ExistingWorktree { path } => {
                return adopt(PlaceKind::ExistingWorktree, writer.checkout(path)?).await;
            }
            Place::InPlace { path } => {
                return adopt(PlaceKind::InPlace, writer.checkout_around(path)?).await;
            }
        };
        self.make_parents(path)?;
        refuse_registered(writer, path)?;
        self.make_folder(path)?;
        let mut cancel = pin!(cancel);
        let adding = add(writer, path, branch, cancel.as_mut());
        let rules = async {
            match place {
                Place::NewBranch { base, .. } => writer.include_rules(&base.commit).await,
                _ => match writer.trusted_commit().await? {
                    Some(trusted) => writer.include_rules(&trusted).await,
                    None => Ok(Rules::default()),
                },
            }
        };
        // What git is asked meanwhile does not depend on the worktree.
        let (added, rules, hook) = tokio::join!(adding, rules, post_checkout_path(writer));
        let (checkout, half_made) = added?;
        // HEAD has just been put there.
        let commit = self.commit.clone();
        let commit = commit.ok_or_else(|| GitError::unexpected("worktree add", "no HEAD"))?;
        let mut notes = Vec::new();
        let from = source.clone().unwrap_or_else(|| writer.main_checkout());
        let copying = async { writer.copy_included(rules?, &from, &checkout).await };
        let copied = tokio::select! {
            copied = copying => copied,
            () = cancel.as_mut() => Err(GitError::Cancelled { what: "worktree add" }),
        };
        let include = match copied {
            Err(error @ GitError::Cancelled { .. }) => return Err(error),
            Err(error) => {
                notes.push(format!("Ignored files were not brought over: {error}."));
                IncludeReport::default()
            }
            Ok(report) => report,
        };
        notes.extend(include.summary());
        if let Some(source) = source {
            let carried = tokio::select! {
                carried = writer.carry_over(source, &checkout, &commit) => carried?,
                () = cancel.as_mut() => return Err(GitError::Cancelled { what: "worktree add" }),
            };
            notes.extend(carried);
        }
        half_made.clear()?;
        // A path that is not absolute is meant from the top of each checkout. Git decides where it
        // could not be found out.
        let hook = hook.unwrap_or_default();
        if [writer.top(), checkout.top()].iter().any(|top| top.join(&hook).exists()) {
            let hooked = run_post_checkout(&checkout, &commit, cancel.as_mut()).await;
            match hooked {
                Err(error @ GitError::Cancelled { .. }) => return Err(error),
                Err(error) => {
                    notes.push(format!("The post-checkout hook did not end well: {error}."));
                }
                Ok(()) => {}
            }
        }
        let record = WorktreeRecord {
            kind,
            path: checkout.top().to_path_buf(),
            branch: Some(branch.clone()),
            commit,
            made: self.made.clone(),
        };
        Ok(Created { record, checkout, include, notes })
    }

    /// Makes the folders above, one by one, so that we know which ones are ours.
    fn make_parents(&mut self, path: &Path) -> Result<()> {
        let missing: Vec<PathBuf> = path
            .ancestors()
            .skip(1)
            .take_while(|dir| !dir.exists())
            .map(Path::to_path_buf)
            .collect();
        for dir in missing.into_iter().rev() {
            match std::fs::create_dir(&dir) {
                Ok(()) => self.made.parents.insert(0, dir),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(GitError::io("Making the folder", &dir, e)),
            }
        }
        Ok(())
    }

    fn make_folder(&mut self, path: &Path) -> Result<()> {
        match std::fs::create_dir(path) {
            Ok(()) => {
                self.made.worktree = true;
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                Err(GitError::PathExists { path: path.to_path_buf() })
            }
            Err(e) => Err(GitError::io("Making the folder", path, e)),
        }
    }
}

/// Makes the worktree of a branch, with its files; it is marked as not entire yet.
///
/// In two calls. The first is short and not ended half-way: git that is ended by a signal may leave
/// the lock of a ref behind, and the branch could not be taken back then. The second locks nothing
/// but the index, which goes with the worktree.
async fn add(
    writer: &RepoWriter,
    path: &Path,
    branch: &str,
    cancel: impl Future<Output = ()>,
) -> Result<(Checkout, HalfMade)> {
    let call = writer
        .write("worktree add")
        .args(["worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", HALF_MADE])
        .arg("--end-of-options")
        .arg(path)
        .arg(branch);
    writer.git.run(call).await?.success(path)?;
    let checkout = writer.checkout(path)?;
    let half_made = HalfMade(checkout.git_dir().join("locked"));
    let call = Call::new(Kind::Write, "worktree add", checkout.top()).args([
        "read-tree",
        "--reset",
        "-u",
        "HEAD",
    ]);
    writer.git.run_unless(call, cancel).await?.success(path)?;
    Ok((checkout, half_made))
}

/// Git's own mark of a worktree that is not entire yet, a lock for this reason. What is cut short
/// while it is there is taken back whole.
pub(super) const HALF_MADE: &str = "initializing";

struct HalfMade(PathBuf);

impl HalfMade {
    fn clear(self) -> Result<()> {
        std::fs::remove_file(&self.0).map_err(|e| GitError::io("Removing", &self.0, e))
    }
}

/// Git would refuse as well, but only once the folder is there; and then taking it back could take
/// with it what git keeps about somebody else's worktree of the same place.
fn refuse_registered(repo: &Repo, path: &Path) -> Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    if !path.exists() && repo.admin_dir_of(&canonical(parent)?.join(name)).is_some() {
        return Err(GitError::PathRegistered { path: path.to_path_buf() });
    }
    Ok(())
}

async fn adopt(kind: PlaceKind, checkout: Checkout) -> Result<Created> {
    let Some(commit) = checkout.commit("HEAD").await? else {
        return Err(GitError::NoCommits { path: checkout.top().to_path_buf() });
    };
    let record = WorktreeRecord {
        kind,
        path: checkout.top().to_path_buf(),
        branch: checkout.branch().await?,
        commit,
        made: Made::default(),
    };
    Ok(Created { record, checkout, include: IncludeReport::default(), notes: Vec::new() })
}

/// Where the person's hook would be.
async fn post_checkout_path(repo: &Repo) -> Result<PathBuf> {
    let call = Call::new(Kind::Hook, "rev-parse", repo.top()).args([
        "rev-parse",
        "--git-path",
        "hooks/post-checkout",
    ]);
    Ok(repo.git.run(call).await?.success(repo.top())?.path())
}

async fn run_post_checkout(
    checkout: &Checkout,
    commit: &Oid,
    cancel: impl Future<Output = ()>,
) -> Result<()> {
    let zero = commit.zero_alike();
    // Without GIT_DIR, as git itself runs this hook in a new worktree.
    let call = Call::new(Kind::Hook, "hook run post-checkout", checkout.top())
        .args(["hook", "run", "--ignore-missing", "post-checkout", "--"])
        .args([zero.as_str(), commit.as_str(), "1"]);
    checkout.git.run_unless(call, cancel).await?.success(checkout.top()).map(|_| ())
}

impl RepoWriter {
    /// Makes a branch; fails if there is one.
    async fn make_branch(&mut self, branch: &str, commit: Oid, path: &Path) -> Result<()> {
        let name = format!("refs/heads/{branch}");
        let zero = commit.zero_alike();
        let mark = rollback::birth_mark(path);
        let call = self
            .write("update-ref")
            .args(["update-ref", "--create-reflog", "-m", &mark])
            .args([name.as_str(), commit.as_str(), zero.as_str()]);
        let output = self.git.run(call).await?;
        if output.ok() {
            return Ok(());
        }
        let said = output.said();
        if said.contains("reference already exists") {
            return Err(GitError::BranchExists { branch: branch.to_owned() });
        }
        let in_the_way = said
            .split_once("': '")
            .and_then(|(_, rest)| rest.split_once("' exists"))
            .and_then(|(other, _)| other.strip_prefix("refs/heads/"));
        if let Some(other) = in_the_way {
            return Err(GitError::BranchInTheWay { branch: branch.into(), other: other.into() });
        }
        let top = self.top().to_path_buf();
        Err(output.into_error(&top))
    }

    /// The commit of the default branch: what somebody merged, not what an agent wrote.
    async fn trusted_commit(&self) -> Result<Option<Oid>> {
        let branch = self.default_branch();
        if let Some(remote) = self.default_remote()
            && let Some(commit) = self.commit(&format!("refs/remotes/{remote}/{branch}")).await?
        {
            return Ok(Some(commit));
        }
        self.commit(&format!("refs/heads/{branch}")).await
    }
}
