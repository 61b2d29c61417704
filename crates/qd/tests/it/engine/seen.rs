//! What is there: on the disk, and in the event log.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::stage::Stage;

/// `git` for who has said nothing of themselves.
pub const GIT: &str = "git -c user.name=n -c user.email=e";

/// Everything beneath a folder by its name, with its mode and its bytes: those of a link are where
/// it leads, a folder has none. The link to the repository and what is no file are left out.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_path_buf();
            if name == Path::new(".git") {
                continue;
            }
            let about = path.symlink_metadata().unwrap();
            let bytes = if about.is_dir() {
                open.push(path.clone());
                vec![]
            } else if about.is_symlink() {
                std::fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
            } else if about.is_file() {
                std::fs::read(&path).unwrap()
            } else {
                continue;
            };
            found.insert(name, (about.permissions().mode(), bytes));
        }
    }
    found
}

/// What happened to a session, by the event log.
pub fn kinds(stage: &Stage, id: &str) -> Vec<String> {
    let said = stage.qd(&["events", "--json"]).well();
    let records = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ours = records.filter(|record| record["session"] == id);
    ours.map(|record| record["kind"].as_str().unwrap().to_owned()).collect()
}

/// How often something happened.
pub fn times(kinds: &[String], wanted: &str) -> usize {
    kinds.iter().filter(|kind| *kind == wanted).count()
}
