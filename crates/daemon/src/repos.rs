//! One owner per repository: what changes refs or worktrees of one goes through it, in turn.

use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::Pin;

use qd_core::Problem;
use qd_git::{Repo, RepoWriter, Writers};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::problems;

/// Changes of one repository that wait for their turn.
const QUEUE: usize = 256;

type Pending<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
type Job = Box<dyn for<'a> FnOnce(&'a mut RepoWriter) -> Pending<'a> + Send>;

/// The address of the repositories' owners.
#[derive(Clone, Debug)]
pub(crate) struct Repos {
    jobs: mpsc::Sender<(Repo, JobBox)>,
}

/// A job, opaque to logs.
pub(crate) struct JobBox(Job);

impl std::fmt::Debug for JobBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("job")
    }
}

impl Repos {
    /// The address, and the task to run. It ends after `stop`, when what was asked for before is
    /// done: whoever stops it does so when nobody is left to ask.
    pub(crate) fn new(stop: CancellationToken) -> (Self, impl Future<Output = ()> + Send) {
        let (jobs, receiver) = mpsc::channel(QUEUE);
        (Self { jobs }, run(receiver, stop))
    }

    /// Runs a change when it is its turn. Dropping the future leaves it running.
    ///
    /// # Errors
    /// What the change reports, or that the daemon stops.
    pub(crate) async fn change<T, F>(&self, repo: Repo, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(
                &'a mut RepoWriter,
            )
                -> Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>
            + Send
            + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |writer| {
            Box::pin(async move {
                // Whoever asked may be gone; the change is made all the same.
                let _ = reply.send(work(writer).await);
            })
        });
        self.jobs.send((repo, JobBox(job))).await.map_err(|_| problems::stopping())?;
        answer.await.map_err(|_| problems::stopping())?
    }
}

async fn run(mut jobs: mpsc::Receiver<(Repo, JobBox)>, stop: CancellationToken) {
    let mut writers = Writers::new();
    let mut owners: HashMap<PathBuf, mpsc::Sender<(Repo, JobBox)>> = HashMap::new();
    let mut tasks = JoinSet::new();
    loop {
        let (repo, job) = tokio::select! {
            biased;
            job = jobs.recv() => match job { Some(job) => job, None => break },
            () = stop.cancelled() => break,
        };
        let key = repo.common_dir().to_path_buf();
        let owner = match owners.get(&key) {
            Some(owner) => owner.clone(),
            None => match writers.claim(repo.clone()) {
                Ok(writer) => {
                    let (sender, receiver) = mpsc::channel(QUEUE);
                    tasks.spawn(own(writer, receiver));
                    owners.insert(key, sender.clone());
                    sender
                }
                Err(error) => {
                    // Dropping the job answers it: its reply is gone.
                    tracing::error!(%error, "a repository has two owners");
                    continue;
                }
            },
        };
        // A full queue of one repository must not hold up the others.
        if let Err(mpsc::error::TrySendError::Full(job)) = owner.try_send((repo, job)) {
            tasks.spawn(async move {
                let _ = owner.send(job).await;
            });
        }
    }
    // What is under way is finished: a half-made worktree would be worse than a slow stop.
    drop(owners);
    while tasks.join_next().await.is_some() {}
}

async fn own(mut writer: RepoWriter, mut jobs: mpsc::Receiver<(Repo, JobBox)>) {
    while let Some((repo, JobBox(job))) = jobs.recv().await {
        // Its remotes and branches may have other names than when it was claimed.
        writer.refresh(repo);
        job(&mut writer).await;
    }
}
