//! Committing and pushing a session's work as the person would do it: with their hooks, their
//! signature and their login.
//!
//! Neither takes a [`crate::RepoWriter`]: a hook may run for minutes, and what is done here is what
//! the agent in the worktree may do at any moment by itself. Git's own locks arbitrate.

mod commit;
mod push;
mod refusal;
mod trace;

use crate::command::{Call, Kind, Output};
use crate::error::{GitError, Result};
use crate::{Checkout, Oid, RepoPath};

pub use commit::{CommitReport, What};
pub use push::{PushReport, Pushing, RemoteBranch};

/// The most bytes of a line of progress.
const MAX_LINE: usize = 300;

impl Checkout {
    /// Runs a command of the person with their hooks. Returns how it ended, and the hook that
    /// refused, if one did. `tell` gets each line that is said on the way.
    async fn run_with_hooks(
        &self,
        call: Call,
        tell: impl FnMut(&str),
        cancel: impl Future<Output = ()>,
    ) -> Result<(Output, Option<String>)> {
        let trace = trace::Trace::new(&self.git.config().scratch)?;
        let call = call.env("GIT_TRACE2_EVENT", trace.path());
        let mut lines = Lines { tell, line: Vec::new() };
        let mut stdout = Vec::new();
        let sink = |chunk: &[u8]| {
            let room = MAX_STDOUT - stdout.len();
            stdout.extend_from_slice(&chunk[..chunk.len().min(room)]);
            std::ops::ControlFlow::Continue(())
        };
        let ran = self.git.run_telling(call, sink, |chunk| lines.add(chunk), cancel).await;
        let mut output = match ran {
            Ok(output) => output,
            // Which hook it was that took so long.
            Err(GitError::TimedOut { what, after }) => {
                return Err(match trace.running_hook() {
                    Some(hook) => GitError::HookTimedOut { hook, after },
                    None => GitError::TimedOut { what, after },
                });
            }
            Err(error) => return Err(error),
        };
        output.stdout = stdout;
        let refused = if output.ok() { None } else { trace.refusing_hook() };
        Ok((output, refused))
    }

    fn ship_call(&self, what: &'static str) -> Call {
        Call::new(Kind::Ship, what, self.top()).in_dirs(self.git_dir(), Some(self.top()))
    }
}

/// The most bytes that are kept of what a command prints.
const MAX_STDOUT: usize = 256 << 10;

/// Cuts what is said into lines; progress that is drawn over itself is lines, too.
struct Lines<F> {
    tell: F,
    line: Vec<u8>,
}

impl<F: FnMut(&str)> Lines<F> {
    fn add(&mut self, chunk: &[u8]) {
        for &byte in chunk {
            match byte {
                b'\n' | b'\r' => {
                    let text = String::from_utf8_lossy(&self.line);
                    let text = text.trim();
                    if !text.is_empty() {
                        (self.tell)(&crate::command::shown(text.as_bytes()));
                    }
                    self.line.clear();
                }
                _ if self.line.len() < MAX_LINE => self.line.push(byte),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_comes_line_by_line_without_anything_hidden() {
        let mut told = Vec::new();
        let mut lines = Lines { tell: |line: &str| told.push(line.to_owned()), line: Vec::new() };
        for chunk in ["Writing: 1", "0%\rWriting: 20%\r\n\n", "\x1b[31mno\u{202e}\n", "rest"] {
            lines.add(chunk.as_bytes());
        }
        assert_eq!(told, ["Writing: 10%", "Writing: 20%", "\u{fffd}[31mno\u{fffd}"]);
    }
}
