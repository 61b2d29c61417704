//! What the others see of a session.

use std::sync::Arc;

use qd_api::{DiffStat, PaneView, SessionView, ShippingView};
use qd_core::Session;

use super::terminal::Terminal;
use crate::panes::Pane;
use crate::shared::Shown;

/// What a session shows.
pub(super) fn show(
    state: &Session,
    terminal: &Terminal,
    pane: Option<&Pane>,
    stat: Option<DiffStat>,
    shipping: Option<ShippingView>,
) -> Shown {
    let mut view = SessionView::new(state, &state.attention());
    let size = terminal.size();
    view.pane = pane.map(|pane| PaneView { id: pane.name(), cols: size.cols, rows: size.rows });
    view.diff_stat = stat;
    view.shipping = shipping;
    let title = terminal.screen().title();
    view.terminal_title = (!title.is_empty()).then(|| title.to_owned());
    Shown {
        view: Arc::new(view),
        target: pane.and_then(Pane::target),
        place: state.place.clone(),
        launch: state.launch.clone(),
        parked_at: state.parked.as_ref().and_then(|parked| parked.path.clone()),
        created_at: state.created_at,
        changed_at: state.changed_at,
    }
}
