//! Finding a repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command::{Call, Kind, Output};
use crate::config::GitConfig;
use crate::error::{GitError, Result};
use crate::settings::Settings;
use crate::{Checkout, Oid};

/// Makes git give the paths that follow from the root.
const ABSOLUTE: &str = "--path-format=absolute";

/// Where a folder belongs, without symbolic links.
struct Found {
    common_dir: PathBuf,
    git_dir: PathBuf,
    top: PathBuf,
    /// Whether a commit is checked out there.
    has_commit: bool,
}

/// The git program with its environment and bounds. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Git {
    config: Arc<GitConfig>,
}

impl Git {
    /// Takes the configuration; nothing is run yet.
    pub fn new(config: GitConfig) -> Self {
        Self { config: Arc::new(config) }
    }

    pub(crate) fn config(&self) -> &GitConfig {
        &self.config
    }

    /// The version of the program, such as `2.39.5`.
    ///
    /// # Errors
    /// [`GitError::GitMissing`], or [`GitError::GitTooOld`] below 2.39.
    pub async fn version(&self) -> Result<String> {
        let cwd = Path::new("/");
        let output =
            self.run(Call::new(Kind::Read, "version", cwd).arg("version")).await?.success(cwd)?;
        let line = output.line()?;
        let found = line.split_whitespace().nth(2).unwrap_or_default().to_owned();
        let mut numbers = found.split('.').map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if version < (2, 39) { Err(GitError::GitTooOld { found }) } else { Ok(found) }
    }

    /// Finds the repository that the folder `path` is in, from any of its worktrees.
    ///
    /// # Errors
    /// [`GitError::PathMissing`], [`GitError::NotARepository`], [`GitError::NotTrusted`],
    /// [`GitError::Bare`], [`GitError::NoCommits`].
    pub async fn discover(&self, path: &Path) -> Result<Repo> {
        let (found, settings) = tokio::join!(self.find(path), self.settings(path));
        let Found { common_dir, git_dir, top: here, has_commit } = found?;
        let settings = settings?;
        let top =
            if git_dir == common_dir { here } else { self.main_top(&common_dir, path).await? };

        let mut repo = Repo {
            git: self.clone(),
            top,
            common_dir,
            remotes: settings.remotes(),
            default_remote: None,
            default_branch: String::new(),
        };
        if !has_commit && !repo.has_any_commit().await? {
            return Err(GitError::NoCommits { path: repo.top });
        }
        repo.default_remote = repo.find_default_remote(&settings).await?;
        repo.default_branch = repo.find_default_branch(&settings).await?;
        Ok(repo)
    }

    /// Asks git once for all that it can say of a folder at once.
    async fn find(&self, path: &Path) -> Result<Found> {
        let asked = ["--is-bare-repository", "--is-inside-work-tree", ABSOLUTE]
            .into_iter()
            .chain(["--git-common-dir", "--git-dir", "--show-toplevel"])
            // Printed if it names something.
            .chain(["--revs-only", "HEAD^{commit}"]);
        let output = self.rev_parse(path, asked).await?;
        // Where there is no worktree the last of them fails, after the first were answered.
        let mut lines = output.stdout.split(|byte| *byte == b'\n');
        if lines.next() == Some(b"true") {
            return Err(GitError::Bare { path: path.to_path_buf() });
        }
        if lines.next() == Some(b"false") {
            return Err(GitError::NotARepository { path: path.to_path_buf() });
        }
        let output = output.success(path)?;
        let lines: Vec<&[u8]> = output.stdout.split(|byte| *byte == b'\n').skip(2).collect();
        let is_oid =
            |line: &[u8]| str::from_utf8(line).is_ok_and(|text| Oid::parse(text).is_some());
        let has_commit = lines.iter().rev().nth(1).is_some_and(|line| is_oid(line));
        if let [common_dir, git_dir, top, rest @ ..] = lines.as_slice()
            && rest.len() == 1 + usize::from(has_commit)
        {
            let read = |line: &&[u8]| canonical(crate::RepoPath::from_bytes(*line).as_path());
            return Ok(Found {
                common_dir: read(common_dir)?,
                git_dir: read(git_dir)?,
                top: read(top)?,
                has_commit,
            });
        }
        // A path with a line end in it: each is asked for by itself.
        let read = async |what| -> Result<PathBuf> {
            canonical(&self.rev_parse(path, [ABSOLUTE, what]).await?.success(path)?.path())
        };
        Ok(Found {
            common_dir: read("--git-common-dir").await?,
            git_dir: read("--git-dir").await?,
            top: read("--show-toplevel").await?,
            has_commit,
        })
    }

