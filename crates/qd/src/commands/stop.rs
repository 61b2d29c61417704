use std::time::Duration;

use clap::Args;
use qd_client::Client;
use qd_core::Code;
use serde_json::json;
use tokio::io::unix::AsyncFd;
use tokio::time::Instant;

use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// How long a daemon may take to end.
const LIMIT: Duration = Duration::from_secs(60);

/// End the daemon; sessions go on without it
#[derive(Debug, Args)]
#[command(after_help = "Example: qd stop")]
pub struct Arguments {
    /// End the sessions, too
    #[arg(long)]
    sessions: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let process = Process::of(&client).await?;
    match client.stop(arguments.sessions).await {
        Ok(()) => {}
        // It may end before its answer is out.
        Err(problem) if matches!(problem.code, Code::NoDaemon | Code::DaemonStopping) => {}
        Err(problem) => return Err(problem.into()),
    }
    tokio::time::timeout(LIMIT, gone(&client, process)).await.map_err(|_| {
        Failure::new(
            Code::Timeout,
            format!("The daemon did not end within {} seconds.", LIMIT.as_secs()),
            "`daemon.log` in its home says what it does. Sessions are not touched.",
        )
    })?;
    if context.json {
        return output::json(&json!({"stopped": true, "sessions": arguments.sessions}));
    }
    output::note(if arguments.sessions {
        "Stopped, and the sessions with it."
    } else {
        "Stopped. Sessions go on; `qd` starts it again."
    });
    Ok(())
}

/// The daemon's process, held so that its end is heard, whoever its parent is.
struct Process(Option<AsyncFd<std::os::fd::OwnedFd>>);

impl Process {
    async fn of(client: &Client) -> Result<Self, Failure> {
        let pid = client.daemon_pid().await?;
        Ok(Self(pid.and_then(open)))
    }
}

#[cfg(target_os = "linux")]
fn open(pid: i32) -> Option<AsyncFd<std::os::fd::OwnedFd>> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let held = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    AsyncFd::register_with_interest(held, tokio::io::Interest::READABLE).ok()
}

#[cfg(not(target_os = "linux"))]
fn open(_pid: i32) -> Option<AsyncFd<std::os::fd::OwnedFd>> {
    None
}

/// Waits until nothing listens any more and the process has ended, so that a new daemon finds
/// the home and the port free.
async fn gone(client: &Client, process: Process) {
    let mut pause = Duration::from_millis(5);
    let ask_until = Instant::now() + LIMIT;
    while Instant::now() < ask_until && client.daemon_pid().await.is_ok() {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
    }
    if let Process(Some(held)) = process {
        // Readable when the process has ended.
        let _ = held.readable().await;
    }
}
