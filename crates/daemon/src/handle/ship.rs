//! What a session would deliver, and having it shipped.

use qd_api::{
    MergeView, NewCommit, NewMerge, NewPush, NewRebuild, Operation, RebuildView, ShipView,
};
use qd_core::{Problem, SessionId};

use super::DaemonHandle;
use crate::message::SessionMessage;
use crate::problems;
use crate::ships::{self, Ground, MergeWork, ShipWork};

impl DaemonHandle {
    /// What a session would deliver onto its base; with `fetch` the remote is asked first.
    ///
    /// # Errors
    /// [`qd_core::Code::StateConflict`] when its files are not in place,
    /// [`qd_core::Code::NotARepository`], [`qd_core::Code::BaseMissing`].
    pub async fn ship_view(&self, id: &SessionId, fetch: bool) -> Result<ShipView, Problem> {
        let ground = self.ground(id).await?;
        let base = ground.base(&self.shared, fetch, std::future::pending()).await?;
        let delivery = ground.delivery(&base).await?;
        ships::ship_view(&ground, id, &delivery, self.shared.clock.now()).await
    }

    /// What a rebuild of only its own commits on the base as it was last seen would do. Nothing is
    /// changed.
    ///
    /// # Errors
    /// As [`DaemonHandle::ship_view`], and [`qd_core::Code::OperationUnderWay`],
    /// [`qd_core::Code::HeadDetached`].
    pub async fn rebuild_preview(&self, id: &SessionId) -> Result<RebuildView, Problem> {
        let ground = self.ground(id).await?;
        let base = ground.base(&self.shared, false, std::future::pending()).await?;
        let delivery = ground.delivery(&base).await?;
        let plan = ground.repo.preview_rebuild(&ground.checkout, &delivery).await;
        let plan = plan.map_err(|error| problems::git(&error))?;
        Ok(ships::rebuild_view(&ground, &plan))
    }

    /// What a merge into the base as it was last seen would do. Nothing is changed.
    ///
    /// # Errors
    /// As [`DaemonHandle::rebuild_preview`], a way that is none, and [`qd_core::Code::Conflicts`]
    /// when the two have nothing in common.
    pub async fn merge_preview(&self, id: &SessionId, way: &str) -> Result<MergeView, Problem> {
        let way = ships::way(way)?;
        let ground = self.ground(id).await?;
        let base = ground.base(&self.shared, false, std::future::pending()).await?;
        let delivery = ground.delivery(&base).await?;
        let plan = ground.repo.preview_merge(&ground.checkout, &delivery, way).await;
        let plan = plan.map_err(|error| problems::git(&error))?;
        Ok(ships::merge_view(&self.shared, &ground, id, &delivery, &plan))
    }

    /// Begins a commit of a session's work.
    ///
    /// # Errors
    /// A field that cannot be, or [`qd_core::Code::StateConflict`].
    pub async fn ship_commit(
        &self,
        id: &SessionId,
        request: NewCommit,
    ) -> Result<Operation, Problem> {
        let NewCommit { message, files, staged } = request;
        let what = ships::what(files, staged)?;
        if message.trim().is_empty() || message.contains('\0') {
            return Err(problems::git(&qd_git::GitError::MessageInvalid));
        }
        self.ship(id, ShipWork::Commit { message, what }).await
    }

    /// Begins a push of a session's branch.
    ///
    /// # Errors
    /// As [`DaemonHandle::ship_commit`].
    pub async fn ship_push(&self, id: &SessionId, request: NewPush) -> Result<Operation, Problem> {
        let NewPush { tip, with_foreign } = request;
        self.ship(id, ShipWork::Push { tip: ships::tip(&tip)?, with_foreign }).await
    }

    /// Begins a rebuild of a session's branch.
    ///
    /// # Errors
    /// As [`DaemonHandle::ship_commit`].
    pub async fn ship_rebuild(
        &self,
        id: &SessionId,
        request: NewRebuild,
    ) -> Result<Operation, Problem> {
        self.ship(id, ShipWork::Rebuild { tip: ships::tip(&request.tip)? }).await
    }

    /// Begins to bring a session's work into its base.
    ///
    /// # Errors
    /// As [`DaemonHandle::ship_commit`].
    pub async fn ship_merge(
        &self,
        id: &SessionId,
        request: NewMerge,
    ) -> Result<Operation, Problem> {
        let NewMerge { tip, onto_commit, way, message, with_foreign } = request;
        let way = ships::way(&way)?;
        if let Some(message) = &message
            && (message.trim().is_empty() || message.contains('\0'))
        {
            return Err(problems::git(&qd_git::GitError::MessageInvalid));
        }
        let onto = ships::tip(&onto_commit).map_err(|problem| problem.on("onto_commit"))?;
        let tip = ships::tip(&tip)?;
        self.ship(id, ShipWork::Merge(MergeWork { tip, onto, way, message, with_foreign })).await
    }

    /// Begins to take the last rebuild back.
    ///
    /// # Errors
    /// [`qd_core::Code::StateConflict`].
    pub async fn ship_undo(&self, id: &SessionId) -> Result<Operation, Problem> {
        self.ship(id, ShipWork::Undo).await
    }

    /// Ends what is being shipped.
    ///
    /// # Errors
    /// [`qd_core::Code::StateConflict`] when nothing is.
    pub async fn ship_stop(&self, id: &SessionId) -> Result<(), Problem> {
        self.ask(id, |reply| SessionMessage::StopShipping { reply }).await
    }

    async fn ship(&self, id: &SessionId, work: ShipWork) -> Result<Operation, Problem> {
        self.ask(id, |reply| SessionMessage::Ship { work, reply }).await
    }

    async fn ground(&self, id: &SessionId) -> Result<Ground, Problem> {
        let shown = self.in_place(id)?;
        let Some(place) = shown.place.clone() else { return Err(crate::viewer::gone()) };
        Ground::look(&self.shared, id, &place).await
    }
}
