use std::sync::Arc;

use qd_api::{ConfigValue, TlsView};
use qd_daemon::{DaemonHandle, Denied, Principal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::allow::AllowLists;

/// What every request may see. Addresses only, nothing of its own.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

struct Inner {
    authority: Authority,
    allow: AllowLists,
    work: TaskTracker,
    stopping: CancellationToken,
    about: About,
}

/// What is told of the daemon as it was started.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// Its version.
    pub(crate) version: String,
    /// Where other devices reach the page, the best first; none when only this machine does.
    pub(crate) addresses: Vec<String>,
    /// What is told of its certificate, where it speaks TLS itself.
    pub(crate) tls: Option<TlsView>,
    /// The certificate of its own authority, in PEM.
    pub(crate) ca_pem: Option<String>,
    /// What is in force.
    pub(crate) config: Vec<ConfigValue>,
}

/// Who says whom a token belongs to.
pub(crate) enum Authority {
    /// The daemon.
    Daemon(DaemonHandle),
    /// A test's own list of tokens; no daemon is there to be reached.
    #[cfg(test)]
    Fixed(Vec<(&'static str, Principal)>),
}

impl App {
    pub(crate) fn new(
        authority: Authority,
        allow: AllowLists,
        stopping: CancellationToken,
        about: About,
    ) -> Self {
        Self(Arc::new(Inner { authority, allow, work: TaskTracker::new(), stopping, about }))
    }

    /// Whom a token belongs to.
    pub(crate) async fn authenticate(&self, token: Option<&str>) -> Result<Principal, Denied> {
        match &self.0.authority {
            Authority::Daemon(daemon) => daemon.authenticate(token).await,
            #[cfg(test)]
            Authority::Fixed(list) => {
                let token = token.ok_or(Denied::Missing)?;
                let found = list.iter().find(|(known, _)| *known == token);
                found.map(|(_, principal)| principal.clone()).ok_or(Denied::Wrong)
            }
        }
    }

    /// The daemon. Handlers do not call this: the extractors of `callers` do, for somebody.
    pub(crate) fn daemon(&self) -> Option<&DaemonHandle> {
        match &self.0.authority {
            Authority::Daemon(daemon) => Some(daemon),
            #[cfg(test)]
            Authority::Fixed(_) => None,
        }
    }

    pub(crate) fn allow(&self) -> &AllowLists {
        &self.0.allow
    }

    /// Where work runs that outlives its request.
    pub(crate) fn work(&self) -> &TaskTracker {
        &self.0.work
    }

    /// Cancelled when the daemon begins to stop.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// What is told of the daemon as it was started.
    pub(crate) fn about(&self) -> &About {
        &self.0.about
    }
}
