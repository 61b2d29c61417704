//! The folders and files of a daemon's home, and who may read them.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use qd_core::{Code, Problem, SessionId};

/// Where everything of one daemon is. All folders are 0700 and all files 0600.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    run: PathBuf,
}

impl Home {
    /// Opens a home, and makes what is missing of it.
    ///
    /// # Errors
    /// [`Code::HomeNotWritable`], also for a folder in which others could put their files in the
    /// place of ours, or [`Code::DiskFull`].
    pub fn open(root: &Path) -> Result<Self, Problem> {
        let refuse = |error: &std::io::Error| refusal(root, error);
        make_folder(root).map_err(|e| refuse(&e))?;
        // Without symbolic links, so that two names of one home are one home.
        let root = root.canonicalize().map_err(|e| refuse(&e))?;
        only_ours(&root)?;
        let xdg = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let run = qd_tmux::runtime_dir::runtime_dir(&root, xdg.as_deref())
            .map_err(|e| refuse(&std::io::Error::other(e.to_string())))?;
        let home = Self { root, run };
        for folder in ["bin", "sessions", "worktrees", "trash"] {
            make_folder(&home.root.join(folder)).map_err(|e| refuse(&e))?;
        }
        Ok(home)
    }

    /// Writes down where the sockets are, for clients that know only the home: it may be in a
    /// folder with a shorter path. Only for who holds the lock of the home.
    ///
    /// # Errors
    /// As [`Home::open`].
    pub(crate) fn tell_sockets(&self) -> Result<(), Problem> {
        let places =
            [("socket.path", self.socket()), ("tmux.path", crate::panes::tmux_socket(&self.run))];
        for (name, place) in places {
            write_private(&self.root.join(name), place.as_os_str().as_encoded_bytes())
                .map_err(|e| refusal(&self.root, &e))?;
        }
        Ok(())
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The Unix socket of the API.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        if self.run == self.root.join("run") {
            self.root.join("qd.sock")
        } else {
            self.run.join("qd.sock")
        }
    }

    /// The folder of sockets, short enough for them.
    #[must_use]
    pub fn run(&self) -> &Path {
        &self.run
    }

    /// The folder of one session's own files.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> PathBuf {
        self.root.join("sessions").join(id.as_str())
    }

    /// Where new worktrees of a repository go.
    #[must_use]
    pub fn worktrees(&self) -> PathBuf {
        self.root.join("worktrees")
    }

    /// Where a session's worktree is kept while it is in the trash.
    #[must_use]
    pub fn trash(&self, id: &SessionId) -> PathBuf {
        self.root.join("trash").join(id.as_str())
    }

    /// The owner's token, made from `random` when there is none yet.
    ///
    /// # Errors
    /// When the file cannot be read or made, or somebody else could read it.
    pub fn token(&self, random: [u8; 32]) -> Result<String, Problem> {
        let path = self.root.join("token");
        let refuse = |error: &std::io::Error| refusal(&self.root, error);
        match std::fs::File::open(&path) {
            Ok(mut file) => {
                let about = file.metadata().map_err(|e| refuse(&e))?;
                if about.mode() & 0o077 != 0 {
                    file.set_permissions(Permissions::from_mode(0o600)).map_err(|e| refuse(&e))?;
                }
                let mut text = String::new();
                file.read_to_string(&mut text).map_err(|e| refuse(&e))?;
                let text = text.trim().to_owned();
                if text.len() >= 32 {
                    return Ok(text);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(refuse(&error)),
        }
        let token = hex(&random);
        write_private(&path, token.as_bytes()).map_err(|e| refuse(&e))?;
        Ok(token)
    }

    /// Whether a file of a home leads a browser to a login link, by its name.
    #[must_use]
    pub fn is_login_page(name: &OsStr) -> bool {
        let name = name.as_bytes();
        name.starts_with(b"login-") && name.ends_with(b".html")
    }

    /// Takes away the file that led a browser to the login link with this code.
    pub(crate) fn forget_link(&self, code: &str) {
        let Ok(entries) = std::fs::read_dir(&self.root) else { return };
        for entry in entries.flatten() {
            if Self::is_login_page(&entry.file_name())
                && std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(code))
            {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Copies the running program to a path that survives a rebuild or an upgrade, named by its
    /// size and time of change, and gives that path.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn keep_program(&self, program: &Path) -> Result<PathBuf, Problem> {
        let refuse = |error: &std::io::Error| refusal(&self.root, error);
        let about = std::fs::metadata(program).map_err(|e| refuse(&e))?;
        let name = format!("qd-{:x}-{:x}-{:x}", about.len(), about.mtime(), about.mtime_nsec());
        let kept = self.root.join("bin").join(name);
        if kept.exists() {
            return Ok(kept);
        }
        // Copied beside and renamed, so that a half-written program is never started.
        let half = kept.with_extension(format!("half-{}", std::process::id()));
        std::fs::copy(program, &half).map_err(|e| refuse(&e))?;
        std::fs::set_permissions(&half, Permissions::from_mode(0o700)).map_err(|e| refuse(&e))?;
        std::fs::rename(&half, &kept).map_err(|e| refuse(&e))?;
        Ok(kept)
    }

    /// Takes away the copies of programs that no process runs any more, all but `kept`. Only for
    /// who holds the lock of the home.
    pub(crate) fn drop_old_programs(&self, kept: &Path) {
        let Some(run) = programs_that_run() else { return };
        let Ok(entries) = std::fs::read_dir(self.root.join("bin")) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            if path != kept
                && !run.contains(&path)
                && let Err(error) = std::fs::remove_file(&path)
            {
                tracing::warn!(%error, path = %path.display(), "an old program stays");
            }
        }
    }
}

/// The files that processes of ours run; none when that cannot be found out. Those of others
/// cannot be read and do not matter.
fn programs_that_run() -> Option<HashSet<PathBuf>> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let run: HashSet<PathBuf> =
        processes.filter_map(|entry| std::fs::read_link(entry.path().join("exe")).ok()).collect();
    // This very process runs a file.
    (!run.is_empty()).then_some(run)
}

