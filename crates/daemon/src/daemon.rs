//! Starting a daemon and ending it in order.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qd_core::{Problem, Session};
use qd_git::{Git, GitConfig};
use qd_store::{HomeLock, Store, StoreOptions};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::agents::Agents;
use crate::panes::PaneOwners;
use crate::repos::Repos;
use crate::settings::Settings;
use crate::shared::{Registry, SESSIONS, Shared};
use crate::starts::Starts;
use crate::supervisor::{self, Supervisor};
use crate::{Clock, DaemonHandle, Home, auth, doze, idempotency, problems};

/// Signals of changed views that a slow reader may be behind before it has to read all again.
const SIGNALS: usize = 1024;

/// What a daemon is started with. Everything that differs between machines and tests is here.
#[derive(Clone, Debug)]
pub struct DaemonConfig {
    /// Its home.
    pub home: PathBuf,
    /// The `qd` program itself, which is also the parent of the programs in its panes.
    pub program: PathBuf,
    /// The environment that programs get; ours and tmux's own variables are taken out.
    pub env: Vec<(OsString, OsString)>,
    /// The clock.
    pub clock: Clock,
    /// The version that it says it has.
    pub version: &'static str,
}

/// A running daemon. Not `Clone`: whoever holds it ends it.
#[derive(Debug)]
pub struct Daemon {
    home: Home,
    token: String,
    stop: CancellationToken,
    /// Ends the owners of repositories, when no session's owner is left to need one.
    no_sessions: CancellationToken,
    /// Ends what requests need to the last: cancelled when the server has finished them.
    last: CancellationToken,
    /// The supervisor, which joins every session's owner.
    sessions: JoinSet<()>,
    tasks: JoinSet<()>,
    panes: PaneOwners,
    store: Store,
    lock: HomeLock,
}

/// A home that nobody else can start a daemon in while this is held. Nothing runs in it yet.
#[derive(Debug)]
pub struct Claim {
    home: Home,
    lock: HomeLock,
}

impl Claim {
    /// Takes a home.
    ///
    /// # Errors
    /// When the home cannot be used, or another daemon has it.
    pub fn take(home: &Path) -> Result<Self, Problem> {
        let home = Home::open(home)?;
        let lock = HomeLock::acquire(home.root()).map_err(|error| problems::store(&error))?;
        home.tell_sockets()?;
        Ok(Self { home, lock })
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }
}

/// Whether a daemon of this version could open the database of a home. Nothing is written, and a
/// daemon that runs is not disturbed.
///
/// # Errors
/// [`qd_core::Code::StoreNewer`], [`qd_core::Code::StoreDamaged`].
pub fn can_read(home: &Path) -> Result<(), Problem> {
    qd_store::can_read(home).map_err(|error| problems::store(&error))
}

impl Daemon {
    /// Starts a daemon: takes the home, opens the store, and finds its sessions again.
    ///
    /// # Errors
    /// When the home cannot be used, another daemon has it, or the store cannot be opened.
    pub async fn start(config: DaemonConfig) -> Result<(Self, DaemonHandle), Problem> {
        Self::start_in(Claim::take(&config.home)?, config).await
    }

