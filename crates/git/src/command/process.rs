//! One child process and its group, from start to end.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, setpriority_process, waitid,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

/// How long output may still come after the command itself ended: something that it left behind
/// in the background can hold the pipe open for ever.
const DRAIN: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(10);
/// How far git stands back behind terminals and agents when the processor is short. More would
/// let a busy machine starve the creation of a session: ten steps are a tenth of a share, five a
/// third.
const NICENESS: i32 = 5;

/// A running command. Dropping it ends the whole process group.
#[derive(Debug)]
pub(crate) struct Running {
    child: Option<Child>,
    group: Option<Pid>,
    /// Ask first and wait for `grace`, so that git removes its lock files.
    gentle: bool,
    grace: Duration,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Talked {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) cut: bool,
}

impl Running {
    #[expect(clippy::disallowed_methods, reason = "the one home of git processes")]
    pub(crate) fn start(
        program: &Path,
        args: &[OsString],
        env: &[(OsString, OsString)],
        cwd: &Path,
        gentle: bool,
        grace: Duration,
    ) -> io::Result<Self> {
        let mut command = tokio::process::Command::new(program);
        command
            .args(args)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(!gentle);
        let child = command.spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        // Its first moments may still run at the daemon's own priority; its children and threads
        // inherit. Where the system refuses, git only runs less politely.
        if let Some(group) = group {
            let _ = setpriority_process(Some(group), NICENESS);
        }
        Ok(Self { child: Some(child), group, gentle, grace })
    }

    /// Feeds stdin, takes stdout and stderr, waits for the end.
    pub(crate) async fn talk(
        &mut self,
        input: Vec<u8>,
        sink: impl FnMut(&[u8]) -> ControlFlow<()>,
        mut tell: impl FnMut(&[u8]),
    ) -> io::Result<Talked> {
        let Some(child) = self.child.as_mut() else {
            return Err(io::Error::other("the command has ended already"));
        };
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        let mut said = Said::default();
        let mut cut = false;

        let taken = {
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // A command that does not want its input closes the pipe; its exit code tells.
                    let _ = stdin.write_all(&input).await;
                }
                Ok(())
            };
            let take_out = async {
                let Some(stdout) = stdout else { return Ok(()) };
                cut = take(stdout, sink).await?.is_break();
                if cut { Err(io::Error::other("enough")) } else { Ok(()) }
            };
            let take_err = async {
                let Some(stderr) = stderr else { return Ok(()) };
                let keep = |chunk: &[u8]| {
                    tell(chunk);
                    said.add(chunk);
                    ControlFlow::Continue(())
                };
                take(stderr, keep).await.map(|_| ())
            };
            let pipes = async { tokio::try_join!(feed, take_out, take_err).map(|_| ()) };
            tokio::pin!(pipes);
            let finished = tokio::select! {
                taken = &mut pipes => Some(taken),
                status = child.wait() => { status?; None }
            };
            match finished {
                Some(taken) => taken,
                None => tokio::time::timeout(DRAIN, &mut pipes).await.unwrap_or(Ok(())),
            }
        };
        if cut {
            return Ok(Talked { code: None, stderr: said.bytes(), cut });
        }
        taken?;
        let status = child.wait().await?;
        self.group = None;
        Ok(Talked { code: status.code(), stderr: said.bytes(), cut })
    }

    /// Ends the group and waits until the command is gone.
    pub(crate) async fn end(&mut self) {
        let (Some(child), Some(group)) = (self.child.as_mut(), self.group) else { return };
        if self.gentle {
            let _ = kill_process_group(group, Signal::TERM);
            let deadline = tokio::time::Instant::now() + self.grace;
            while !all_ended(group) && tokio::time::Instant::now() < deadline {
                tokio::time::sleep(POLL).await;
            }
        }
        // The child is not reaped yet, so its number still names this group and no other.
        let _ = kill_process_group(group, Signal::KILL);
        self.group = None;
        let _ = child.wait().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some(mut child), Some(group)) = (self.child.take(), self.group.take()) else { return };
        if !self.gentle {
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
        let _ = kill_process_group(group, Signal::TERM);
        let grace = self.grace;
        let escalate = move || {
            let mut waited = Duration::ZERO;
            while !all_ended(group) && waited < grace {
                std::thread::sleep(POLL);
                waited += POLL;
            }
            let _ = kill_process_group(group, Signal::KILL);
            while matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(POLL);
            }
        };
        if std::thread::Builder::new().name("git-end".into()).spawn(escalate).is_err() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Whether a group has ended, without reaping its leader. Git's own children count: one that is
/// killed while it ends leaves its lock files behind, and nobody can write there any more.
fn all_ended(group: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(group), options), Ok(None)) && !has_members(group)
}

/// Whether a process of the group runs still. A system without `/proc` knows of none.
fn has_members(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let group = group.as_raw_pid().to_string();
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // The name before may hold anything, a parenthesis too: state, parent, group follow it.
        let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
        let mut fields = rest.split(' ');
        let ended = matches!(fields.next(), Some("Z" | "X"));
        !ended && fields.nth(1) == Some(group.as_str())
    })
}

/// The first and the last of what a command says on stderr: git names its cause first, and a hook
/// last.
#[derive(Default)]
struct Said {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Said {
    /// The most bytes that are kept at either end.
    const EACH: usize = 8 << 10;

    fn add(&mut self, chunk: &[u8]) {
        let room = Self::EACH - self.first.len();
        let (first, last) = chunk.split_at(chunk.len().min(room));
        self.first.extend_from_slice(first);
        self.last.extend_from_slice(last);
        if self.last.len() > 2 * Self::EACH {
            self.last.drain(..self.last.len() - Self::EACH);
        }
    }

    fn bytes(mut self) -> Vec<u8> {
        let over = self.last.len().saturating_sub(Self::EACH);
        self.first.extend_from_slice(&self.last[over..]);
        self.first
    }
}

async fn take(
    mut from: impl AsyncRead + Unpin,
    mut sink: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let mut buffer = vec![0; 32 << 10];
    loop {
        let n = from.read(&mut buffer).await?;
        if n == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        if sink(&buffer[..n]).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_child_of_the_command_may_tidy_up_before_the_command_counts_as_ended() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        // The leader ends at once, its child a moment later.
        let script = "(trap 'sleep 0.3; rm lock; exit' TERM; touch lock; while :; do sleep 0.02; done) & wait";
        let args = [OsString::from("-c"), OsString::from(script)];
        let path = (OsString::from("PATH"), std::env::var_os("PATH").unwrap());
        let (env, grace) = ([path], Duration::from_secs(20));
        let sh = Path::new("/bin/sh");
        let mut running = Running::start(sh, &args, &env, folder.path(), true, grace).unwrap();
        while !lock.exists() {
            tokio::time::sleep(POLL).await;
        }
        running.end().await;
        assert!(!lock.exists());

        let running = Running::start(sh, &args, &env, folder.path(), true, grace).unwrap();
        while !lock.exists() {
            tokio::time::sleep(POLL).await;
        }
        let group = running.group.unwrap();
        drop(running);
        while !all_ended(group) {
            tokio::time::sleep(POLL).await;
        }
        assert!(!lock.exists());
    }
}
