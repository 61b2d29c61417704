//! The one home of git processes: hardened, bounded, ended as a group.

mod process;
mod said;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::error::{GitError, Result};
use crate::repo::Git;

/// A line of somebody else, fit to be shown.
pub(crate) fn shown(bytes: &[u8]) -> String {
    said::clean(bytes, 600)
}

/// What a command does to the world, which decides how it is hardened and how it is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Takes no lock; can be killed at any moment.
    Read,
    /// Takes locks, which git removes itself when it is asked to end.
    Write,
    /// A write that also talks to a remote, without asking the person anything.
    Network,
    /// Runs a hook of the person, in the person's own language and configuration.
    Hook,
    /// A commit or a push of the person: with their hooks, which may take long, and git's own
    /// words in English.
    Ship,
}

/// One git command, to be run.
#[derive(Debug)]
pub(crate) struct Call {
    what: &'static str,
    kind: Kind,
    args: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(&'static str, OsString)>,
    stdin: Vec<u8>,
    limit: usize,
    literal: bool,
}

/// The most that a call takes from git unless it says otherwise.
const DEFAULT_LIMIT: usize = 4 << 20;

impl Call {
    pub(crate) fn new(kind: Kind, what: &'static str, cwd: &Path) -> Self {
        Self {
            what,
            kind,
            args: Vec::new(),
            cwd: cwd.to_path_buf(),
            env: Vec::new(),
            stdin: Vec::new(),
            limit: DEFAULT_LIMIT,
            literal: false,
        }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    pub(crate) fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_os_string()));
        self
    }

    /// Tells git where everything is, so that it believes no `.git` file.
    pub(crate) fn in_dirs(mut self, git_dir: &Path, work_tree: Option<&Path>) -> Self {
        self.env.push(("GIT_DIR", git_dir.into()));
        if let Some(work_tree) = work_tree {
            self.env.push(("GIT_WORK_TREE", work_tree.into()));
        }
        self
    }

    pub(crate) fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    pub(crate) fn index(mut self, index: &Path) -> Self {
        self.env.push(("GIT_INDEX_FILE", index.into()));
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = bytes;
        self
    }

    /// The most bytes of stdout that are taken.
    pub(crate) fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Paths among the arguments are names, not patterns.
    pub(crate) fn literal_paths(mut self) -> Self {
        self.literal = true;
        self
    }
}

/// What a finished command left.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) what: &'static str,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// The output was larger than its limit, and the command was ended early.
    pub(crate) cut: bool,
}

impl Output {
    pub(crate) fn ok(&self) -> bool {
        self.code == Some(0) || self.cut
    }

    /// What git said, fit to be shown: one line or a few, without control characters.
    pub(crate) fn said(&self) -> String {
        said::shorten(&self.stderr)
    }

    /// The end of what was said, fit to be shown: where a hook says what is wrong.
    pub(crate) fn tail(&self) -> String {
        const SHOWN: usize = 1500;
        let from = self.stderr.trim_ascii_end().len().saturating_sub(SHOWN);
        let end = &self.stderr[from..];
        // From the beginning of a line, where there is one.
        let line =
            if from == 0 { 0 } else { end.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1) };
        said::clean(&end[line..], 2 * SHOWN)
    }

    /// The answer, if the command succeeded; else the error that fits what git said at `path`.
    pub(crate) fn success(self, path: &Path) -> Result<Self> {
        if self.ok() { Ok(self) } else { Err(self.into_error(path)) }
    }

    pub(crate) fn into_error(self, path: &Path) -> GitError {
        said::classify(self.what, self.code, self.said(), path)
    }

    /// The answer as one line of text, without its end.
    pub(crate) fn line(&self) -> Result<String> {
        let text = std::str::from_utf8(&self.stdout)
            .map_err(|_| GitError::unexpected(self.what, "not UTF-8"))?;
        Ok(text.strip_suffix('\n').unwrap_or(text).to_owned())
    }

    /// The answer as a path: bytes, without the line's end.
    pub(crate) fn path(&self) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        let bytes = self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout);
        PathBuf::from(OsStr::from_bytes(bytes))
    }

    /// The answer must be whole.
    pub(crate) fn whole(self, limit: usize) -> Result<Self> {
        if self.cut { Err(GitError::TooLarge { what: self.what, limit }) } else { Ok(self) }
    }
}

impl Git {
    /// Runs `call` to its end. A non-zero exit is not an error here.
    pub(crate) async fn run(&self, call: Call) -> Result<Output> {
        self.run_unless(call, std::future::pending()).await
    }