    /// Starts a daemon in a home that is held already.
    ///
    /// # Errors
    /// When the store cannot be opened.
    pub async fn start_in(
        claim: Claim,
        config: DaemonConfig,
    ) -> Result<(Self, DaemonHandle), Problem> {
        let Claim { home, lock } = claim;
        let settings = Settings::read(home.root())?;
        let (store, handle) = Store::open(home.root(), StoreOptions::default())
            .map_err(|error| problems::store(&error))?;
        let token = home.token(Shared::random()?)?;
        let program = home.keep_program(&config.program)?;
        home.drop_old_programs(&program);
        // Without it nothing is lost; on a full disk a daemon is needed to make room.
        if let Err(error) = handle.note_program(config.version, config.clock.now().0).await {
            tracing::warn!(%error, "this version was not noted in the database");
        }
        let owner = handle
            .init_meta("home_id", &crate::home::hex(&Shared::random::<16>()?))
            .await
            .map_err(|error| problems::store(&error))?;

        let (stop, last) = (CancellationToken::new(), CancellationToken::new());
        let no_sessions = CancellationToken::new();
        let (mut tasks, mut owners) = (JoinSet::new(), JoinSet::new());
        let (repos, repos_task) = Repos::new(no_sessions.clone());
        tasks.spawn(repos_task);
        let (starts, starts_task) = Starts::open(no_sessions.clone());
        tasks.spawn(starts_task);
        let (pane_owners, panes) = PaneOwners::open(&home, program, &owner, &config.env)?;
        let (supervisor_address, messages) = mpsc::channel(supervisor::QUEUE);
        let (registry_to, registry) = watch::channel(Arc::new(Registry::new()));
        let (idempotency_to, asked) = mpsc::channel(supervisor::QUEUE);
        let mut git = GitConfig::from_vars(config.env.clone(), home.root().join("scratch"));
        let env = text_env(config.env);
        if let Some(program) = qd_agents::find("git", env.get("PATH").map_or("", String::as_str)) {
            git.program = program;
        }
        let shared = Arc::new(Shared {
            git: Git::new(git),
            clock: config.clock.clone(),
            store: handle.clone(),
            repos,
            panes,
            agents: Agents::of(home.root()),
            starts,
            settings,
            supervisor: supervisor_address,
            registry,
            signals: broadcast::channel(SIGNALS).0,
            idempotency: idempotency_to,
            stop: stop.clone(),
            env,
            token_hash: auth::hash(&token),
            version: config.version,
            home: home.clone(),
        });
        // What a killed daemon left there is of no use to this one.
        let scratch = home.root().join("scratch");
        let _ = std::fs::remove_dir_all(&scratch);
        crate::home::make_folder(&scratch).map_err(problems::internal)?;
        tasks.spawn(idempotency::run(asked, handle.clone(), config.clock, last.clone()));

        let mut sessions = Vec::new();
        for (key, value) in handle.list(SESSIONS).await.map_err(|error| problems::store(&error))? {
            match serde_json::from_value::<Session>(value) {
                Ok(session) => sessions.push(session),
                // One that cannot be read must not keep the others from coming back.
                Err(error) => tracing::error!(session = %key, %error, "a session cannot be read"),
            }
        }
        let mut supervisor = Supervisor::new(Arc::clone(&shared), messages, registry_to);
        supervisor.recover(sessions);
        owners.spawn(supervisor.run());
        tasks.spawn(crate::sweep::sweep(Arc::clone(&shared)));
        tasks.spawn(crate::expiry::run(Arc::clone(&shared)));
        tasks.spawn(crate::natives::watch(Arc::clone(&shared)));
        if shared.settings.hibernate.on_pressure {
            let registry = shared.registry.clone();
            tasks.spawn(doze::watch(registry, doze::Pressure::default(), stop.clone()));
        }
        let daemon = Self {
            home,
            token,
            stop,
            no_sessions,
            last,
            sessions: owners,
            tasks,
            panes: pane_owners,
            store,
            lock,
        };
        Ok((daemon, DaemonHandle::new(shared)))
    }

    /// Its home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The owner's token; it stands in the home, for its owner only.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Ends the daemon and no session: every session's owner puts its things in order while all
    /// that it needs for that is there; then repositories and panes end, then the store is closed,
    /// then the home is free.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.last.cancel();
        join(&mut self.sessions).await;
        self.no_sessions.cancel();
        join(&mut self.tasks).await;
        self.panes.close().await;
        if let Err(error) = self.store.close().await {
            tracing::error!(%error, "the store was not closed in order");
        }
        drop(self.lock);
    }
}

async fn join(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a task of the daemon ended in a fault");
        }
    }
}

/// The environment of programs as text. What is not text is left out: no program of ours could
/// be given it through a request either.
fn text_env(env: Vec<(OsString, OsString)>) -> BTreeMap<String, String> {
    let ours = |name: &str| name.starts_with("QD_") || name.starts_with("TMUX");
    env.into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| !ours(name))
        .collect()
}
