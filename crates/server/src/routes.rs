//! The handlers, and the table of who may use them.

mod access;
mod export;
mod lifecycle;
mod meta;
mod reads;
mod sessions;
mod ship;
mod writes;

use utoipa_axum::routes;

use crate::policy::Policy::{Caller, OwnSession, Owner, OwnerSocket, Public};
use crate::table::Route;
use crate::{events, terminal};

/// Every route, with its policy.
pub(crate) fn all() -> Vec<Route> {
    vec![
        Route::new(Public, routes!(meta::get_health)),
        Route::new(Caller, routes!(meta::get_openapi)),
        Route::new(Public, routes!(access::login)).secret(),
        Route::new(Owner, routes!(access::create_login_code)).secret(),
        Route::new(Owner, routes!(access::create_pairing)).secret(),
        Route::new(Public, routes!(access::get_authority)),
        Route::new(Owner, routes!(access::list_devices)),
        Route::new(Owner, routes!(access::revoke_device)),
        Route::new(Owner, routes!(sessions::list_sessions)),
        Route::new(Owner, routes!(sessions::create_session)),
        Route::new(Owner, routes!(lifecycle::adopt_pane)),
        Route::new(OwnSession, routes!(sessions::get_session)),
        Route::new(Owner, routes!(sessions::change_session)),
        Route::new(Owner, routes!(sessions::trash_session)),
        Route::new(Owner, routes!(sessions::act_on_session)),
        Route::new(Owner, routes!(lifecycle::get_loss)),
        Route::new(Owner, routes!(lifecycle::open_shell)),
        Route::new(Owner, routes!(lifecycle::fork_session)),
        Route::new(Owner, routes!(ship::get_ship)),
        Route::new(Owner, routes!(ship::preview_rebuild, ship::ship_rebuild)),
        Route::new(Owner, routes!(ship::preview_merge, ship::ship_merge)),
        Route::new(Owner, routes!(ship::ship_commit)),
        Route::new(Owner, routes!(ship::ship_push)),
        Route::new(Owner, routes!(ship::ship_undo)),
        Route::new(Owner, routes!(ship::ship_stop)),
        Route::new(Owner, routes!(sessions::list_trash)),
        Route::new(Owner, routes!(sessions::get_operation)),
        Route::new(Owner, routes!(writes::send_input)),
        Route::new(Owner, routes!(writes::press_keys)),
        Route::new(Owner, routes!(writes::resize_session)),
        Route::new(OwnSession, routes!(reads::get_screen)),
        Route::new(OwnSession, routes!(reads::get_scrollback)),
        Route::new(OwnSession, routes!(reads::get_logs)),
        Route::new(OwnSession, routes!(reads::get_diff)),
        Route::new(OwnSession, routes!(reads::get_file_patch)),
        Route::new(OwnSession, routes!(export::get_patch)),
        Route::new(OwnerSocket, routes!(terminal::open_terminal)),
        Route::new(Owner, routes!(events::follow_events)),
        Route::new(Owner, routes!(meta::list_agents)),
        Route::new(Owner, routes!(meta::list_repos)),
        Route::new(Owner, routes!(meta::list_branches)),
        Route::new(Owner, routes!(meta::list_paths)),
        Route::new(Owner, routes!(meta::run_doctor)),
        Route::new(Owner, routes!(meta::get_config)),
        Route::new(Owner, routes!(meta::stop_daemon)),
    ]
}
