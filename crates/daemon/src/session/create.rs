//! Making a session.

mod adopt;
mod folder;
mod fork;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use qd_core::{Base, BaseSource, Code, Command, Kind, Launch, Place, Problem, SessionId, Step};
use qd_git::{Checkout, Created, Repo, Worktree};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use self::folder::worktrees_in;
use self::undo::unfinished;
pub(super) use self::undo::{forget_note, take_back, take_back_unfinished};
use super::hold::Hold;
use super::start::open_pane;
use super::{Done, Owner, Progress};
use crate::panes::{OpenPane, Pane, RUN};
use crate::problems;
use crate::shared::Shared;

/// The number of the run that a creation starts.
const FIRST_RUN: u64 = 1;

impl Owner {
    /// Starts the creation beside the turns.
    pub(super) fn begin_creation(
        &mut self,
        shared_folder: bool,
        repo: Option<Repo>,
        fork: Option<Box<Place>>,
    ) {
        let cancel = CancellationToken::new();
        self.hold = Hold::Starting(cancel.clone());
        let making = Making {
            shared: Arc::clone(&self.shared),
            id: self.id.clone(),
            launch: self.state.launch.clone(),
            repo,
            shared_folder,
            fork,
            progress: self.progress_to.clone(),
            cancel,
        };
        self.work.spawn(async move { Done::Created(making.run().await) });
    }

    /// The creation has ended, one way or the other.
    pub(super) async fn created(&mut self, result: Result<Pane, Unmade>) {
        self.hold = Hold::Nothing;
        // What it reported before it ended comes first.
        while let Ok(progress) = self.progress.try_recv() {
            self.progressed(progress).await;
        }
        match result {
            Ok(mut pane) => {
                let drawing = pane.take_drawing();
                self.hold = Hold::Here(Box::new(pane));
                self.show_first(drawing).await;
                self.report(Command::Started).await;
                if !self.held.is_empty() {
                    self.held.started(Instant::now());
                }
                forget_note(&self.shared, &self.id);
                self.settle_size();
                self.count_diff();
                self.publish();
            }
            Err(Unmade { problem, kept }) => {
                let report = if kept {
                    Command::CreationKept
                } else {
                    self.release_claims().await;
                    Command::CreationFailed
                };
                self.failed(problem, report).await;
                self.terminal.exited(super::UNKNOWN_EXIT);
            }
        }
        self.advance().await;
    }
}

/// A worktree that was made just now, and the right to take it back.
type Made = (Repo, Worktree<Created>);

/// Why a session was not made.
pub(super) struct Unmade {
    problem: Problem,
    /// Its files are there still.
    kept: bool,
}

/// A creation under way. It owns nothing of the session; what it makes it hands over or takes
/// back.
struct Making {
    shared: Arc<Shared>,
    id: SessionId,
    launch: Launch,
    /// As it was found when the session was asked for; none for a plain folder.
    repo: Option<Repo>,
    shared_folder: bool,
    fork: Option<Box<Place>>,
    progress: mpsc::Sender<Progress>,
    cancel: CancellationToken,
}

impl Making {
    async fn run(self) -> Result<Pane, Unmade> {
        let made = self.make_all().await;
        // When the daemon stops, the next one has to take it back.
        if made.as_ref().is_err_and(|unmade| unmade.problem.code != Code::DaemonStopping) {
            forget_note(&self.shared, &self.id);
        }
        made
    }

    /// Makes all of it. What git made on the way to a failure it took back itself.
    async fn make_all(&self) -> Result<Pane, Unmade> {
        let unmade = |problem| Unmade { problem, kept: false };
        let (place, made) = self.place().await.map_err(unmade)?;
        self.shared.step("create-made").await;
        let folder = PathBuf::from(&place.worktree);
        if let Some(at) = &self.launch.adopted {
            return self.adopted(at, place).await.map_err(unmade);
        }
        self.place_is_written(place).await;
        self.tell(Progress::Step(Step::Start)).await;
        self.shared.step("create-start").await;
        let pane = OpenPane {
            id: self.id.clone(),
            title: self.launch.title.to_string(),
            argv: self.launch.argv.clone(),
            cwd: folder,
            env: environment(&self.shared, &self.id, &self.launch, FIRST_RUN),
            size: self.launch.size,
        };
        let opened = open_pane(&self.shared, pane, &self.cancel).await;
        let opened = opened.unwrap_or_else(|| Err(called_off()));
        self.shared.step("create-opened").await;
        match (opened, made) {
            // What it started may run still: the next daemon sees to it.
            (Err(problem), _) if problem.code == Code::DaemonStopping => Err(unmade(problem)),
            (Err(problem), Some((repo, worktree))) => match self.take_back(repo, worktree).await {
                Ok(kept) => Err(Unmade { problem, kept }),
                Err(stopping) => Err(unmade(stopping)),
            },
            (opened, _) => opened.map_err(unmade),
        }
    }

