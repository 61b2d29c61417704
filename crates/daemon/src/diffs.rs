//! What a session changed. Only reads: no owner is asked, no lock is taken.

use std::path::Path;

use qd_api::{DiffBase, DiffFile, DiffReply, DiffStat, DiffTotals, FilePatch, FileStatus, rfc3339};
use qd_core::{Code, Millis, Place, Problem};
use qd_git::{Checkout, DiffLimits, Git, PatchLimits, RepoPath};

use crate::{problems, trash};

/// The files that a session changed.
///
/// # Errors
/// When it works in no repository, or git cannot be asked.
pub(crate) async fn list(git: &Git, place: &Place, now: Millis) -> Result<DiffReply, Problem> {
    let (checkout, base) = open(git, place).await?;
    let diff = checkout
        .diff(&base, &DiffLimits::default())
        .await
        .map_err(|error| problems::git(&error))?;
    let files = diff.files.iter().map(file).collect();
    Ok(DiffReply {
        base: DiffBase {
            name: base_name(place),
            merge_base: diff.base.merge_base.map(|oid| oid.to_string()).unwrap_or_default(),
        },
        files,
        totals: totals(&diff.totals),
        read_at: rfc3339(now),
        truncated: diff.truncated,
    })
}

/// The sums of a diff.
///
/// # Errors
/// As [`list`].
pub(crate) async fn stat(git: &Git, place: &Place) -> Result<DiffStat, Problem> {
    let (checkout, base) = open(git, place).await?;
    let stat = checkout
        .diff_stat(&base, &DiffLimits::default())
        .await
        .map_err(|error| problems::git(&error))?;
    let DiffTotals { files, additions, deletions } = totals(&stat.totals);
    Ok(DiffStat { files, additions, deletions })
}

/// The patch of one file.
///
/// # Errors
/// As [`list`], and when the path is not one.
pub(crate) async fn patch(
    git: &Git,
    place: &Place,
    path: &str,
    old_path: Option<&str>,
    whole: bool,
) -> Result<FilePatch, Problem> {
    let (checkout, base) = open(git, place).await?;
    let parse = |text: &str| {
        RepoPath::parse(text).filter(RepoPath::is_beneath).ok_or_else(|| {
            Problem::new(
                Code::FieldInvalid,
                "That is not the path of a file in the worktree.",
                "Take the path from the diff's list of files.",
            )
            .on("path")
        })
    };
    let (name, old) = (parse(path)?, old_path.map(parse).transpose()?);
    let mut limits = PatchLimits { open_large: whole, ..PatchLimits::default() };
    if whole {
        limits.bytes *= 8;
        limits.lines *= 8;
    }
    let patch = checkout
        .file_patch(&base, &name, old.as_ref(), &limits)
        .await
        .map_err(|error| problems::git(&error))?;
    let Some(change) = &patch.change else {
        return Err(Problem::new(
            Code::PathMissing,
            "That file is not changed.",
            "Read the list of changed files again: it may have changed meanwhile.",
        )
        .on("path"));
    };
    let cut = patch.cut;
    Ok(FilePatch {
        path: path.to_owned(),
        truncated: cut.bytes || cut.lines || cut.unopened || cut.long_lines > 0,
        binary: change.binary,
        size: change.size,
        patch: patch.text,
    })
}

/// All changes as one patch that `git apply` takes, and how many files are too large to be in it.
///
/// # Errors
/// As [`list`], and when the patch is too large.
pub(crate) async fn whole(git: &Git, place: &Place) -> Result<(Vec<u8>, usize), Problem> {
    let (checkout, base) = open(git, place).await?;
    let patch = checkout.whole_patch(&base).await.map_err(|error| problems::git(&error))?;
    Ok((patch.bytes, patch.left_out.len()))
}

/// The checkout and the commit that its changes are compared with.
async fn open(git: &Git, place: &Place) -> Result<(Checkout, String), Problem> {
    // From the side of the repository: an agent may have put another `.git` into its folder.
    let repo = trash::repo_of(git, place).await?.repo()?;
    let checkout =
        repo.checkout_around(Path::new(&place.worktree)).map_err(|error| problems::git(&error))?;
    // The commit, not the name: a branch that moved on must not change what this session did.
    let base = place.base.as_ref().map_or_else(|| "HEAD".to_owned(), |base| base.commit.clone());
    Ok((checkout, base))
}

fn base_name(place: &Place) -> String {
    place.base.as_ref().map_or_else(|| "HEAD".to_owned(), |base| base.name.clone())
}

fn totals(totals: &qd_git::Totals) -> DiffTotals {
    DiffTotals {
        files: u32::try_from(totals.files).unwrap_or(u32::MAX),
        additions: totals.additions,
        deletions: totals.deletions,
    }
}

fn file(change: &qd_git::FileChange) -> DiffFile {
    use qd_git::FileStatus as Status;
    DiffFile {
        path: change.path.to_string(),
        old_path: change.old_path.as_ref().map(ToString::to_string),
        status: match change.status {
            Status::Added => FileStatus::Added,
            Status::Modified => FileStatus::Modified,
            Status::Deleted => FileStatus::Deleted,
            Status::Renamed => FileStatus::Renamed,
            Status::Copied => FileStatus::Copied,
            Status::TypeChanged => FileStatus::TypeChanged,
            Status::Untracked => FileStatus::Untracked,
            Status::Conflicted => FileStatus::Conflicted,
        },
        old_mode: change.old_mode.clone(),
        new_mode: change.new_mode.clone(),
        additions: change.additions,
        deletions: change.deletions,
        binary: change.binary,
        size: change.size,
        large: change.large,
    }
}
