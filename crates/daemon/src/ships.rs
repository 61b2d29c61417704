//! What a session would deliver, and the steps on its way to others.

mod merge;
mod views;
mod work;

use std::path::Path;

use qd_core::{Place, Problem, SessionId};
use qd_git::{Base, BaseSource, Checkout, Delivery, Oid, Repo, SessionLine};

use crate::problems;
use crate::shared::{Registry, Shared};

pub(crate) use merge::{MergeWork, merge_view, way};
pub(crate) use views::{rebuild_view, ship_view};
pub(crate) use work::{Outcome, ShipWork, run, tip, what};

/// A session's repository and all that is to be known to tell whose its commits are.
pub(crate) struct Ground {
    pub(crate) repo: Repo,
    pub(crate) checkout: Checkout,
    /// Where the session began.
    pub(crate) start: Option<Base>,
    own: SessionLine,
    others: Vec<SessionLine>,
    /// Id and title of each of the others.
    pub(crate) names: Vec<(SessionId, String)>,
}

impl Ground {
    /// Looks at a session's place.
    ///
    /// # Errors
    /// When it works in no repository, or git cannot be asked.
    pub(crate) async fn look(
        shared: &Shared,
        id: &SessionId,
        place: &Place,
    ) -> Result<Self, Problem> {
        let repo = crate::trash::repo_of(&shared.git, place).await?.repo()?;
        // From the side of the repository: an agent may have put another `.git` into its folder.
        let checkout = repo
            .checkout_around(Path::new(&place.worktree))
            .map_err(|error| problems::git(&error))?;
        let start = place.base.as_ref().and_then(as_base);
        let own = SessionLine {
            branch: place.branch.clone(),
            start: start.as_ref().map(|base| base.commit.clone()),
        };
        let (names, others) = others(&shared.registry.borrow(), id, place).into_iter().unzip();
        Ok(Self { repo, checkout, start, own, others, names })
    }

    /// The name of what it is delivered onto. A session on a branch that was there before has
    /// itself for a base, which is nothing to deliver onto.
    fn recorded(&self) -> Option<String> {
        let name = self.start.as_ref().map(|base| base.name.clone());
        name.filter(|name| Some(name) != self.own.branch.as_ref())
    }

    /// The base: freshly fetched with `fetch`, else as it was last seen.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) async fn base(
        &self,
        shared: &Shared,
        fetch: bool,
        cancel: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Base, Problem> {
        let recorded = self.recorded();
        if !fetch {
            let seen = self.repo.last_seen_base(recorded.as_deref()).await;
            return seen.map_err(|error| problems::git(&error));
        }
        let fetching = shared.repos.change(self.repo.clone(), move |writer| {
            Box::pin(async move {
                let base = writer.current_base(recorded.as_deref(), cancel).await;
                base.map_err(|error| problems::git(&error))
            })
        });
        fetching.await
    }

    /// What would be delivered onto a base.
    ///
    /// # Errors
    /// When nothing was ever committed, or git cannot be asked.
    pub(crate) async fn delivery(&self, base: &Base) -> Result<Delivery, Problem> {
        let delivery = self.repo.delivery(&self.checkout, base, &self.own, &self.others).await;
        delivery.map_err(|error| problems::git(&error))
    }
}

/// The other sessions of this repository, those in the trash as well: their branches are there. A
/// second terminal in the same worktree is no session of its own here.
fn others(
    registry: &Registry,
    id: &SessionId,
    place: &Place,
) -> Vec<((SessionId, String), SessionLine)> {
    let parent = registry.get(id).and_then(|entry| entry.view.borrow().launch.parent.clone());
    registry
        .iter()
        .filter(|(other, _)| *other != id && Some(*other) != parent.as_ref())
        .filter_map(|(other, entry)| {
            let shown = entry.view.borrow();
            let theirs = shown.place.as_ref()?;
            let same = theirs.common_dir.is_some() && theirs.common_dir == place.common_dir;
            if !same || shown.launch.parent.is_some() {
                return None;
            }
            let start = theirs.base.as_ref().and_then(|base| Oid::parse(&base.commit));
            let line = SessionLine { branch: theirs.branch.clone(), start };
            Some(((other.clone(), shown.view.title.clone()), line))
        })
        .collect()
}

fn as_base(base: &qd_core::Base) -> Option<Base> {
    let source = match base.source {
        qd_core::BaseSource::Fetched => BaseSource::Fetched,
        qd_core::BaseSource::Local => BaseSource::Local,
    };
    let commit = Oid::parse(&base.commit)?;
    Some(Base { name: base.name.clone(), commit, source, note: String::new() })
}

fn as_record(base: &Base) -> qd_core::Base {
    qd_core::Base {
        name: base.name.clone(),
        commit: base.commit.to_string(),
        source: match base.source {
            BaseSource::Fetched => qd_core::BaseSource::Fetched,
            BaseSource::Local => qd_core::BaseSource::Local,
        },
    }
}
