//! The control client: one child process, its pipes, and who waits for what.

use std::collections::VecDeque;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::config::{HOLD_SESSION, ServerConfig};
use crate::control::{Block, CommandList, Event, Notice, Parser};
use crate::{Error, Result, process};

/// How long to wait for a reason after the end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Where an answer goes.
pub(crate) type Reply = oneshot::Sender<Result<Vec<Vec<u8>>>>;

/// An open control connection. Dropping it closes the pipes, on which the client
/// leaves; the server stays.
#[derive(Debug)]
pub(crate) struct Link {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    parser: Parser,
    buffer: Vec<u8>,
    unsent: VecDeque<u8>,
    pending: VecDeque<Pending>,
    /// Since when tmux owes a word: when it was first asked, or last heard.
    silent_since: Instant,
}

#[derive(Debug)]
struct Pending {
    list: CommandList,
    outputs: Vec<Vec<u8>>,
    reply: Reply,
}

impl Link {
    /// Starts the control client. With `-N`, so that a server that went away in
    /// the meantime is not started by this way round.
    pub(crate) fn open(config: &ServerConfig) -> Result<Self> {
        let mut command = process::clean(&config.tmux, &config.env);
        command
            .args(config.base_args())
            .args(["-N", "-C", "new-session", "-A", "-s", HOLD_SESSION])
            .args(["-f", "no-output,ignore-size", "-x", "120", "-y", "40", "--"])
            .arg(&config.qd)
            .args(["internal", "hold"])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let missing = |source| Error::TmuxMissing { program: config.tmux.clone(), source };
        let mut child = command.spawn().map_err(missing)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Error::ConnectionLost);
        };
        Ok(Self {
            child,
            stdin,
            stdout,
            stderr,
            parser: Parser::default(),
            buffer: vec![0; 64 << 10],
            unsent: VecDeque::new(),
            pending: VecDeque::new(),
            silent_since: Instant::now(),
        })
    }

    /// Queues a list; [`Link::turn`] sends it.
    pub(crate) fn send(&mut self, list: CommandList, reply: Reply) {
        match list.encode() {
            Ok(line) => {
                if self.pending.is_empty() {
                    self.silent_since = Instant::now();
                }
                self.unsent.extend(line);
                self.pending.push_back(Pending { list, outputs: Vec::new(), reply });
            }
            Err(e) => drop(reply.send(Err(e))),
        }
    }

    /// How many lists wait for their answer.
    pub(crate) fn waiting(&self) -> usize {
        self.pending.len()
    }

    /// Since when tmux has said nothing while somebody waits for it.
    pub(crate) fn silent_since(&self) -> Option<Instant> {
        (!self.pending.is_empty()).then_some(self.silent_since)
    }

    /// Sends and receives until something has come. Cancel-safe: a send that is
    /// cut short goes on where it stopped.
    ///
    /// # Errors
    /// A sentence on why the connection is over.
    pub(crate) async fn turn(&mut self) -> std::result::Result<Vec<Notice>, String> {
        let mut events = Vec::new();
        loop {
            let (unsent, _) = self.unsent.as_slices();
            tokio::select! {
                read = self.stdout.read(&mut self.buffer) => {
                    let n = read.map_err(|e| e.to_string())?;
                    if n == 0 {
                        return Err(self.last_words().await);
                    }
                    self.silent_since = Instant::now();
                    self.parser.feed(&self.buffer[..n], &mut events).map_err(|e| e.to_string())?;
                    break;
                }
                written = self.stdin.write(unsent), if !unsent.is_empty() => {
                    let n = written.map_err(|e| e.to_string())?;
                    self.unsent.drain(..n);
                }
            }
        }
        let mut notices = Vec::new();
        for event in events {
            match event {
                Event::Notice(Notice::Exit { reason }) => {
                    return Err(reason.unwrap_or_else(|| "the server ended".into()));
                }
                Event::Notice(notice) => notices.push(notice),
                Event::Block(block) if block.ours => self.answer(block)?,
                Event::Block(_) => {}
            }
        }
        Ok(notices)
    }

    /// What the client complained of, such as a server of another version.
    async fn last_words(&mut self) -> String {
        let mut said = [0; 1000];
        let read = self.stderr.read(&mut said);
        let n = match tokio::time::timeout(LAST_WORDS, read).await {
            Ok(Ok(n)) => n,
            _ => 0,
        };
        match String::from_utf8_lossy(&said[..n]).trim() {
            "" => "the control client ended".into(),
            words => format!("the control client ended: {words}"),
        }
    }

    fn answer(&mut self, block: Block) -> std::result::Result<(), String> {
        let Some(pending) = self.pending.front_mut() else {
            return Err("an answer to nothing: the order is lost".into());
        };
        if block.error {
            // tmux drops the rest of the list, with no block for it.
            let command = pending.list.name(pending.outputs.len()).to_owned();
            let message = String::from_utf8_lossy(&block.output).trim_end().to_owned();
            self.done(Err(Error::Refused { command, message }));
            return Ok(());
        }
        pending.outputs.push(block.output);
        if pending.outputs.len() == pending.list.count() {
            let outputs = std::mem::take(&mut pending.outputs);
            self.done(Ok(outputs));
        }
        Ok(())
    }

    fn done(&mut self, result: Result<Vec<Vec<u8>>>) {
        if let Some(pending) = self.pending.pop_front() {
            // Who asked may have gone; the order is kept all the same.
            drop(pending.reply.send(result));
        }
    }

    /// Tells all who wait that no answer comes, and lets the client go.
    pub(crate) async fn close(mut self) {
        for pending in self.pending.drain(..) {
            drop(pending.reply.send(Err(Error::ConnectionLost)));
        }
        drop(self.stdin);
        drop(self.stdout);
        // It leaves on the end of its input; a stuck one is ended.
        if tokio::time::timeout(Duration::from_secs(1), self.child.wait()).await.is_err() {
            drop(self.child.start_kill());
            drop(self.child.wait().await);
        }
    }
}
