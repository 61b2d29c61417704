use std::fs;
use std::path::{Path, PathBuf};

use qd_policy::Place;

/// The place that a folder is: its worktree, and those beside it, as git has written them down.
pub fn place(cwd: &Path, home: &Path, daemon_home: &Path) -> Place {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let top = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd);
    let own = git_folder(top);
    let shared = own.as_deref().map(|own| match fs::read_to_string(own.join("commondir")) {
        Ok(there) => lexical(&own.join(there.trim())),
        Err(_) => own.to_path_buf(),
    });
    let checkout = shared
        .as_deref()
        .filter(|shared| shared.ends_with(".git"))
        .and_then(Path::parent)
        .filter(|checkout| *checkout != top);
    let others = shared.as_deref().map(|shared| worktrees(shared, top)).unwrap_or_default();
    let branch = own
        .and_then(|own| fs::read_to_string(own.join("HEAD")).ok())
        .and_then(|head| Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned()));
    Place {
        cwd: text(cwd),
        worktree: text(top),
        home: text(home),
        checkout: checkout.map(text),
        others,
        branch,
        shared_branches: vec![],
        daemon_home: Some(text(daemon_home)),
    }
}

fn git_folder(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(git).ok()?;
    Some(lexical(&top.join(text.trim().strip_prefix("gitdir: ")?)))
}

fn worktrees(shared: &Path, top: &Path) -> Vec<String> {
    let entries = fs::read_dir(shared.join("worktrees")).into_iter().flatten().flatten();
    let folders = entries.filter_map(|entry| {
        let text = fs::read_to_string(entry.path().join("gitdir")).ok()?;
        Some(Path::new(text.trim()).parent()?.to_path_buf())
    });
    folders.filter(|folder| folder != top).map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The path without `.` and `..`, as text.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}
