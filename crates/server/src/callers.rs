//! The only ways from a handler to the daemon. Each says for whom it asks.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use qd_api::SessionView;
use qd_core::{Code, Problem, SessionId};
use qd_daemon::{DaemonHandle, Principal};

use crate::app::App;
use crate::failure::Failure;
use crate::policy::not_allowed;
use crate::request::PathId;

/// Nobody in particular, on a public route: may log in, no more.
pub(crate) struct Guest(DaemonHandle);

/// The owner.
pub(crate) struct Owner {
    daemon: DaemonHandle,
    principal: Principal,
}

/// The session that the path names, and somebody who may see it.
pub(crate) struct Target {
    daemon: DaemonHandle,
    /// The session.
    pub(crate) id: SessionId,
    /// Its view at the moment it was found.
    pub(crate) view: Arc<SessionView>,
}

/// The session that the path names, for the owner.
pub(crate) struct OwnTarget {
    owner: Owner,
    /// The session.
    pub(crate) id: SessionId,
}

impl Guest {
    /// Trades a login code for a token.
    pub(crate) async fn login(
        &self,
        request: qd_api::LoginRequest,
    ) -> Result<qd_api::LoginReply, Problem> {
        self.0.login(&request.code, request.device).await
    }
}

impl Owner {
    pub(crate) fn daemon(&self) -> &DaemonHandle {
        &self.daemon
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }
}

impl Target {
    pub(crate) fn daemon(&self) -> &DaemonHandle {
        &self.daemon
    }
}

impl OwnTarget {
    pub(crate) fn daemon(&self) -> &DaemonHandle {
        self.owner.daemon()
    }
}

impl FromRequestParts<App> for Guest {
    type Rejection = Failure;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Failure> {
        Ok(Self(daemon_of(app)?))
    }
}

impl FromRequestParts<App> for Owner {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let principal = principal_of(parts)?;
        // The policy of the route has judged this already; a route with the wrong policy fails
        // here, closed.
        if !principal.is_owner() {
            return Err(not_allowed().into());
        }
        Ok(Self { daemon: daemon_of(app)?, principal })
    }
}

impl FromRequestParts<App> for Target {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let principal = principal_of(parts)?;
        let daemon = daemon_of(app)?;
        let PathId(named) = PathId::from_request_parts(parts, app).await?;
        let found = daemon.find(&named).and_then(|view| Ok((id_of(&view)?, view)));
        let (id, view) = match (&principal, found) {
            (Principal::Owner { .. }, found) => found?,
            (Principal::Session(own), Ok((id, view))) if *own == id => (id, view),
            // A session does not learn which other sessions there are.
            (Principal::Session(_), _) => return Err(not_allowed().into()),
        };
        Ok(Self { daemon, id, view })
    }
}

impl FromRequestParts<App> for OwnTarget {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let owner = Owner::from_request_parts(parts, app).await?;
        let PathId(named) = PathId::from_request_parts(parts, app).await?;
        let view = owner.daemon.find(&named)?;
        Ok(Self { owner, id: id_of(&view)? })
    }
}

fn daemon_of(app: &App) -> Result<DaemonHandle, Failure> {
    app.daemon().cloned().ok_or_else(Failure::internal)
}

fn principal_of(parts: &Parts) -> Result<Principal, Failure> {
    // Only a handler behind a public policy gets here without a principal: our mistake, and closed.
    parts.extensions.get::<Principal>().cloned().ok_or_else(Failure::internal)
}

pub(crate) fn id_of(view: &SessionView) -> Result<SessionId, Problem> {
    SessionId::parse(&view.id).map_err(|error| {
        Problem::new(Code::Internal, error.to_string(), "The log of the daemon says more.")
    })
}