/// Makes a folder that only its owner may enter; fine when it is there.
///
/// # Errors
/// As the system says.
pub(crate) fn make_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file that only its owner may read, whole or not at all.
///
/// # Errors
/// As the system says.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let half = path.with_extension(format!("half-{}", std::process::id()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&half)?;
    file.write_all(bytes)?;
    std::fs::rename(&half, path)
}

/// Bytes as hexadecimal text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Refuses a folder that was there before and is not for its owner alone: whoever may write in it
/// can put a program or a token of theirs in the place of ours, whatever the modes below.
fn only_ours(root: &Path) -> Result<(), Problem> {
    if root.to_str().is_none() {
        return Err(Problem::new(
            Code::HomeNotWritable,
            format!("The home {} cannot be used: its path is not UTF-8.", root.display()),
            "Give a folder whose path is UTF-8 with `--home DIR` or QD_HOME.",
        ));
    }
    let about = std::fs::metadata(root).map_err(|error| refusal(root, &error))?;
    let (shown, me) = (root.display(), rustix::process::geteuid().as_raw());
    if about.uid() != me {
        return Err(Problem::new(
            Code::HomeNotWritable,
            format!(
                "The home {shown} cannot be used: it belongs to another user, {}.",
                about.uid()
            ),
            "Give a folder of yours with `--home DIR` or QD_HOME.",
        ));
    }
    if about.mode() & 0o022 != 0 {
        return Err(Problem::new(
            Code::HomeNotWritable,
            format!("The home {shown} cannot be used: others may write in it."),
            format!(
                "If it is for Quarterdeck only, run `chmod 700 '{shown}'`; else give another \
                 folder with `--home DIR` or QD_HOME."
            ),
        ));
    }
    Ok(())
}

fn refusal(root: &Path, error: &std::io::Error) -> Problem {
    let shown = root.display();
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Problem::new(
            Code::DiskFull,
            format!("The disk of {shown} is full."),
            "Free some room, then start again. Nothing was lost.",
        );
    }
    Problem::new(
        Code::HomeNotWritable,
        format!("The home {shown} cannot be used: {error}."),
        "Give a folder of yours with `--home DIR` or QD_HOME.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_private_and_the_token_stays() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a b");
        let home = Home::open(&root).unwrap();
        let token = home.token([7; 32]).unwrap();
        assert_eq!(Home::open(&root).unwrap().token([8; 32]).unwrap(), token);
        for entry in std::fs::read_dir(&root).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().mode() & 0o077;
            assert_eq!(mode, 0);
        }
        assert_eq!(std::fs::metadata(&root).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_file_in_the_way_is_said_so() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("file");
        std::fs::write(&root, "x").unwrap();
        let problem = Home::open(&root).unwrap_err();
        assert_eq!(problem.code, Code::HomeNotWritable);
    }

    #[test]
    fn a_folder_that_others_may_write_in_is_no_home() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("open");
        std::fs::create_dir(&root).unwrap();
        for (mode, fine) in [(0o777, false), (0o1777, false), (0o770, false), (0o755, true)] {
            std::fs::set_permissions(&root, Permissions::from_mode(mode)).unwrap();
            let opened = Home::open(&root).map(drop).map_err(|problem| problem.code);
            assert_eq!(opened.is_ok(), fine, "{mode:o}: {opened:?}");
            // Nothing was put into it.
            assert!(fine || std::fs::read_dir(&root).unwrap().next().is_none(), "{mode:o}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_path_that_is_not_utf8_is_refused_before_sessions_fail_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let problem = Home::open(&dir.path().join(OsStr::from_bytes(b"a\xff"))).unwrap_err();
        assert!(problem.message.contains("UTF-8"), "{problem:?}");
    }

    #[test]
    fn the_kept_program_is_copied_once() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(dir.path()).unwrap();
        let program = dir.path().join("program");
        std::fs::write(&program, "x").unwrap();
        let kept = home.keep_program(&program).unwrap();
        assert_eq!(home.keep_program(&program).unwrap(), kept);
        std::fs::write(&program, "longer").unwrap();
        assert_ne!(home.keep_program(&program).unwrap(), kept);
        assert_eq!(std::fs::read_to_string(kept).unwrap(), "x");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_copy_goes_when_nobody_runs_it_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(dir.path()).unwrap();
        let sleep = qd_agents::find("sleep", &std::env::var("PATH").unwrap()).unwrap();
        let old = home.keep_program(&sleep.canonicalize().unwrap()).unwrap();
        let program = dir.path().join("program");
        std::fs::write(&program, "x").unwrap();
        let kept = home.keep_program(&program).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test needs a process that runs the copy")]
        let mut child = std::process::Command::new(&old).arg("1000").spawn().unwrap();
        home.drop_old_programs(&kept);
        assert!(old.exists() && kept.exists(), "it is run still");
        child.kill().unwrap();
        child.wait().unwrap();
        home.drop_old_programs(&kept);
        assert!(!old.exists() && kept.exists());
    }
}
