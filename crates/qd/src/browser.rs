//! Opens the page in the person's browser.
//!
//! The login link must be in no argument vector: every user of the machine can read those. So the
//! browser is given a file of the home that leads there, which its owner alone can read.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use qd_daemon::Home;

use crate::process::command;

/// How long the file may stay. A browser that has to start first reads it within seconds.
const STAYS: Duration = Duration::from_secs(60);
/// How often it is looked for meanwhile: the daemon takes it away once its code is used.
const LOOK: Duration = Duration::from_secs(1);

/// Opens a link in the person's browser, when there is a display to show it on.
pub fn open(home: &Path, link: &str) {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if set("DISPLAY") || set("WAYLAND_DISPLAY") {
        "xdg-open"
    } else {
        return;
    };
    // The link is printed as well: nothing is lost when this fails.
    let _ = lead(opener, home, link);
}

fn lead(opener: &str, home: &Path, link: &str) -> std::io::Result<()> {
    let file = home.join(format!("login-{}.html", std::process::id()));
    let _ = fs::remove_file(&file);
    let mut page = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    page.write_all(redirect(link).as_bytes())?;
    // Who takes it away has to be there before anybody is sent to it.
    let mut forget = command(std::env::current_exe()?);
    forget.args(["internal", "forget"]).arg(&file).process_group(0);
    forget.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = forget.spawn() {
        fs::remove_file(&file)?;
        return Err(error);
    }
    let mut opener = command(opener);
    // In a group of its own: neither Ctrl-C nor the end of the terminal ends a browser with it.
    opener.arg(url(&file)).process_group(0);
    opener.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    opener.spawn().map(drop)
}

/// `qd internal forget FILE`: takes such a file away after a minute, or ends when it is gone.
pub fn forget(file: &Path) {
    if !Home::is_login_page(file.file_name().unwrap_or_default()) {
        return;
    }
    let end = Instant::now() + STAYS;
    while file.exists() && Instant::now() < end {
        std::thread::sleep(LOOK);
    }
    let _ = fs::remove_file(file);
}

/// A page that leads on by itself.
fn redirect(link: &str) -> String {
    let link = link
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Quarterdeck</title>\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={link}\">\n\
         <p><a href=\"{link}\">Go on to Quarterdeck</a></p>\n"
    )
}

/// The `file:` address of a path (RFC 8089).
fn url(path: &Path) -> String {
    let mut url = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                url.push(char::from(*byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// The files of links that were not taken away, as after a reboot.
pub fn forget_old(home: &Path) {
    let Ok(entries) = fs::read_dir(home) else { return };
    for entry in entries.flatten() {
        let ours = Home::is_login_page(&entry.file_name());
        let age = entry.metadata().and_then(|about| about.modified()).map(|at| at.elapsed());
        if ours && matches!(age, Ok(Ok(age)) if age > STAYS) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_leads_to_the_link_and_to_nothing_else() {
        let page = redirect("http://h/login#a\"><script>");
        assert!(page.contains("url=http://h/login#a&quot;&gt;&lt;script&gt;\""), "{page}");
        assert_eq!(url(Path::new("/a b/%#\u{e9}.html")), "file:///a%20b/%25%23%C3%A9.html");
    }

    #[test]
    fn what_is_no_page_of_ours_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let token = home.path().join("token");
        fs::write(&token, "x").unwrap();
        forget(&token);
        forget(&home.path().join("login-1.html"));
        forget_old(home.path());
        assert!(token.exists());
    }
}
