use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use qd_api::NewAdoption;

use super::new::{self, whole};
use crate::context::Context;
use crate::failure::Failure;
use crate::output;
use crate::waiting::Waiter;

/// Make a session of a tmux pane of your own, where it is
#[derive(Debug, Args)]
#[command(
    after_help = "Nothing in your tmux is changed: the pane is watched and typed into. `qd rm` \
    lets go of it,\nand what runs in it goes on.\n\n\
    Example: qd adopt work:1.0\n\
    Example: qd adopt \"$TMUX_PANE\""
)]
pub struct Arguments {
    /// The pane, as tmux takes a target: %3, work, work:1, work:1.0
    #[arg(value_name = "TMUX_TARGET")]
    target: String,
    /// The socket of its tmux server [default: the server around this command, else your usual
    /// one]
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::FilePath)]
    socket: Option<PathBuf>,
    /// What to call it, 1 to 200 characters [default: made from the names of window and pane]
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// A label; may be given several times
    #[arg(long = "tag", value_name = "T")]
    tags: Vec<String>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let Arguments { target, socket, title, tags } = arguments;
    let socket = socket.or_else(|| {
        let var = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        around(var("TMUX"), var("TMUX_TMPDIR"))
    });
    let socket = socket.map(|path| whole(&path, "The socket")).transpose()?;
    let client = context.client();
    // Opened first: what becomes of it in between is in the stream.
    let waiter = Waiter::open(client.clone()).await?;
    let session = client.adopt(&NewAdoption { target, socket, title, tags }).await?;
    let session = waiter.until(session, &["running".to_owned()], None).await?;
    if context.json { output::json(&session) } else { new::tell(&session) }
}

/// The socket of the tmux that this runs in, else of the one in a folder that the person chose.
fn around(tmux: Option<OsString>, folder: Option<OsString>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    if let Some(tmux) = tmux {
        // SOCKET,PID,SESSION: the path itself may hold a comma.
        let mut parts = tmux.as_bytes().rsplitn(3, |byte| *byte == b',');
        return parts.nth(2).map(|path| Path::new(OsStr::from_bytes(path)).to_path_buf());
    }
    let user = rustix::process::geteuid().as_raw();
    folder.map(|folder| Path::new(&folder).join(format!("tmux-{user}")).join("default"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_around_comes_before_the_usual_one() {
        let path = around(Some("/tmp/a,b/default,123,0".into()), Some("/x".into()));
        assert_eq!(path, Some("/tmp/a,b/default".into()));
        assert_eq!(around(None, None), None);
        let path = around(None, Some("/x".into())).unwrap();
        assert!(path.starts_with("/x") && path.ends_with("default"), "{path:?}");
    }
}
