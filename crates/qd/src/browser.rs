use std::process::Stdio;

use crate::process::command;

/// Opens a link in the person's browser, when there is a display to show it on.
pub fn open(link: &str) {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if set("DISPLAY") || set("WAYLAND_DISPLAY") {
        "xdg-open"
    } else {
        return;
    };
    let mut opener = command(opener);
    opener.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The link is printed as well: nothing is lost when this fails.
    let _ = opener.spawn();
}
