//! People who attach with `qd attach`, that is with tmux itself, seen as viewers: their windows
//! count for the size of a terminal like those of browsers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use qd_core::{SessionId, Size};
use qd_tmux::control::Notice;
use qd_tmux::native::{NativeClient, list_clients};
use qd_tmux::server::ServerState;
use tokio::sync::broadcast::error::RecvError;

use crate::message::{SessionAddress, SessionMessage};
use crate::shared::Shared;

/// How often native clients are looked at while there are any: that one typed or changed its
/// window is told by no notice of tmux.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// One native client of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Native {
    /// tmux's name of it.
    pub(crate) name: String,
    /// Its window.
    pub(crate) size: Size,
    /// When it was last used; only ever compared.
    pub(crate) activity: u64,
    /// Whether it looks only.
    pub(crate) looks_only: bool,
}

type Seen = BTreeMap<SessionId, Vec<Native>>;

/// Watches until the daemon stops.
pub(crate) async fn watch(shared: Arc<Shared>) {
    let server = shared.panes.server().clone();
    let (mut notices, mut state) = (server.notices(), server.state());
    let mut seen = Seen::new();
    // A client may have been there before the daemon was.
    let mut look = true;
    loop {
        if look && matches!(*state.borrow(), ServerState::Connected(_)) {
            match list_clients(&server).await {
                Ok(clients) => seen = tell(&shared, seen, &clients).await,
                Err(error) => tracing::debug!(%error, "native clients could not be listed"),
            }
        }
        look = tokio::select! {
            () = shared.stop.cancelled() => return,
            changed = state.changed() => match changed {
                Ok(()) => true,
                Err(_) => return,
            },
            notice = notices.recv() => match notice {
                Ok(Notice::ClientSessionChanged { .. } | Notice::ClientDetached { .. })
                | Err(RecvError::Lagged(_)) => true,
                Ok(_) => false,
                Err(RecvError::Closed) => return,
            },
            () = tokio::time::sleep(LOOK_EVERY), if !seen.is_empty() => true,
        };
    }
}

/// Tells each session whose clients changed; gives what is known now.
async fn tell(shared: &Shared, before: Seen, clients: &[NativeClient]) -> Seen {
    let mut now = Seen::new();
    let mut addresses: BTreeMap<SessionId, SessionAddress> = BTreeMap::new();
    for (id, entry) in shared.registry.borrow().iter() {
        let Some(target) = entry.view.borrow().target else { continue };
        let mine: Vec<_> =
            clients.iter().filter(|c| c.session == target.session).map(native).collect();
        if !mine.is_empty() || before.contains_key(id) {
            addresses.insert(id.clone(), entry.address.clone());
        }
        if !mine.is_empty() {
            now.insert(id.clone(), mine);
        }
    }
    for (id, address) in addresses {
        let natives = now.get(&id).cloned().unwrap_or_default();
        if before.get(&id) != Some(&natives) {
            // The session may be gone in this very moment.
            let _ = address.send(SessionMessage::Natives(natives)).await;
        }
    }
    now
}

fn native(client: &NativeClient) -> Native {
    Native {
        name: client.name.clone(),
        size: Size::clamped(u32::from(client.size.0), u32::from(client.size.1)),
        activity: client.activity,
        looks_only: client.read_only,
    }
}