    /// The files: found, or made.
    async fn place(&self) -> Result<(Place, Option<Made>), Problem> {
        self.tell(Progress::Step(Step::Fetch)).await;
        self.shared.step("create-fetch").await;
        let asked = PathBuf::from(&self.launch.repo);
        let Some(repo) = self.repo.clone() else {
            return Ok((self.plain_folder(&asked).await?, None));
        };
        match self.launch.kind {
            Kind::Worktree if self.fork.is_some() => self.forked(repo).await,
            Kind::Worktree => self.own_worktree(repo).await,
            Kind::ExistingWorktree | Kind::InPlace => self.found(repo, &asked).await,
            // What runs there needs no repository: one that git cannot work in is a folder.
            Kind::Adopted => match self.found(repo, &asked).await {
                Err(problem) if problem.code != Code::DaemonStopping => {
                    Ok((self.plain_folder(&asked).await?, None))
                }
                found => found,
            },
        }
    }

    /// A checkout that is there already.
    async fn found(&self, repo: Repo, asked: &Path) -> Result<(Place, Option<Made>), Problem> {
        let path = asked.to_path_buf();
        let place = if self.launch.kind == Kind::ExistingWorktree {
            qd_git::Place::ExistingWorktree { path }
        } else {
            qd_git::Place::InPlace { path }
        };
        let top =
            repo.checkout_around(asked).map_err(|error| problems::git(&error))?.top().to_path_buf();
        self.claim(&top).await?;
        self.make(repo, place, None, top, None).await
    }

    /// A worktree of its own, on a branch that is there or is made.
    async fn own_worktree(&self, repo: Repo) -> Result<(Place, Option<Made>), Problem> {
        let named = self.launch.branch.clone();
        let (wanted, cancel) = (self.launch.base.clone(), self.cancel.clone());
        let base = self.shared.repos.change(repo.clone(), move |writer| {
            Box::pin(async move {
                writer
                    .resolve_base(wanted.as_deref(), cancel.cancelled())
                    .await
                    .map_err(|error| problems::git(&error))
            })
        });
        let (base, taken) = tokio::join!(base, repo.branches());
        let mut taken = taken.map_err(|error| problems::git(&error))?;
        let exists = named.as_ref().is_some_and(|named| taken.contains(named));
        let base = match base {
            Ok(base) => Some(base),
            // A branch that is there needs no base to start from; its diff does without then.
            Err(_) if exists && self.launch.base.is_none() => None,
            Err(problem) => return Err(problem),
        };
        self.tell(Progress::Step(Step::Worktree)).await;
        self.shared.step("create-worktree").await;
        if let Some(branch) = named {
            return self.on_branch(repo, branch, exists, base).await;
        }
        let mut last = None;
        loop {
            let branch = qd_git::branch_name_from(self.launch.title.as_str(), |name| {
                taken.iter().any(|t| t == name)
            });
            match self.on_branch(repo.clone(), branch.clone(), false, base.clone()).await {
                // Another session took that name between the look and our turn.
                Err(problem)
                    if problem.code == Code::BranchExists && last.as_ref() != Some(&branch) =>
                {
                    last = Some(branch);
                    taken = repo.branches().await.map_err(|error| problems::git(&error))?;
                }
                done => return done,
            }
        }
    }

    async fn on_branch(
        &self,
        repo: Repo,
        branch: String,
        exists: bool,
        base: Option<qd_git::Base>,
    ) -> Result<(Place, Option<Made>), Problem> {
        let path = self.folder_for(&repo, &branch);
        // Another session may be asked to work in that folder, too.
        self.claim(&path).await?;
        let place = match (exists, &base) {
            (true, _) => qd_git::Place::ExistingBranch { branch, path: path.clone() },
            (false, Some(base)) => {
                qd_git::Place::NewBranch { branch, base: base.clone(), path: path.clone() }
            }
            (false, None) => return Err(problems::internal("a new branch has no base")),
        };
        self.make(repo, place, base, path, None).await
    }