    async fn rev_parse<'a>(
        &self,
        path: &Path,
        asked: impl IntoIterator<Item = &'a str>,
    ) -> Result<Output> {
        self.run(Call::new(Kind::Read, "rev-parse", path).arg("rev-parse").args(asked)).await
    }

    /// The main checkout, as `git worktree list` names it first.
    async fn main_top(&self, common_dir: &Path, path: &Path) -> Result<PathBuf> {
        let call = Call::new(Kind::Read, "worktree list", path)
            .args(["worktree", "list", "--porcelain", "-z"])
            .in_dirs(common_dir, None);
        let output = self.run(call).await?.success(path)?;
        let mut fields = output.stdout.split(|&b| b == 0).take_while(|field| !field.is_empty());
        let top = fields.next().and_then(|field| field.strip_prefix(b"worktree "));
        if fields.any(|field| field == b"bare") {
            return Err(GitError::Bare { path: path.to_path_buf() });
        }
        match top {
            Some(top) => canonical(crate::RepoPath::from_bytes(top).as_path()),
            None => Err(GitError::unexpected("worktree list", "no main checkout")),
        }
    }
}

/// A repository with a main checkout and at least one commit. Cheap to clone; only for reading.
#[derive(Debug, Clone)]
pub struct Repo {
    pub(crate) git: Git,
    top: PathBuf,
    common_dir: PathBuf,
    remotes: Vec<String>,
    default_remote: Option<String>,
    default_branch: String,
}

impl Repo {
    /// The top of the main checkout, without symbolic links.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The git directory that all worktrees share, without symbolic links. It is what makes two
    /// paths the same repository.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Names of all remotes.
    pub fn remotes(&self) -> &[String] {
        &self.remotes
    }

    /// The remote to base work on, if there is one.
    pub fn default_remote(&self) -> Option<&str> {
        self.default_remote.as_deref()
    }

    /// The branch that work is based on: that of the remote's HEAD, else `init.defaultBranch`,
    /// `main`, `master`, or the current branch, whichever exists first.
    pub fn default_branch(&self) -> &str {
        &self.default_branch
    }

    /// The main checkout.
    pub fn main_checkout(&self) -> Checkout {
        Checkout::known(self.git.clone(), self.top.clone(), self.common_dir.clone())
    }

    /// Whether there is a local branch of that name.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn branch_exists(&self, branch: &str) -> Result<bool> {
        Ok(self.commit(&format!("refs/heads/{branch}")).await?.is_some())
    }

    /// All local branch names.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn branches(&self) -> Result<Vec<String>> {
        self.branches_among(["refs/heads/".to_owned()]).await
    }

    async fn branches_among(
        &self,
        patterns: impl IntoIterator<Item = String>,
    ) -> Result<Vec<String>> {
        let call =
            self.read("for-each-ref").args(["for-each-ref", "--format=%(refname)"]).args(patterns);
        let output = self.git.run(call).await?.success(&self.top)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|l| l.strip_prefix("refs/heads/")).map(str::to_owned).collect())
    }

    /// The commit that `name` stands for, if any.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub async fn commit(&self, name: &str) -> Result<Option<Oid>> {
        self.main_checkout().commit(name).await
    }

    pub(crate) fn read(&self, what: &'static str) -> Call {
        Call::new(Kind::Read, what, &self.top).in_dirs(&self.common_dir, Some(&self.top))
    }

    pub(crate) fn write(&self, what: &'static str) -> Call {
        Call::new(Kind::Write, what, &self.top).in_dirs(&self.common_dir, Some(&self.top))
    }

    /// A checkout on an unborn branch may still belong to a repository with history.
    async fn has_any_commit(&self) -> Result<bool> {
        let call = self.read("for-each-ref").args([
            "for-each-ref",
            "--count=1",
            "--format=%(objectname)",
            "refs/heads/",
            "refs/remotes/",
        ]);
        Ok(!self.git.run(call).await?.success(&self.top)?.stdout.is_empty())
    }

    async fn find_default_branch(&self, settings: &Settings) -> Result<String> {
        if let Some(remote) = &self.default_remote
            && let Some(branch) = self.remote_head(remote).await?
        {
            return Ok(branch);
        }
        let configured = settings.get("init.defaultbranch");
        let usual: Vec<_> = configured.into_iter().chain(["main", "master"]).collect();
        let there =
            self.branches_among(usual.iter().map(|name| format!("refs/heads/{name}"))).await?;
        if let Some(first) = usual.iter().find(|name| there.iter().any(|there| there == **name)) {
            return Ok((*first).to_owned());
        }
        let call = self.read("symbolic-ref").args(["symbolic-ref", "-q", "HEAD"]);
        let head = self.git.run(call).await?;
        if head.ok()
            && let Some(branch) = head.line()?.strip_prefix("refs/heads/")
        {
            return Ok(branch.to_owned());
        }
        Ok(self.branches().await?.into_iter().next().unwrap_or_else(|| "HEAD".into()))
    }

    /// One value of the configuration, if it is set and not empty.
    pub(crate) async fn setting(&self, name: &str) -> Result<Option<String>> {
        let call = self.read("config").args(["config", "--get", name]);
        let output = self.git.run(call).await?;
        if !output.ok() {
            return Ok(None);
        }
        Ok(Some(output.line()?).filter(|value| !value.is_empty()))
    }
}

pub(crate) fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|e| GitError::io("Looking for", path, e))
}
