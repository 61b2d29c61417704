use std::os::fd::OwnedFd;
use std::time::Duration;

use clap::Args;
use qd_client::Client;
use qd_core::Code;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;
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
    end(&context.client(), arguments.sessions).await?;
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

/// Ends a daemon, with its sessions or without, and waits until its process has ended.
pub async fn end(client: &Client, sessions: bool) -> Result<(), Failure> {
    let process = Process::of(client).await?;
    match client.stop(sessions).await {
        Ok(()) => {}
        // It may end before its answer is out.
        Err(problem) if matches!(problem.code, Code::NoDaemon | Code::DaemonStopping) => {}
        Err(problem) => return Err(problem.into()),
    }
    // Both, so that a new daemon finds the socket, the port and the home free.
    if silent(client).await && process.ended() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Timeout,
        format!("The daemon did not end within {} seconds.", LIMIT.as_secs()),
        "`daemon.log` in its home says what it does. Sessions are not touched.",
    ))
}

/// The daemon's process, held so that its end is heard, whoever its parent is.
struct Process(Option<OwnedFd>);

impl Process {
    async fn of(client: &Client) -> Result<Self, Failure> {
        let pid = client.daemon_pid().await?;
        Ok(Self(pid.and_then(open)))
    }

    /// Waits for its end; false when it has not come in time.
    fn ended(&self) -> bool {
        let Some(held) = &self.0 else { return true };
        let limit = Timespec { tv_sec: LIMIT.as_secs().try_into().unwrap_or(60), tv_nsec: 0 };
        // Readable when the process has ended. Nothing else is to be done meanwhile.
        poll(&mut [PollFd::new(held, PollFlags::IN)], Some(&limit)).is_ok_and(|ready| ready > 0)
    }
}

#[cfg(target_os = "linux")]
fn open(pid: i32) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open(_pid: i32) -> Option<OwnedFd> {
    None
}

/// Waits until nothing listens any more; false when that has not come in time.
async fn silent(client: &Client) -> bool {
    let mut pause = Duration::from_millis(5);
    let deadline = Instant::now() + LIMIT;
    while client.daemon_pid().await.is_ok() {
        if Instant::now() > deadline {
            return false;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
    }
    true
}