    pub(super) async fn make(
        &self,
        repo: Repo,
        place: qd_git::Place,
        base: Option<qd_git::Base>,
        folder: PathBuf,
        source: Option<Checkout>,
    ) -> Result<(Place, Option<Made>), Problem> {
        // Written down before it is made, so that a creation that is cut short can be taken back.
        let note = self.note();
        let noted = serde_json::to_vec(&(repo.top(), &place)).map_err(problems::internal)?;
        crate::home::make_folder(&self.shared.home.session(&self.id))
            .and_then(|()| crate::home::write_private(&note, &noted))
            .map_err(problems::internal)?;
        let mut planned = repo.plan_worktree(place).map_err(|error| problems::git(&error))?;
        if let Some(source) = source {
            planned = planned.like(source);
        }
        let (common_dir, checkout) = (repo.common_dir().to_path_buf(), repo.top().to_path_buf());
        let cancel = self.cancel.clone();
        let made = self
            .shared
            .repos
            .change(repo.clone(), move |writer| {
                Box::pin(async move {
                    planned
                        .create(writer, cancel.cancelled())
                        .await
                        .map_err(|failed| problems::git(&failed.error))
                })
            })
            .await?;
        let (record, mut notes) = (made.record().clone(), made.notes().to_vec());
        if let Some(base) = &base {
            notes.insert(0, base.note.clone());
        }
        let receipt = serde_json::to_value(&record).map_err(problems::internal)?;
        let at = if self.launch.kind == Kind::Worktree { record.path.clone() } else { folder };
        let place = Place {
            worktree: at.to_string_lossy().into_owned(),
            common_dir: Some(common_dir.to_string_lossy().into_owned()),
            checkout: Some(checkout.to_string_lossy().into_owned()),
            branch: record.branch.clone(),
            made_branch: record.made.branch,
            made_worktree: record.made.worktree,
            base: Some(base.map_or_else(
                // What was checked out is what the changes of this session are compared with.
                || Base {
                    name: record.branch.clone().unwrap_or_else(|| "HEAD".to_owned()),
                    commit: record.commit.to_string(),
                    source: BaseSource::Local,
                },
                |base| Base {
                    name: base.name,
                    commit: base.commit.to_string(),
                    source: match base.source {
                        qd_git::BaseSource::Fetched => BaseSource::Fetched,
                        qd_git::BaseSource::Local => BaseSource::Local,
                    },
                },
            )),
            receipt: Some(receipt),
            notes,
        };
        Ok((place, Some((repo, made))))
    }

    /// Takes a worktree back; whether it was kept, because somebody has worked in it.
    async fn take_back(&self, repo: Repo, worktree: Worktree<Created>) -> Result<bool, Problem> {
        let is_fork = self.fork.is_some();
        let undo = self.shared.repos.change(repo, move |writer| {
            Box::pin(async move {
                // No program ran in it: what is not committed in a fork is a copy.
                let undone = if is_fork {
                    worktree.discard(writer).await
                } else {
                    worktree.roll_back(writer).await
                };
                Ok(!undone.kept.is_empty())
            })
        });
        undo.await
    }

    fn note(&self) -> PathBuf {
        unfinished(&self.shared, &self.id)
    }

    async fn claim(&self, folder: &Path) -> Result<(), Problem> {
        self.shared.claim(folder.to_path_buf(), &self.id, self.shared_folder).await
    }

    /// Waits until it is stored where the files are: a program that runs where nobody knows would
    /// be left with its worktree. A creation that is called off starts no program.
    async fn place_is_written(&self, place: Place) {
        let (written, stored) = oneshot::channel();
        self.tell(Progress::Place(Box::new(place), written)).await;
        tokio::select! {
            _ = stored => {}
            () = self.cancel.cancelled() => {}
        }
    }

    async fn tell(&self, progress: Progress) {
        // The owner is gone only when the daemon stops.
        let _ = self.progress.send(progress).await;
    }
}

/// The environment of a session's program, in its run of this number.
pub(super) fn environment(
    shared: &Shared,
    id: &SessionId,
    launch: &Launch,
    run: u64,
) -> std::collections::BTreeMap<String, String> {
    let mut env = shared.env.clone();
    env.extend(launch.env.clone());
    env.insert("QD_SESSION".to_owned(), id.to_string());
    env.insert("QD_HOME".to_owned(), shared.home.root().to_string_lossy().into_owned());
    env.insert(RUN.to_owned(), run.to_string());
    env
}

fn called_off() -> Problem {
    Problem::new(
        Code::Cancelled,
        "The creation was called off.",
        "What was made on the way was taken back.",
    )
}