    /// Runs `call` to its end, or ends it when `cancel` completes, and returns when it is gone.
    pub(crate) async fn run_unless(
        &self,
        call: Call,
        cancel: impl Future<Output = ()>,
    ) -> Result<Output> {
        let limit = call.limit;
        let mut stdout = Vec::new();
        let keep = |chunk: &[u8]| {
            let room = limit - stdout.len();
            stdout.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut output = self.run_into(call, keep, cancel).await?;
        output.stdout = stdout;
        Ok(output)
    }

    /// Runs `call`, handing its output to `sink` as it comes; the command is ended when the sink
    /// has enough.
    pub(crate) async fn run_into(
        &self,
        call: Call,
        sink: impl FnMut(&[u8]) -> ControlFlow<()>,
        cancel: impl Future<Output = ()>,
    ) -> Result<Output> {
        self.run_telling(call, sink, |_| {}, cancel).await
    }

    /// As [`Git::run_into`]; `tell` gets what is said on stderr as it comes.
    pub(crate) async fn run_telling(
        &self,
        call: Call,
        sink: impl FnMut(&[u8]) -> ControlFlow<()>,
        tell: impl FnMut(&[u8]),
        cancel: impl Future<Output = ()>,
    ) -> Result<Output> {
        let what = call.what;
        let after = match call.kind {
            Kind::Read => self.config().timeouts.read,
            Kind::Write => self.config().timeouts.write,
            Kind::Network => self.config().timeouts.fetch,
            Kind::Hook => self.config().timeouts.hook,
            Kind::Ship => self.config().timeouts.ship,
        };
        let gentle = call.kind != Kind::Read;
        let mut running = self.start(&call, gentle)?;
        let talked = tokio::select! {
            talked = running.talk(call.stdin, sink, tell) => Ok(talked),
            () = tokio::time::sleep(after) => Err(GitError::TimedOut { what, after }),
            () = cancel => Err(GitError::Cancelled { what }),
        };
        let talked = match talked {
            Ok(Ok(talked)) if !talked.cut => talked,
            other => {
                running.end().await;
                other?.map_err(|e| GitError::io("Reading from git in", &call.cwd, e))?
            }
        };
        Ok(Output {
            what,
            code: talked.code,
            stdout: Vec::new(),
            stderr: talked.stderr,
            cut: talked.cut,
        })
    }

    fn start(&self, call: &Call, gentle: bool) -> Result<process::Running> {
        let config = self.config();
        let mut args: Vec<OsString> = vec!["--no-pager".into()];
        if call.literal {
            args.push("--literal-pathspecs".into());
        }
        for setting in settings(call.kind) {
            args.push("-c".into());
            args.push(setting.into());
        }
        args.extend(call.args.iter().cloned());

        let mut env: Vec<(OsString, OsString)> =
            config.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let fixed = [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", ""),
            ("SSH_ASKPASS_REQUIRE", "never"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_EDITOR", ":"),
            ("GIT_PAGER", "cat"),
        ];
        env.extend(fixed.map(|(name, value)| (name.into(), value.into())));
        match call.kind {
            Kind::Hook => {}
            Kind::Ship => env.extend(english(&config.env)),
            _ => env.push(("LC_ALL".into(), "C".into())),
        }
        env.extend(call.env.iter().map(|(name, value)| ((*name).into(), value.clone())));

        if !call.cwd.is_dir() {
            return Err(GitError::PathMissing { path: call.cwd.clone() });
        }
        process::Running::start(
            &config.program,
            &args,
            &env,
            &call.cwd,
            gentle,
            config.timeouts.grace,
        )
        .map_err(|source| match source.kind() {
            // An argument with a NUL. What can have one is looked at before; git is there.
            std::io::ErrorKind::InvalidInput => GitError::io("run git in", &call.cwd, source),
            _ => GitError::GitMissing { program: config.program.clone(), source },
        })
    }
}

/// Settings that win over the person's, for this one command.
fn settings(kind: Kind) -> &'static [&'static str] {
    const HOOK: &[&str] = &["core.fsmonitor=false"];
    const ALL: &[&str] = &[
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.quotePath=false",
        "core.splitIndex=false",
        "color.ui=false",
        "log.showSignature=false",
        // Otherwise git compares whole files of equal size, whatever their size.
        "diff.autoRefreshIndex=false",
        "diff.suppressBlankEmpty=false",
        // Otherwise a status fails where the file that is named is not there.
        "diff.orderFile=/dev/null",
        "submodule.recurse=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "advice.detachedHead=false",
        "credential.interactive=false",
    ];
    const SHIP: &[&str] = &[
        "core.fsmonitor=false",
        "core.quotePath=false",
        "color.ui=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "credential.interactive=false",
        "commit.status=false",
        "diff.orderFile=/dev/null",
        "push.followTags=false",
    ];
    match kind {
        Kind::Hook => HOOK,
        Kind::Ship => SHIP,
        _ => ALL,
    }
}

/// What makes git speak English and leaves hooks the characters of the person's language.
fn english(env: &BTreeMap<OsString, OsString>) -> Vec<(OsString, OsString)> {
    let mut set = vec![("LC_MESSAGES".into(), "C".into())];
    if let Some(all) = env.get(OsStr::new("LC_ALL")).filter(|all| !all.is_empty()) {
        set.push(("LC_ALL".into(), OsString::new()));
        set.push(("LC_CTYPE".into(), all.clone()));
    }
    set
}
