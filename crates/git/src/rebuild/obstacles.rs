//! What is not committed and would be written over.
//!
//! Git refuses by itself to write over a changed file and over an untracked one. It does not spare
//! one that is ignored, and an agent's `.env` is as precious as anything: that is looked at here.

use std::collections::HashSet;
use std::path::Path;

use super::Store;
use crate::checkout::split_paths;
use crate::error::{GitError, Result};
use crate::{Checkout, Oid, RepoPath};

/// The most bytes of a listing that are read.
const MAX_LISTING: usize = 16 << 20;

/// The paths with something that is not committed among those that differ between two commits.
pub(crate) async fn find(
    store: &Store,
    checkout: &Checkout,
    from: &Oid,
    to: &Oid,
) -> Result<Vec<RepoPath>> {
    let written = store.differing(from, to, "").await?;
    let places: HashSet<&Path> = written.iter().map(RepoPath::as_path).collect();
    let above: HashSet<&Path> = places.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let mut open = checkout.uncommitted_paths().await?;
    open.retain(|path| {
        let path = path.as_path();
        above.contains(path) || path.ancestors().any(|part| places.contains(part))
    });
    open.extend(ignored(checkout, store.differing(from, to, "A").await?).await?);
    open.sort();
    open.dedup();
    Ok(open)
}

/// What is at the places of new files, or above them instead of a folder, and is not tracked.
async fn ignored(checkout: &Checkout, new: Vec<RepoPath>) -> Result<Vec<RepoPath>> {
    let top = checkout.top().to_path_buf();
    let looking = tokio::task::spawn_blocking(move || {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for path in new {
            let mut parts: Vec<_> = path.as_path().ancestors().collect();
            parts.pop();
            for (depth, part) in parts.iter().rev().enumerate() {
                let is_folder_above = depth + 1 < parts.len();
                match top.join(part).symlink_metadata() {
                    Ok(meta) if meta.is_dir() && is_folder_above => {}
                    Ok(_) => {
                        let at = RepoPath::from_bytes(part.as_os_str().as_encoded_bytes());
                        if seen.insert(at.clone()) {
                            found.push(at);
                        }
                        break;
                    }
                    Err(_) => break,
                }
            }
        }
        found
    });
    let looked = looking.await;
    let mut found = looked.map_err(|_| GitError::unexpected("ls-files", "no end of looking"))?;
    if found.is_empty() {
        return Ok(found);
    }
    let call = checkout
        .read("ls-files")
        .literal_paths()
        .args(["ls-files", "-z", "--cached", "--"])
        .args(found.iter().map(RepoPath::as_os_str))
        .limit(MAX_LISTING);
    let output = checkout.git.run(call).await?.success(checkout.top())?.whole(MAX_LISTING)?;
    let tracked: HashSet<RepoPath> = split_paths(&output.stdout).collect();
    let within = |path: &RepoPath| {
        tracked.contains(path)
            || tracked.iter().any(|known| known.as_path().starts_with(path.as_path()))
    };
    found.retain(|path| !within(path));
    Ok(found)
}
