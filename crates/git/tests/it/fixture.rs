//! A home of its own, a remote, and the person's main checkout.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use qd_git::{Base, BaseSource, Git, GitConfig, Place, Repo, RepoWriter, Timeouts, Writers};

/// What a person may have in their configuration, all against us.
const HOSTILE: &str = "\
[color]\n\tui = always\n[core]\n\tpager = false\n\tquotePath = true\n\teditor = false\n\tfsmonitor = touch\n\tsplitIndex = true\n\
[diff]\n\texternal = false\n\tnoprefix = true\n\tmnemonicPrefix = true\n\trenames = false\n\tcontext = 0\n\
\tsubmodule = log\n\tignoreSubmodules = all\n\torderFile = /nowhere\n\trelative = true\n\tinterHunkContext = 9\n\
\tsuppressBlankEmpty = true\n\talgorithm = patience\n\
[status]\n\tshowUntrackedFiles = no\n\tshort = true\n\tbranch = true\n\trelativePaths = true\n\
[log]\n\tshowSignature = true\n\tdate = relative\n\tdecorate = full\n\
[alias]\n\tdiff = !false\n\tstatus = !false\n\
[fetch]\n\tprune = true\n\trecurseSubmodules = true\n[submodule]\n\trecurse = true\n\
[worktree]\n\tguessRemote = true\n[branch]\n\tautoSetupMerge = always\n[checkout]\n\tdefaultRemote = nowhere\n";

pub struct World {
    dir: tempfile::TempDir,
    pub env: BTreeMap<OsString, OsString>,
    writers: Writers,
}

impl World {
    pub fn new() -> Self {
        Self::with_config("")
    }

    pub fn hostile() -> Self {
        Self::with_config(HOSTILE)
    }

    fn with_config(extra: &str) -> Self {
        let dir = tempfile::Builder::new().prefix("qd-git-").tempdir().unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let config = format!(
            "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n\
             [protocol \"file\"]\n\tallow = always\n{extra}"
        );
        std::fs::write(home.join(".gitconfig"), config).unwrap();
        let mut env = BTreeMap::new();
        env.insert("HOME".into(), home.into());
        env.insert("PATH".into(), std::env::var_os("PATH").unwrap());
        env.insert("GIT_CONFIG_NOSYSTEM".into(), "1".into());
        Self { dir, env, writers: Writers::new() }
    }

    /// The temporary folder, without symbolic links.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub fn main(&self) -> PathBuf {
        self.path("P")
    }

    pub fn config(&self) -> GitConfig {
        GitConfig {
            program: "git".into(),
            env: self.env.clone(),
            scratch: self.path("scratch"),
            timeouts: Timeouts::default(),
        }
    }

    pub fn git(&self) -> Git {
        Git::new(self.config())
    }

    /// The person's or the agent's own git, with a plain configuration so that the steps of a test
    /// mean what they say.
    #[expect(clippy::disallowed_methods, reason = "the person's own git, not ours")]
    pub fn try_run(&self, at: &Path, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command
            .args(args)
            .current_dir(at)
            .env_clear()
            .envs(&self.env)
            .env("GIT_CONFIG_GLOBAL", self.plain_config())
            .env("GIT_EDITOR", "true");
        command.output().unwrap()
    }

    fn plain_config(&self) -> PathBuf {
        let path = self.path("plain-config");
        if !path.exists() {
            let text = "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n\
                        [protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n";
            std::fs::write(&path, text).unwrap();
        }
        path
    }

    pub fn run(&self, at: &Path, args: &[&str]) -> String {
        let output = self.try_run(at, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?} in {}: {said}", at.display());
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A bare remote and a clone of it at [`World::main`], with one commit.
    pub fn clone_with_commit(&self) -> &Self {
        let root = self.path("");
        self.run(&root, &["init", "-q", "--bare", "-b", "main", "origin.git"]);
        self.run(&root, &["clone", "-q", "origin.git", "P"]);
        let main = self.main();
        std::fs::write(main.join("f.txt"), "a\nb\nc\n").unwrap();
        std::fs::write(main.join(".gitignore"), ".env\nnode_modules/\n").unwrap();
        self.commit_all(&main, "base");
        self.run(&main, &["push", "-q", "-u", "origin", "main"]);
        self.run(&main, &["remote", "set-head", "origin", "main"]);
        self
    }

    pub fn commit_all(&self, at: &Path, message: &str) {
        self.run(at, &["add", "-A"]);
        self.run(at, &["commit", "-q", "-m", message]);
    }

    pub async fn repo(&self) -> Repo {
        self.git().discover(&self.main()).await.unwrap()
    }

    pub async fn writer(&mut self) -> RepoWriter {
        let repo = self.repo().await;
        self.writers.claim(repo).unwrap()
    }

    pub fn writers(&mut self) -> &mut Writers {
        &mut self.writers
    }

    /// `main` as it is here.
    pub async fn base(&self, repo: &Repo) -> Base {
        let commit = repo.commit("main").await.unwrap().unwrap();
        let note = String::new();
        Base { name: "main".into(), commit, source: BaseSource::Local, note }
    }

    /// A place for a new branch at `W/<name>`.
    pub async fn place(&self, repo: &Repo, branch: &str) -> Place {
        let path = self.path("W").join(branch.replace('/', "-"));
        Place::NewBranch { branch: branch.into(), base: self.base(repo).await, path }
    }

    /// A worktree on a new branch. Returns its path.
    pub async fn worktree(&self, writer: &mut RepoWriter, branch: &str) -> PathBuf {
        let place = self.place(writer, branch).await;
        let plan = writer.plan_worktree(place).unwrap();
        let made = plan.create(writer, std::future::pending()).await.unwrap();
        made.into_record().path
    }
}

pub fn write(path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    let path = path.as_ref();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub fn never() -> std::future::Pending<()> {
    std::future::pending()
}
